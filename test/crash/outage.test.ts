import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from 'graphql-ws'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { formatId } from '../../src/domain/ids.ts'
import { OUTAGE } from '../fuzz/effort.ts'
import { randomFrom } from '../model/histories.ts'
import { OwnPostgres } from '../support/own-postgres.ts'
import { Crew } from './crew.ts'
import { ledgerVerdict } from './ledger-verdict.ts'
import { ServerProcess, TOKEN } from './server-process.ts'
import { verdict } from './verdict.ts'
import { gatherEvidence, setUpWitness } from './witness.ts'
import { World } from './world.ts'

const MAX_ATTEMPTS = 4
/** Runs under way when the weather turns. */
const RUNS = 12
/** How long anything may take that has to happen, on a machine that is busy with something else. */
const WIDE_MS = 60_000
const FINISH_MS = 180_000

async function readyz(server: ServerProcess): Promise<{ status: number; reasons: string }> {
  const response = await fetch(`${server.url}/readyz`)
  const { reasons } = (await response.json()) as { reasons: string[] }
  return { status: response.status, reasons: reasons.join(' ') }
}

/** What was told of a run over a socket that may not break; `all` resolves when the subscription ends by itself. */
type Followed = { runId: string; lines: number[]; all: Promise<void> }

/** Follows a run, once the first of its lines have come: a subscription that never began may fail. */
async function follow(server: ServerProcess, runId: string): Promise<Followed> {
  const client = createClient({
    url: `${server.url?.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { authorization: `Bearer ${TOKEN}` },
  })
  onTestFinished(() => void client.dispose())
  const batches = client.iterate<{ runLog: { entries: { line: number }[] } }>({
    query: 'subscription ($id: ID!) { runLog(runId: $id) { entries { line } } }',
    variables: { id: formatId('Run', runId) },
  })
  const lines: number[] = []
  const next = async (): Promise<boolean> => {
    const { value, done } = await batches.next()
    if (value?.errors !== undefined) throw new Error(JSON.stringify(value.errors))
    lines.push(...(value?.data?.runLog.entries ?? []).map(({ line }: { line: number }) => line))
    return done !== true
  }
  await next()
  const rest = async () => {
    while (await next());
  }
  const all = rest()
  all.catch(() => {})
  return { runId, lines, all }
}

type Weather = { begin(postgres: OwnPostgres): Promise<void> | void; end(postgres: OwnPostgres): Promise<void> | void }
const STOPPED: Weather = { begin: (postgres) => postgres.stop('SIGQUIT'), end: (postgres) => postgres.start() }
const FROZEN: Weather = { begin: (postgres) => postgres.freeze(), end: (postgres) => postgres.thaw() }

test.each([
  ['stopped', STOPPED],
  ['frozen', FROZEN],
])(
  `PostgreSQL is %s for ${OUTAGE.seconds} s under load: servers stay up and say so, go on by themselves, and nothing is lost or done twice (seed ${OUTAGE.seed})`,
  { timeout: 120_000 + FINISH_MS + 3 * OUTAGE.seconds * 1000 },
  async (_what, { begin, end }) => {
    const random = randomFrom(OUTAGE.seed)
    const postgres = await OwnPostgres.open()
    const world = await World.open(postgres.url, random)
    onTestFinished(() => world.close())
    const env = {
      DATABASE_URL: postgres.url,
      WORLD_URL: world.url,
      CUELIGHT_STEP_MAX_ATTEMPTS: String(MAX_ATTEMPTS),
    }
    const servers = [new ServerProcess(env), new ServerProcess(env)]
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.kill()))))
    await Promise.all(servers.map((server) => server.listening()))
    await setUpWitness(postgres.url)
    const [one, other] = servers
    if (one === undefined || other === undefined) throw new Error('Two servers were started.')

    const crew = new Crew(() => one.url, random)
    await crew.publishAll()
    const over = new AbortController()
    onTestFinished(() => over.abort())
    await Promise.all(Array.from({ length: RUNS }, () => crew.start()))
    const followed = await Promise.all(
      crew.starts.map(({ runId }, index) => follow(index % 2 === 0 ? one : other, runId ?? '')),
    )
    const working = crew.work(over.signal)
    working.catch(() => {})
    await Promise.race([world.called(20), working])

    await begin(postgres)
    const began = Date.now()
    const callsBefore = world.heard
    await expect
      .poll(() => readyz(one), { timeout: WIDE_MS })
      .toEqual({ status: 503, reasons: expect.stringContaining('database: ') })
    expect((await fetch(`${one.url}/healthz`)).status).toBe(200)
    await delay(Math.max(0, OUTAGE.seconds * 1000 - (Date.now() - began)))
    await end(postgres)

    await expect.poll(() => readyz(one), { timeout: WIDE_MS }).toEqual({ status: 200, reasons: '' })
    await expect.poll(() => readyz(other), { timeout: WIDE_MS }).toEqual({ status: 200, reasons: '' })
    await Promise.race([world.called(callsBefore + 20), working])
    crew.mischief = false
    world.stubborn = false
    const until = Date.now() + FINISH_MS
    while ((await crew.look()) !== 0 && Date.now() < until) await Promise.race([delay(100), working])
    over.abort()
    await working
    while ((await crew.look()) !== 0 && Date.now() < until) await delay(100)
    expect(await crew.look(), `runs that had not ended ${FINISH_MS / 1000} s after the weather`).toBe(0)

    expect(servers.map(({ exited }) => exited)).toEqual([false, false])
    const evidence = await gatherEvidence(postgres.url)
    for (const { runId, lines, all } of followed) {
      await all
      expect(lines, `what was told of run ${runId}`).toEqual(lines.map((_, index) => index + 1))
      const ended = evidence.lines.find(
        (line) => line.runId === runId && ['COMPLETED', 'FAILED', 'CANCELLED'].includes(String(line.detail.to)),
      )
      expect(lines, `what was told of run ${runId}`).toContain(ended?.line)
    }
    await Promise.all(servers.map((server) => server.stop()))
    const { calls, reverts, standing } = world
    const { starts, orders } = crew
    expect(verdict(evidence, { calls, starts, orders, maxAttempts: MAX_ATTEMPTS })).toEqual([])
    expect(ledgerVerdict(evidence, { reverts, standing, maxAttempts: MAX_ATTEMPTS })).toEqual([])
    console.log(
      `${OUTAGE.seconds} s, ${evidence.runs.length} runs, ${calls.length} calls of ${evidence.steps.length} steps, ` +
        `${orders.filter(({ acknowledged }) => acknowledged).length} of ${orders.length} orders acknowledged`,
    )
  },
)
