import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, inject, onTestFinished, test } from 'vitest'
import { migrate } from '../../src/store/migrate.ts'
import { blankDatabase, testDatabase } from '../support/database.ts'

const { url: databaseUrl } = await testDatabase()
const MAIN = join(inject('build'), 'cli/main.js')

/** The command as a process of its own. */
function cuelight(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [MAIN, ...args], {
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
})

test('bad settings are all listed, and it exits with 1', async () => {
  const { code, stderr } = await cuelight(['serve'], { PORT: 'x', LOG_LEVEL: 'loud' }).ended
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^Cuelight cannot start with these settings:\n {2}PORT is "x"; .*\n {2}LOG_LEVEL is "loud"; .*\n$/,
  )
})

test('an unknown command exits with 2', async () => {
  const { code, stderr } = await cuelight(['srve']).ended
  expect(code).toBe(2)
  expect(stderr).toContain("unknown command 'srve'")
})

test('migrate says that there is nothing to do when there is not', async () => {
  const { ended, stdout } = cuelight(['migrate'])
  const lines: string[] = []
  stdout.on('line', (line) => lines.push(line))
  expect(await ended).toEqual({ code: 0, stderr: '' })
  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ msg: 'the tables are up to date' })])
})

test('what a module forgets about, a promise or an error in an event of its own, is logged, and the server goes on', async () => {
  const { child, ended, stdout } = cuelight(['serve'], { CUELIGHT_MODULES: 'test/cli/careless-world.ts' })
  let url: string | undefined
  const logged: { level: string; err: { message: string } }[] = []
  for await (const line of stdout) {
    const entry = JSON.parse(line)
    if (entry.url !== undefined) {
      url = entry.url
      child.kill('SIGUSR2')
    }
    if (entry.err !== undefined) logged.push(entry)
    if (url !== undefined && logged.length === 2) break
  }
  expect(logged.map(({ level, err }) => `${level} ${err.message}`)).toEqual([
    'error forgotten by a module',
    'error thrown in an event of a module',
  ])
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

test('a server whose output nobody reads any more does not end by that, and stops its PostgreSQL in the end', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'cuelight-serve-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const { child, ended, stdout } = cuelight(['serve'], {
    DATABASE_URL: '',
    CUELIGHT_DATA_DIR: dataDir,
    LOG_LEVEL: 'debug',
  })
  await addressOf(stdout)
  child.stdout.destroy()
  // Which is logged.
  child.kill('SIGTERM')
  const { code, stderr } = await ended
  expect(code).toBe(0)
  expect(stderr).toContain('Nobody takes the output any more (write EPIPE); the work goes on without it.')
  expect(existsSync(join(dataDir, 'postgres/data/postmaster.pid'))).toBe(false)
})

test.each([['serve'], ['migrate']])(
  '%s on a database of a newer version ends at once with a sentence',
  async (command) => {
    const { url, query } = await blankDatabase()
    await migrate(url)
    await query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ('future', '', '29990101000000_holograms', now(), now(), 1)`,
    )
    const { child, ended } = cuelight([command], { DATABASE_URL: url })
    await once(child.stderr, 'data')
    const said = performance.now()
    const { code, stderr } = await ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/^The database was migrated by a newer Cuelight: .*29990101000000_holograms\..*\n$/)
    expect(performance.now() - said).toBeLessThan(5_000)
  },
)

test.each([['serve'], ['migrate']])('%s whose migration fails ends at once with a sentence', async (command) => {
  const { url, query } = await blankDatabase()
  await migrate(url)
  await query('DELETE FROM _prisma_migrations')
  const { child, ended } = cuelight([command], { DATABASE_URL: url })
  await once(child.stderr, 'data')
  const said = performance.now()
  const { code, stderr } = await ended
  expect(code).toBe(1)
  expect(stderr).toMatch(/^The database's tables could not be brought up to date: .*already exists.*\n$/)
  expect(performance.now() - said).toBeLessThan(5_000)
})

test('while an action hangs, a first signal waits for it and a second one ends the process at once', async () => {
  const token = 'the-admin-token-of-the-tests'
  const { child, ended, stdout } = cuelight(['serve'], {
    CUELIGHT_ADMIN_TOKEN: token,
    CUELIGHT_MODULES: 'test/cli/hanging-world.ts',
  })
  const lines = stdout[Symbol.asyncIterator]()
  const lineWith = async (text: string): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`It ended without ${text}.`)
      if (value.includes(text)) return value
    }
  }
  const { url }: { url: string } = JSON.parse(await lineWith('"url"'))
  const mutate = async (document: string) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: `mutation { ${document} }` }),
    })
    return JSON.stringify(await response.json())
  }
  const created = await mutate(
    `createDefinition(input: {slug: "hang", title: "Hang", spec: {schedule: {manual: true},
      phases: [{key: "one", steps: [{actionId: "hanging.hang", params: {}}]}]}})
      { ... on CreateDefinitionPayload { definition { id } } }`,
  )
  const [id] = /def_[0-9a-f-]+/.exec(created) ?? []
  await mutate(`publishDefinition(input: {id: "${id}"}) { __typename }`)
  await mutate(`startRun(input: {definitionId: "${id}"}) { __typename }`)
  await lineWith('hanging')

  child.kill('SIGTERM')
  await lineWith('stopping')
  child.kill('SIGTERM')
  expect((await ended).code).toBe(143)
})
