import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * Makes src/generated anew when what it is made from has changed: the data model, or a package that reads it. For npm to
 * run, which has the generators on its path.
 */
const INPUTS = ['prisma/schema.prisma', 'prisma.config.ts', 'package-lock.json']
const STAMP = 'src/generated/made-from'

const hash = createHash('sha256')
for (const path of INPUTS) hash.update(readFileSync(path))
const madeFrom = hash.digest('hex')

if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== madeFrom) {
  const command = ['node_modules/prisma/build/index.js', 'generate']
  if (!existsSync(command[0])) {
    process.stderr.write('The packages are not installed: run "npm ci" here first, without --omit.\n')
    process.exit(1)
  }
  const { status, error } = spawnSync(process.execPath, command, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (error !== undefined) throw error
  if (status === 0) writeFileSync(STAMP, madeFrom)
  process.exitCode = status ?? 1
}
