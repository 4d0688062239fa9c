import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'graphql-ws'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { readConfig, type ServerConfig } from '../../src/server/config.ts'
import { createLogger } from '../../src/server/logger.ts'
import { type RunningServer, type ServeOptions, serve } from '../../src/server/serve.ts'
import { migrate } from '../../src/store/migrate.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { SECRETS } from './indiscreet-world.ts'

const { url: databaseUrl } = await testDatabase()
const TOKEN = 'the-admin-token-of-the-tests'

function configOf(env: Record<string, string> = {}): ServerConfig {
  const result = readConfig({ PORT: '0', DATABASE_URL: databaseUrl, CUELIGHT_ADMIN_TOKEN: TOKEN, ...env })
  if (!result.ok) throw new Error(result.problems.join(' '))
  return result.config
}

async function start(config = configOf(), options: Partial<ServeOptions> = {}): Promise<RunningServer> {
  const log = createLogger({ level: 'silent', format: 'json' })
  const server = await serve(config, { migrate: true, log, announceToken: () => {}, ...options })
  onTestFinished(() => server.stop())
  return server
}

/** What /readyz says, once it says `status`. */
async function readyz(url: string, status: number): Promise<{ reasons: string[]; warnings: string[] }> {
  for (;;) {
    const response = await fetch(`${url}/readyz`)
    const body: { reasons: string[]; warnings: string[] } = JSON.parse(await response.text())
    if (response.status === status) return body
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function ask(url: string, query: string, token = TOKEN): Promise<unknown> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  })
  return response.json()
}

/** An empty database without tables. */
async function emptyDatabase(): Promise<string> {
  const { url: serverUrl } = inject('postgres')
  const name = `cuelight_test_${crypto.randomUUID().replaceAll('-', '')}`
  const execute = async (statement: string) => {
    const session = new pg.Client({ connectionString: serverUrl })
    await session.connect()
    await session.query(statement).finally(() => session.end())
  }
  await execute(`CREATE DATABASE ${name}`)
  onTestFinished(() => execute(`DROP DATABASE ${name} WITH (FORCE)`))
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

test('it becomes ready, and the API answers whom the token proves', async () => {
  const { url } = await start()
  expect(await readyz(url, 200)).toEqual({
    status: 'ready',
    reasons: [],
    warnings: [],
    zoneData: expect.stringMatching(/^\d{4}[a-z]+, of /),
  })
  expect(await ask(url, '{ viewer { name role } }')).toEqual({ data: { viewer: { name: 'admin', role: 'ADMIN' } } })
})

test('a token made at the first start is announced, works, and is not made again', async () => {
  const config = configOf({ CUELIGHT_ADMIN_TOKEN: '', DATABASE_URL: await emptyDatabase() })
  const announced: string[] = []
  const options = { announceToken: (token: string) => void announced.push(token) }
  const first = await start(config, options)
  expect(announced).toEqual([expect.stringMatching(/^cuelight_/)])
  expect(await ask(first.url, '{ viewer { role } }', announced[0])).toEqual({ data: { viewer: { role: 'ADMIN' } } })
  await first.stop()
  await start(config, options)
  expect(announced).toHaveLength(1)
})

test('without migrating, /readyz says what is missing, and the work starts once somebody has applied it', async () => {
  const url = await emptyDatabase()
  const server = await start(configOf({ DATABASE_URL: url }), { migrate: false })
  const { reasons } = await readyz(server.url, 503)
  expect(reasons).toEqual([expect.stringMatching(/^migrations: .*20260101000000_init.*run "cuelight migrate"\.$/)])
  await migrate(url)
  expect((await readyz(server.url, 200)).reasons).toEqual([])
})

test('a module that does not load is a warning that names it, and the server works without it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cuelight-test-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [broken, sound] = [join(folder, 'broken.ts'), join(folder, 'sound.ts')]
  await writeFile(broken, 'export default { id: "core" }')
  await writeFile(sound, 'export default { id: "sound" }')
  const { url } = await start(configOf({ CUELIGHT_MODULES: `${broken},${sound},/does/not/exist.ts` }))
  const { warnings } = await readyz(url, 200)
  expect(warnings).toEqual([expect.stringContaining(broken), expect.stringContaining('/does/not/exist.ts')])
})

test('a port that is in use is one sentence, and everything started is stopped again', async () => {
  const { url } = await start()
  const { port } = new URL(url)
  await expect(start(configOf({ PORT: port }))).rejects.toThrow(
    `PORT ${port} on HOST 127.0.0.1 is in use: stop what listens there, or set PORT to another one (0 takes any that is free).`,
  )
})

test('a database that cannot be reached is one sentence without its password', async () => {
  const config = configOf({ DATABASE_URL: 'postgresql://me:hunter2@127.0.0.1:1/x' })
  const error: unknown = await start(config).catch((thrown: unknown) => thrown)
  expect(String(error)).toMatch(/DATABASE_URL .*127\.0\.0\.1:1/)
  expect(String(error)).not.toContain('hunter2')
})

test('stopping closes sockets with 1001, ends their subscriptions and is idempotent', async () => {
  const server = await start()
  const client = createClient({
    url: `${server.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${TOKEN}` },
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => {},
  })
  const closed = new Promise<unknown>((resolve) => client.on('closed', resolve))
  await new Promise<void>((resolve) => client.on('connected', () => resolve()))
  await Promise.all([server.stop(), server.stop()])
  expect(await closed).toMatchObject({ code: 1001 })
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
})

test('a run that is started over HTTP is followed to its end over a WebSocket, line by line', async () => {
  const { url } = await start()
  const created = JSON.stringify(
    await ask(
      url,
      `mutation { createDefinition(input: {slug: "short", title: "Short", spec: {schedule: {manual: true},
        phases: [{key: "only", steps: [{actionId: "core.log", params: {message: "hello"}}]}]}})
        { ... on CreateDefinitionPayload { definition { id } } } }`,
    ),
  )
  const [definitionId] = /def_[0-9a-f-]+/.exec(created) ?? []
  await ask(url, `mutation { publishDefinition(input: {id: "${definitionId}"}) { __typename } }`)
  const started = await ask(
    url,
    `mutation { startRun(input: {definitionId: "${definitionId}"}) { ... on StartRunPayload { run { id } } } }`,
  )
  const [runId] = /run_[0-9a-f-]+/.exec(JSON.stringify(started)) ?? []

  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${TOKEN}` },
  })
  onTestFinished(() => void client.dispose())
  const entries: { line: number; kind: string; text: string }[] = []
  const batches = client.iterate<{ runLog: { entries: typeof entries } }>({
    query: `subscription { runLog(runId: "${runId}") { entries { line kind text } } }`,
  })
  for await (const { data, errors } of batches) {
    expect(errors).toBeUndefined()
    entries.push(...(data?.runLog.entries ?? []))
  }
  expect(entries.map(({ line }) => line)).toEqual(entries.map((_, index) => index + 1))
  expect(entries[0]).toMatchObject({ kind: 'run.created' })
  expect(entries).toContainEqual(expect.objectContaining({ kind: 'step.message', text: 'hello' }))
  expect(await ask(url, `{ run(id: "${runId}") { status } }`)).toEqual({ data: { run: { status: 'COMPLETED' } } })
})

test('secrets that an action lets slip are struck out of what is stored of its run', async () => {
  const targets = [
    { name: 'news', kind: 'DISCORD', url: SECRETS.channel },
    { name: 'world', kind: 'GENERIC', url: 'https://world.example/hook', secret: SECRETS.signature },
  ]
  const { url } = await start(
    configOf({ CUELIGHT_MODULES: 'test/server/indiscreet-world.ts', CUELIGHT_TARGETS: JSON.stringify(targets) }),
  )
  const found = async (query: string) => JSON.stringify(await ask(url, query))
  const created = await found(
    `mutation { createDefinition(input: {slug: "slip", title: "Slip", spec: {schedule: {manual: true},
      phases: [{key: "one", steps: [{actionId: "indiscreet.fail"}]}]}})
      { ... on CreateDefinitionPayload { definition { id } } } }`,
  )
  const [definition] = /def_[0-9a-f-]+/.exec(created) ?? []
  await ask(url, `mutation { publishDefinition(input: {id: "${definition}"}) { __typename } }`)
  const started = await found(
    `mutation { startRun(input: {definitionId: "${definition}"}) { ... on StartRunPayload { run { id } } } }`,
  )
  const [run] = /run_[0-9a-f-]+/.exec(started) ?? []
  const query = `{ run(id: "${run}") { status lastError steps { lastError } log { edges { node { kind text detail } } } } }`
  const stored = await eventually(async () => {
    const now = await found(query)
    expect(now).toContain('"status":"PAUSED"')
    return now
  })
  const clean =
    '401 from [redacted] ([redacted]), signed with [redacted], as Bearer [redacted] at https://me:[redacted]@db.example'
  expect(stored).toContain(`"lastError":"${clean}"`)
  expect(stored).toContain(`The ring bearer Galadriel knows: ${clean}`)
  for (const secret of [...Object.values(SECRETS), 'secret-path', 'my-password', SECRETS.signature.slice(6)]) {
    expect(stored).not.toContain(secret)
  }
})
