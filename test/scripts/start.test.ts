import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

const SERVER = `
console.log('begun:' + process.argv.slice(2))
const alive = setInterval(() => {}, 1000)
process.once('SIGTERM', () => {
  console.log('stopped in order')
  clearInterval(alive)
})
`

test('a server that npm started stops in order when npm is told to stop', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cuelight-start-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'scripts'))
  mkdirSync(join(folder, 'dist/cli'), { recursive: true })
  cpSync(join(root, 'scripts/start.mjs'), join(folder, 'scripts/start.mjs'))
  writeFileSync(join(folder, 'scripts/ensure-built.mjs'), '')
  const { scripts } = (await import('../../package.json', { with: { type: 'json' } })).default
  const manifest = { name: 'small', version: '1.0.0', type: 'module', scripts: { start: scripts.start } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'dist/cli/main.js'), SERVER)

  const npm = spawn('npm', ['start', '--', '--port', '1'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  for await (const part of npm.stdout) {
    said += String(part)
    if (said.includes('begun:serve,--port,1') && !npm.killed) npm.kill('SIGTERM')
  }
  // The pipe closes with the last process that holds it, the server.
  expect(said).toContain('stopped in order')
  if (npm.exitCode === null && npm.signalCode === null) await once(npm, 'exit')
})
