import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Builds only when something that goes into the build is newer than what came out of it. */
const INPUTS = [
  'src',
  'prisma/schema.prisma',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
]
const OUTPUT = 'dist/cli/main.js'
const GENERATED = join('src', 'generated')

/** @param {string} path @returns {number} the newest change in it, in milliseconds */
function changedAt(path) {
  if (path === GENERATED) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))))
}

if (!existsSync(OUTPUT) || Math.max(...INPUTS.map(changedAt)) > statSync(OUTPUT).mtimeMs) {
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], { encoding: 'utf8' })
  if (status !== 0) process.stderr.write(`${stdout}${stderr}`)
  process.exitCode = status ?? 1
}
