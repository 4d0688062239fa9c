import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Builds what runs when something that goes into it is newer than what came out. Types are neither checked nor written,
 * which takes ten times as long: `npm run build` does both, for whoever changes or publishes the code.
 */
const INPUTS = [
  'src',
  'prisma/schema.prisma',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'vite.config.ts',
]
/** What is built last, so that a build that broke off is not taken for one. */
const OUTPUT = 'dist/console/index.html'
const GENERATED = join('src', 'generated')
const COMMANDS = [
  ['scripts/generate.mjs'],
  ['scripts/generate-documents.mjs'],
  ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck', '--declaration', 'false'],
  ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'],
]

/** @param {string} path @returns {number} the newest change in it, in milliseconds */
function changedAt(path) {
  if (path === GENERATED) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))))
}

if (!existsSync(OUTPUT) || Math.max(...INPUTS.map(changedAt)) > statSync(OUTPUT).mtimeMs) {
  process.stderr.write('Building Cuelight …\n')
  for (const command of COMMANDS) {
    const { status, signal, error } = spawnSync(process.execPath, command, { stdio: ['ignore', 2, 2] })
    if (status === 0) continue
    const why = error?.message ?? (signal === null ? `exit code ${status}` : `signal ${signal}`)
    process.stderr.write(
      `Cuelight could not be built: node ${command.join(' ')} failed (${why}). What it says is above.\n`,
    )
    process.exit(1)
  }
}
