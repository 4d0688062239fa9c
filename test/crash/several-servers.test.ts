import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { createClient } from 'graphql-ws'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createTestDatabase } from '../support/database.ts'
import { askUntilAnswered } from './api.ts'
import { act, publish } from './events.ts'
import { ServerProcess, TOKEN } from './server-process.ts'
import { World } from './world.ts'

// Several servers start in each.
vi.setConfig({ testTimeout: 90_000 })

async function newDatabase(): Promise<string> {
  const { url, db, drop } = await createTestDatabase()
  // Its own connections were opened before a test changes how sessions begin.
  await db.close()
  onTestFinished(drop)
  return url
}

async function newWorld(url: string): Promise<World> {
  const world = await World.open(url)
  onTestFinished(() => world.close())
  return world
}

async function serverWith(env: Record<string, string>): Promise<ServerProcess> {
  const server = new ServerProcess(env)
  onTestFinished(() => server.kill())
  await server.listening()
  return server
}

async function start(server: ServerProcess, definitionId: string): Promise<string> {
  const { startRun } = await askUntilAnswered(
    () => server.url,
    'mutation ($id: ID!) { startRun(input: {definitionId: $id}) { ... on StartRunPayload { run { id } } } }',
    { id: definitionId },
  )
  return (startRun as { run: { id: string } }).run.id
}

const publishAt = (server: ServerProcess, slug: string, steps: object[]) =>
  publish(() => server.url, { slug, phases: [{ key: 'one', steps }] })

/** The lines of a run as a server tells them live, until the run is over. */
async function follow(server: ServerProcess, runId: string): Promise<number[]> {
  const client = createClient({
    url: `${server.url?.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${TOKEN}` },
  })
  onTestFinished(() => void client.dispose())
  const lines: number[] = []
  const events = client.iterate<{ runLog: { entries: { line: number }[] } }>({
    query: 'subscription ($id: ID!) { runLog(runId: $id) { entries { line } } }',
    variables: { id: runId },
  })
  for await (const { data } of events) lines.push(...(data?.runLog.entries ?? []).map(({ line }) => line))
  return lines
}

/** From now on what new sessions notify goes nowhere. */
async function unplug(url: string): Promise<void> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  try {
    await session.query('CREATE SCHEMA unplugged')
    await session.query(
      "CREATE FUNCTION unplugged.pg_notify(text, text) RETURNS void LANGUAGE sql AS 'SELECT NULL::void'",
    )
    await session.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, unplugged, pg_catalog', current_database()); END $$`,
    )
  } finally {
    await session.end()
  }
}

/** Whether anything was notified while `what` went on. */
async function isAnythingHeard(url: string, what: () => Promise<unknown>): Promise<boolean> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  try {
    let heard = false
    session.on('notification', () => {
      heard = true
    })
    await session.query('LISTEN cuelight')
    await what()
    // One's own statement comes after all that was committed before it.
    await session.query('SELECT 1')
    return heard
  } finally {
    await session.end()
  }
}

test('a runner that sleeps for a minute is woken at once by what another server was told', async () => {
  const databaseUrl = await newDatabase()
  const world = await newWorld(databaseUrl)
  const env = {
    DATABASE_URL: databaseUrl,
    WORLD_URL: world.url,
    CUELIGHT_POLL_MS: '60000',
    CUELIGHT_LEASE_MS: '600000',
    CUELIGHT_MAX_DISPATCHES: '1',
  }
  const full = await serverWith(env)
  const [hanging, short] = [
    await publishAt(full, 'hanging', [act('hang')]),
    await publishAt(full, 'short', [act('done')]),
  ]
  await start(full, hanging)
  await world.called(1)
  const free = await serverWith(env)
  for (let run = 1; run <= 3; run += 1) {
    const runId = await start(full, short)
    const startedAt = Date.now()
    await world.called(1 + run)
    expect(Date.now() - startedAt).toBeLessThan(20_000)
    const lines = await follow(free, runId)
    expect(lines).toEqual(lines.map((_, index) => index + 1))
  }
})

test.each([
  ['with notifications', true],
  ['with notifications unplugged', false],
])('a run that is started at one server and worked by either is followed at the other, %s', async (_what, plugged) => {
  const databaseUrl = await newDatabase()
  if (!plugged) await unplug(databaseUrl)
  const world = await newWorld(databaseUrl)
  const env = { DATABASE_URL: databaseUrl, WORLD_URL: world.url }
  const [one, other] = [await serverWith(env), await serverWith(env)]
  const heard = await isAnythingHeard(databaseUrl, async () => {
    const definitionId = await publishAt(one, 'show', [act('slow'), act('done'), act('flaky'), act('slow')])
    const runIds = [await start(one, definitionId), await start(other, definitionId)]
    const [first = [], second = []] = await Promise.all([follow(other, runIds[0] ?? ''), follow(one, runIds[1] ?? '')])
    for (const lines of [first, second]) {
      expect(lines.length).toBeGreaterThan(8)
      expect(lines).toEqual(lines.map((_, index) => index + 1))
    }
  })
  expect(heard).toBe(plugged)
})

test('every server is listed while it lives; one that stops is off the list, and one that died is not seen any more', async () => {
  const databaseUrl = await newDatabase()
  const env = { DATABASE_URL: databaseUrl, WORLD_URL: 'http://127.0.0.1:1/' }
  const [asked, stopped, killed] = await Promise.all([serverWith(env), serverWith(env), serverWith(env)])
  type Instance = { pid: number; lastSeenAt: string }
  const list = async (): Promise<Instance[]> => {
    const { runner } = await askUntilAnswered(() => asked.url, '{ runner { instances { pid lastSeenAt } } }')
    return (runner as { instances: Instance[] }).instances
  }
  const pids = async () => (await list()).map(({ pid }) => pid).sort()
  const sorted = (...servers: ServerProcess[]) => servers.map(({ pid }) => pid).sort()
  await expect.poll(pids, { timeout: 20_000 }).toEqual(sorted(asked, stopped, killed))
  await killed.kill()
  await stopped.stop()
  expect(await pids()).toEqual(sorted(asked, killed))
  const seen = async (server: ServerProcess) => (await list()).find(({ pid }) => pid === server.pid)?.lastSeenAt ?? ''
  const [before, diedAt] = [await seen(asked), await seen(killed)]
  await expect.poll(() => seen(asked), { timeout: 20_000 }).not.toBe(before)
  expect(await seen(killed)).toBe(diedAt)
})

/** A server on a machine whose clock is off. */
const offBy = (minutes: number, env: Record<string, string>) =>
  serverWith({
    ...env,
    NODE_OPTIONS: `--import=${pathToFileURL('test/crash/shifted-time.mjs').href}`,
    CLOCK_SHIFT_MS: String(minutes * 60_000),
  })

type Started = {
  status: string
  scheduledFor: string
  startedAt: string | null
  log: { edges: { node: { kind: string } }[] }
}

test('servers whose clocks are ten minutes off start runs on the instant, by the database', async () => {
  const databaseUrl = await newDatabase()
  const world = await newWorld(databaseUrl)
  const env = { DATABASE_URL: databaseUrl, WORLD_URL: world.url }
  const session = new pg.Client({ connectionString: databaseUrl })
  await session.connect()
  onTestFinished(() => session.end())
  const databaseNow = async () => {
    const { rows } = await session.query<{ now: Date }>('SELECT clock_timestamp() AS now')
    return rows[0]?.now.getTime() ?? 0
  }
  for (const minutes of [10, -10]) {
    const server = await offBy(minutes, env)
    const definitionId = await publishAt(server, `off-by${minutes}`, [act('done')])
    const scheduledFor = new Date((await databaseNow()) + 2_000)
    const calls = world.calls.length
    const { startRun } = await askUntilAnswered(
      () => server.url,
      `mutation ($id: ID!, $at: DateTime!) { startRun(input: {definitionId: $id, scheduledFor: $at}) {
        ... on StartRunPayload { run { id } } } }`,
      { id: definitionId, at: scheduledFor.toISOString() },
    )
    const { run } = startRun as { run: { id: string } }
    await world.called(calls + 1)
    const calledAt = await databaseNow()
    expect(calledAt).toBeGreaterThanOrEqual(scheduledFor.getTime() - 50)
    // Wide, and far from ten minutes.
    expect(calledAt).toBeLessThan(scheduledFor.getTime() + 30_000)
    const { node } = await askUntilAnswered(
      () => server.url,
      'query ($id: ID!) { node(id: $id) { ... on Run { startedAt } } }',
      {
        id: run.id,
      },
    )
    const startedAt = Date.parse((node as Started).startedAt ?? '')
    expect(startedAt).toBeGreaterThanOrEqual(scheduledFor.getTime())
    expect(startedAt).toBeLessThanOrEqual(calledAt + 50)
    await server.stop()
  }
})

test('of two servers whose clocks are twenty minutes apart neither takes what the other is at', async () => {
  const databaseUrl = await newDatabase()
  const world = await newWorld(databaseUrl)
  const env = { DATABASE_URL: databaseUrl, WORLD_URL: world.url, CUELIGHT_LEASE_MS: '2000' }
  const behind = await offBy(-10, env)
  const hanging = await publishAt(behind, 'hanging', [act('hang'), act('done')])
  const runId = await start(behind, hanging)
  await world.called(1)
  const ahead = await offBy(10, env)
  // It looks for lapsed leases about every second.
  await delay(6_000)
  expect(world.calls).toHaveLength(1)
  world.answer(0, { ok: true })
  const lines = await follow(ahead, runId)
  expect(lines).toEqual(lines.map((_, index) => index + 1))
  expect(world.calls).toHaveLength(2)
  const { node } = await askUntilAnswered(
    () => ahead.url,
    'query ($id: ID!) { node(id: $id) { ... on Run { status log(first: 100) { edges { node { kind } } } } } }',
    { id: runId },
  )
  const { status, log } = node as Started
  expect(status).toBe('COMPLETED')
  expect(log.edges.map(({ node: { kind } }) => kind)).not.toContain('step.reclaimed')

  // One that dies is still taken over from, in its time.
  await start(behind, hanging)
  await world.called(3)
  const killed = world.calls[2]?.stepId
  await Promise.all([behind.kill(), world.called(4)])
  expect(world.calls[3]?.stepId).toBe(killed)
})
