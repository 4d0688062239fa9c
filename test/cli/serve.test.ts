import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '../support/database.ts'

const { url: databaseUrl } = await testDatabase()
const MAIN = ['--import', 'jiti/register', 'src/cli/main.ts']

/** The command as a process of its own. */
function cuelight(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [...MAIN, ...args], {
    env: { PATH: process.env.PATH, PORT: '0', DATABASE_URL: databaseUrl, LOG_FORMAT: 'json', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = { stderr: '' }
  child.stderr.on('data', (data) => {
    output.stderr += String(data)
  })
  const ended = once(child, 'close').then(([code]) => ({ code, ...output }))
  return { child, ended, stdout: createInterface({ input: child.stdout }) }
}

/** The address of a server, once its log tells. */
async function addressOf(stdout: AsyncIterable<string>): Promise<string> {
  for await (const line of stdout) {
    const { url }: { url?: string } = JSON.parse(line)
    if (url !== undefined) return url
  }
  throw new Error('It ended without listening.')
}

test('serve works until SIGTERM, and then exits with 0', async () => {
  const { child, ended, stdout } = cuelight(['serve'])
  const url = await addressOf(stdout)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  child.kill('SIGTERM')
  const { code, stderr } = await ended
  expect(code).toBe(0)
  expect(stderr).toMatch(/^\nAdmin token: cuelight_\S+\nIt is shown only this once\./)
}, 30_000)

test('bad settings are all listed, and it exits with 1', async () => {
  const { code, stderr } = await cuelight(['serve'], { PORT: 'x', LOG_LEVEL: 'loud' }).ended
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^Cuelight cannot start with these settings:\n {2}PORT is "x"; .*\n {2}LOG_LEVEL is "loud"; .*\n$/,
  )
}, 30_000)

test('an unknown command exits with 2', async () => {
  const { code, stderr } = await cuelight(['srve']).ended
  expect(code).toBe(2)
  expect(stderr).toContain("unknown command 'srve'")
}, 30_000)

test('migrate says that there is nothing to do when there is not', async () => {
  const { ended, stdout } = cuelight(['migrate'])
  const lines: string[] = []
  stdout.on('line', (line) => lines.push(line))
  expect(await ended).toEqual({ code: 0, stderr: '' })
  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ msg: 'the tables are up to date' })])
}, 30_000)
