import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { copyDataDir } from '../support/prepared.ts'
import { askUntilAnswered } from './api.ts'
import { act, publish, spawn } from './events.ts'
import { ServerProcess } from './server-process.ts'
import { World } from './world.ts'

const LEASE_MS = 3_000
// Several servers start in each.
vi.setConfig({ testTimeout: 90_000 })

const { url: databaseUrl } = await testDatabase()

function serverWith(env: Record<string, string>): ServerProcess {
  const server = new ServerProcess({ CUELIGHT_LEASE_MS: String(LEASE_MS), ...env })
  onTestFinished(() => server.kill())
  return server
}

async function worldOf(url: string | null): Promise<World> {
  const world = await World.open(url)
  onTestFinished(() => world.close())
  return world
}

let events = 0

const HANGING = [act('hang', 'PAUSE'), act('done')]

/** Starts a run whose first step hangs until the world is told what to answer; or that does what it is told. */
async function startHanging(server: ServerProcess, steps: object[] = HANGING): Promise<string> {
  await server.listening()
  const where = () => server.url
  events += 1
  const phases = [{ key: 'one', steps }]
  const definitionId = await publish(where, { slug: `hanging-${events}`, phases })
  const { startRun } = await askUntilAnswered(
    where,
    'mutation ($id: ID!) { startRun(input: {definitionId: $id}) { ... on StartRunPayload { run { id } } } }',
    { id: definitionId },
  )
  return (startRun as { run: { id: string } }).run.id
}

type RunSeen = {
  status: string
  health: string
  steps: { status: string; attempts: number }[]
  log: { edges: { node: { kind: string; detail: { to?: string; output?: unknown; previousOwner?: string } } }[] }
}

async function see(server: ServerProcess, id: string): Promise<RunSeen> {
  const { node } = await askUntilAnswered(
    () => server.url,
    `query ($id: ID!) { node(id: $id) { ... on Run { status health steps { status attempts }
      log(first: 100) { edges { node { kind detail } } } } } }`,
    { id },
  )
  return node as RunSeen
}

/** The run, once that is so. */
async function seeOnce(server: ServerProcess, id: string, so: (run: RunSeen) => boolean): Promise<RunSeen> {
  for (;;) {
    const run = await see(server, id)
    if (so(run)) return run
    await delay(20)
  }
}

const kinds = (run: RunSeen) => run.log.edges.map(({ node }) => node.kind)
const isCompleted = (run: RunSeen) => run.status === 'COMPLETED'
const hasLine = (kind: string) => (run: RunSeen) => kinds(run).includes(kind)

test('what a frozen process did goes on elsewhere within 1.5 leases, and its late answer changes nothing', async () => {
  const world = await worldOf(databaseUrl)
  const env = { DATABASE_URL: databaseUrl, WORLD_URL: world.url }
  const first = serverWith(env)
  const runId = await startHanging(first)
  await world.called(1)
  const second = serverWith(env)
  await second.listening()
  // The second one looks on for as long as the first one renews its lease.
  await delay(LEASE_MS + 500)
  expect(world.calls).toHaveLength(1)

  const frozenAt = Date.now()
  first.freeze()
  await world.called(2)
  expect(Date.now() - frozenAt).toBeLessThan(1.5 * LEASE_MS)

  world.answer(0, { ok: false, retry: false, error: 'too late to matter' })
  first.thaw()
  const meanwhile = await seeOnce(second, runId, hasLine('step.late'))
  expect(meanwhile).toMatchObject({ status: 'RUNNING', steps: [{ status: 'RUNNING', attempts: 2 }, { attempts: 0 }] })

  world.answer(1, { ok: true, output: { by: 'the second' } })
  const run = await seeOnce(second, runId, isCompleted)
  expect(run.steps).toEqual([
    { status: 'DONE', attempts: 2 },
    { status: 'DONE', attempts: 1 },
  ])
  expect(world.calls).toHaveLength(3)
  expect(kinds(run).filter((kind) => kind === 'step.late' || kind === 'step.reclaimed')).toEqual([
    'step.reclaimed',
    'step.late',
  ])
  expect(run.log.edges.find(({ node }) => node.detail.to === 'DONE')?.node.detail.output).toEqual({ by: 'the second' })
})

test('what a killed process did goes on elsewhere within 1.5 leases', async () => {
  const world = await worldOf(databaseUrl)
  const env = { DATABASE_URL: databaseUrl, WORLD_URL: world.url }
  const first = serverWith(env)
  const runId = await startHanging(first)
  await world.called(1)
  const second = serverWith(env)
  await second.listening()
  const killedAt = Date.now()
  await first.kill()
  await world.called(2)
  expect(Date.now() - killedAt).toBeLessThan(1.5 * LEASE_MS)
  world.answer(1, { ok: true })
  const run = await seeOnce(second, runId, isCompleted)
  expect(kinds(run).filter((kind) => kind === 'step.reclaimed')).toHaveLength(1)
})

test('what a killed process was taking back is taken back elsewhere within 1.5 leases, and what it had taken back is not again', async () => {
  const world = await worldOf(databaseUrl)
  world.stubborn = false
  const env = { DATABASE_URL: databaseUrl, WORLD_URL: world.url }
  const first = serverWith(env)
  const runId = await startHanging(first, [spawn('spawn'), spawn('spawn-hard'), spawn('spawn')])
  const [steps, newest, hard] = [3, 2, 1]
  await world.called(steps + newest + hard)
  const second = serverWith(env)
  await second.listening()
  // The second one looks on for as long as the first one renews its lease.
  await delay(LEASE_MS + 500)
  expect(world.reverts).toHaveLength(newest + hard)
  const killedAt = Date.now()
  await first.kill()
  await world.called(steps + newest + 2 * hard)
  expect(Date.now() - killedAt).toBeLessThan(1.5 * LEASE_MS)
  world.answer(steps + newest + hard, { ok: true })
  const run = await seeOnce(second, runId, isCompleted)
  expect(world.reverts.map(({ ofResource, claimNo }) => [ofResource, claimNo])).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
    [2, 2],
    [1, 1],
    [1, 1],
  ])
  expect(kinds(run).slice(-10)).toEqual([
    'run.status',
    'cleanup.status',
    'resource.reverted',
    'resource.reverted',
    'step.reclaimed',
    'resource.reverted',
    'resource.reverted',
    'resource.reverted',
    'cleanup.status',
    'run.status',
  ])
})

test.each([
  ['the PostgreSQL that outlived it is taken over', false],
  ['its PostgreSQL, killed too, is started again', true],
])('after a kill -9 of a server with a database of its own, %s and the run goes on', async (_what, killPostgres) => {
  const world = await worldOf(null)
  const dataDir = await mkdtemp(join(tmpdir(), 'cuelight-crash-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  await copyDataDir(inject('preparedDataDir'), dataDir)
  const pidFile = join(dataDir, 'postgres/data/postmaster.pid')
  const env = { CUELIGHT_DATA_DIR: dataDir, WORLD_URL: world.url }
  const first = serverWith(env)
  const runId = await startHanging(first)
  await world.called(1)
  const postmaster = Number((await readFile(pidFile, 'utf8')).split('\n')[0])
  onTestFinished(() => endIfAlive(postmaster))
  await first.kill()
  if (killPostgres) process.kill(postmaster, 'SIGKILL')

  const second = serverWith(env)
  await second.listening()
  const postmasterNow = Number((await readFile(pidFile, 'utf8')).split('\n')[0])
  onTestFinished(() => endIfAlive(postmasterNow))
  expect(postmasterNow === postmaster).toBe(!killPostgres)
  await world.called(2)
  world.answer(1, { ok: true })
  const run = await seeOnce(second, runId, isCompleted)
  expect(run.steps.map(({ attempts }) => attempts)).toEqual([2, 1])
  await second.stop()
  expect(existsSync(pidFile), 'PostgreSQL was stopped in order').toBe(false)
})

/** For a test that failed in the middle. */
function endIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT')
  } catch {
    // Gone, as it should be.
  }
}
