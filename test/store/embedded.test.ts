import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterEach, expect, inject, onTestFinished, test } from 'vitest'
import { type EmbeddedPostgres, startEmbedded } from '../../src/store/embedded.ts'
import { disownPidFile, setupFault, sweepDrafts } from '../../src/store/postgres-folder.ts'
import { copyDataDir } from '../support/prepared.ts'

const running: EmbeddedPostgres[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((embedded) => embedded.stop()))
})

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cuelight-embedded-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** One whose PostgreSQL was set up before. */
async function usedDataFolder(): Promise<string> {
  const folder = dataFolder()
  await copyDataDir(inject('preparedDataDir'), folder)
  return folder
}

async function start(dataDir: string, options: { durable?: boolean } = {}) {
  const said: string[] = []
  const say = (message: string) => said.push(message)
  const log = { info: say, warn: say, error: say }
  const embedded = await startEmbedded({ dataDir, log, durable: false, ...options })
  running.push(embedded)
  return { ...embedded, said }
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Another server's process on the folder, once it is ready. */
async function holder(dataDir: string): Promise<{ process: ChildProcess; url: string }> {
  const script = fileURLToPath(new URL('../support/embedded-holder.js', import.meta.url))
  const child = spawn(process.execPath, [script, inject('build'), dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  return { process: child, url: String(line).trim() }
}

async function killHard(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

const pidFile = (dataDir: string) => join(dataDir, 'postgres/data/postmaster.pid')
const postmasterOf = (dataDir: string) => Number(readFileSync(pidFile(dataDir), 'utf8').split('\n')[0])

test('a new folder gets a durable database in UTC that only its own password opens', async () => {
  const dataDir = dataFolder()
  const { url } = await start(dataDir, { durable: true })
  expect(
    await ask(
      url,
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
              current_setting('TimeZone') AS zone, current_setting('listen_addresses') AS listens,
              pg_encoding_to_char(encoding) AS encoding, lower('ÄÖ') AS lower
       FROM pg_database WHERE datname = current_database()`,
    ),
  ).toEqual([{ fsync: 'on', commit: 'on', zone: 'UTC', listens: '127.0.0.1', encoding: 'UTF8', lower: 'äö' }])
  expect(statSync(join(dataDir, 'postgres/password')).mode & 0o777).toBe(0o600)
  const wrong = new URL(url)
  wrong.password = 'guess'
  await expect(ask(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/)
})

test('a user without a name is told what PostgreSQL wants', () => {
  const said = 'initdb: could not look up effective user ID 12345: user does not exist'
  expect(setupFault('/data/postgres', said)).toMatch(
    /12345: user does not exist\. .*\/etc\/passwd, start as somebody who has one, or set DATABASE_URL/,
  )
  expect(setupFault('/data/postgres', 'initdb: no space')).toMatch(/: initdb: no space$/)
})

test('stopping ends the server, twice is harmless, and the next start has the same address and data', async () => {
  const dataDir = await usedDataFolder()
  const first = await start(dataDir)
  await ask(first.url, 'CREATE TABLE kept AS SELECT 7 AS n')
  await first.stop()
  await first.stop()
  await expect(ask(first.url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/)
  const second = await start(dataDir)
  expect(second.url).toBe(first.url)
  expect(await ask(second.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }])
})

test('a folder whose path is longer than a socket name may be serves', async () => {
  const dataDir = join(dataFolder(), 'a'.repeat(80), 'b'.repeat(80))
  await mkdir(dataDir, { recursive: true })
  const { url } = await start(dataDir)
  expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test('another port is taken when somebody else has the one of last time', async () => {
  const dataDir = await usedDataFolder()
  const first = await start(dataDir)
  await first.stop()
  const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1')
  onTestFinished(() => void squatter.close())
  await once(squatter, 'listening')
  const second = await start(dataDir)
  expect(second.url).not.toBe(first.url)
  expect(await ask(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test('a second live server on the folder is refused by a sentence that names the first', async () => {
  const dataDir = await usedDataFolder()
  const first = await holder(dataDir)
  await expect(start(dataDir)).rejects.toThrow(
    `The data folder ${dataDir} is in use by another Cuelight server (process ${first.process.pid} on `,
  )
  expect(await ask(first.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  await killHard(first.process)
  await start(dataDir)
})

test('of two servers that start at once on a new folder, one gets it', async () => {
  const dataDir = dataFolder()
  const outcomes = await Promise.allSettled([start(dataDir), start(dataDir)])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const refused = outcomes.find((outcome) => outcome.status === 'rejected')
  expect(String(refused?.reason)).toMatch(/in use by another Cuelight server/)
})

test('a PostgreSQL that outlived its killed server is taken over as it runs, and stopped in the end', async () => {
  const dataDir = await usedDataFolder()
  const first = await holder(dataDir)
  await ask(first.url, 'CREATE TABLE kept AS SELECT 7 AS n')
  const pid = postmasterOf(dataDir)
  await killHard(first.process)
  const second = await start(dataDir)
  expect(postmasterOf(dataDir)).toBe(pid)
  expect(second.url).toBe(first.url)
  expect(await ask(second.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }])
  await second.stop()
  await expect(ask(second.url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/)
})

test('a folder whose server and PostgreSQL were both killed starts again with what was committed', async () => {
  const dataDir = await usedDataFolder()
  const first = await holder(dataDir)
  await ask(first.url, 'CREATE TABLE kept AS SELECT 7 AS n')
  await killHard(first.process)
  process.kill(postmasterOf(dataDir), 'SIGKILL')
  const second = await start(dataDir)
  expect(await ask(second.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }])
})

test('a stale pid file whose number a stranger has by now does not keep PostgreSQL from starting', async () => {
  const dataDir = await usedDataFolder()
  const first = await start(dataDir)
  const file = pidFile(dataDir)
  const [, ...rest] = readFileSync(file, 'utf8').split('\n')
  await first.stop()
  // PostgreSQL believes in any process of its own user.
  const { uid, gid } = statSync(join(dataDir, 'postgres/data'))
  const stranger = spawn('sleep', ['600'], { uid, gid, cwd: '/' })
  onTestFinished(() => void stranger.kill())
  await once(stranger, 'spawn')
  writeFileSync(file, [stranger.pid, ...rest].join('\n'))
  const second = await start(dataDir)
  expect(await ask(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  expect(stranger.exitCode).toBeNull()
})

test('a pid file that a rival has just written is not taken for the stale one that was there', () => {
  const data = dataFolder()
  writeFileSync(join(data, 'postmaster.pid'), '4242\nrival')
  disownPidFile(data, 4241)
  expect(readFileSync(join(data, 'postmaster.pid'), 'utf8')).toBe('4242\nrival')
  disownPidFile(data, 4242)
  expect(readFileSync(join(data, 'postmaster.pid'), 'utf8')).toBe(`${process.pid}\nrival`)
})

test('a draft that a rival still writes to does not keep the others from being swept', async () => {
  const home = join(dataFolder(), 'postgres')
  await mkdir(`${home}.new-rival`)
  const rival = spawn('sh', [
    '-c',
    'while :; do mkdir -p "$0/data"; : > "$0/data/$((i += 1))"; done',
    `${home}.new-rival`,
  ])
  const ended = once(rival, 'exit')
  // What it still writes to cannot be removed after the test.
  onTestFinished(async () => {
    rival.kill('SIGKILL')
    await ended
  })
  await expect.poll(() => existsSync(`${home}.new-rival/data/100`)).toBe(true)
  await mkdir(`${home}.new-stale/data`, { recursive: true })
  await sweepDrafts(home)
  expect(existsSync(`${home}.new-stale`)).toBe(false)
})

test('a PostgreSQL that dies under its server is started again at the same address', async () => {
  const dataDir = await usedDataFolder()
  const { url, said } = await start(dataDir)
  await ask(url, 'CREATE TABLE kept AS SELECT 7 AS n')
  process.kill(postmasterOf(dataDir), 'SIGKILL')
  await expect.poll(() => said, { timeout: 20_000 }).toContain('The embedded PostgreSQL is back.')
  expect(await ask(url, 'SELECT n FROM kept')).toEqual([{ n: 7 }])
})

test.each<[string, (folder: string) => Promise<string>, RegExp]>([
  [
    'a postgres folder that is not ours',
    async (folder) => {
      await mkdir(join(folder, 'postgres'))
      writeFileSync(join(folder, 'postgres/notes.txt'), 'mine')
      return folder
    },
    /holds a "postgres" that is not Cuelight's: .*PG_VERSION.* Name another folder, or move that one away/,
  ],
  [
    'a file in the way',
    async (folder) => {
      writeFileSync(join(folder, 'file'), '')
      return join(folder, 'file')
    },
    /cannot be used: .*Name a folder that can be written\.$/,
  ],
  [
    'a file above it',
    async (folder) => {
      writeFileSync(join(folder, 'file'), '')
      return join(folder, 'file/below/it')
    },
    /cannot be used: .*Name a folder that can be written\.$/,
  ],
  [
    'a file in it that cannot be written',
    async (folder) => {
      await (await start(folder)).stop()
      await rm(join(folder, 'postgres/port'))
      await mkdir(join(folder, 'postgres/port'))
      return folder
    },
    /cannot be used: .*Name a folder that can be written\.$/,
  ],
])('%s is told with the setting and what to do, and is left as it is', async (_name, prepare, message) => {
  const folder = await prepare(dataFolder())
  const refusal = await start(folder).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(Error)
  expect(String(refusal)).toContain(`The data folder ${folder} (CUELIGHT_DATA_DIR)`)
  expect(String(refusal)).toMatch(message)
})

test.runIf(process.platform === 'linux')(
  'a place where no folder can be made is refused, and not tried for ever',
  async () => {
    for (const place of ['/proc/cuelight', '/proc/cuelight/below', '/proc']) {
      await expect(start(place)).rejects.toThrow(
        /\(CUELIGHT_DATA_DIR\) cannot be used: .*Name a folder that can be written\.$/,
      )
    }
  },
)
