import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support/eventually.ts'

const END_WITH_PARENT = new URL('../../examples/invasion/end-with-parent.mjs', import.meta.url).href

/** Stands for the server: it ends in order when it is told to. */
const SERVER = `process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000); process.send('up')`

/** Stands for the demo: it starts the server as the demo does and says when it is up. */
const DEMO = `
  const [, folder] = process.argv
  const child = require('node:child_process').spawn(
    process.execPath, ['--import', ${JSON.stringify(END_WITH_PARENT)}, '-e', ${JSON.stringify(SERVER)}],
    { env: { CUELIGHT_DATA_DIR: folder }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true })
  child.once('message', () => console.log(child.pid))
`

test.each([
  ['cuelight-demo-', false],
  ['cuelight-other-', true],
])(
  'a demo that is killed leaves no server behind, and of folders named %s… only its own kind goes',
  async (prefix, stays) => {
    const folder = await mkdtemp(join(tmpdir(), prefix))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await writeFile(join(folder, 'file'), '')
    const demo = spawn(process.execPath, ['-e', DEMO, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [pid] = await once(createInterface({ input: demo.stdout }), 'line')
    demo.kill('SIGKILL')
    await eventually(() => expect(() => process.kill(Number(pid), 0)).toThrow(/ESRCH/))
    expect(existsSync(folder)).toBe(stays)
  },
)
