import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/generate.mjs', import.meta.url))

test('a clone whose packages are not installed says so', () => {
  const clone = mkdtempSync(join(tmpdir(), 'cuelight clone-'))
  onTestFinished(() => rmSync(clone, { recursive: true }))
  mkdirSync(join(clone, 'prisma'))
  for (const path of ['prisma/schema.prisma', 'prisma.config.ts', 'package-lock.json'])
    writeFileSync(join(clone, path), '')
  const { status, stderr } = spawnSync(process.execPath, [script], { cwd: clone, encoding: 'utf8' })
  expect(stderr).toBe('The packages are not installed: run "npm ci" here first, without --omit.\n')
  expect(status).toBe(1)
})
