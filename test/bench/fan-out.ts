import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { formatId } from '../../src/domain/ids.ts'
import { openDatabase } from '../../src/store/database.ts'
import { mintId } from '../../src/store/ids.ts'
import { publish } from './cuelight.ts'

/** So many readers of one log that gets so many lines in all, at that rate. */
type Load = { readers: number; linesPerSecond: number; lines: number }
const BUSY: Load = { readers: 1_000, linesPerSecond: 1_000, lines: 21_000 }
/** As many connections as a process takes. */
const CROWD: Load = { readers: 10_000, linesPerSecond: 5, lines: 100 }
const TEXT =
  'GET https://api.example.test/v1/orders?page=17 -> 200 in 143 ms; 25 rows merged into staging.orders (attempt 1)'
const QUERY =
  'subscription ($runId: ID!, $after: Int!) { runLog(runId: $runId, after: $after) { cursor entries { line text } } }'
/** Fewer than its pub/sub keeps for a reader, so that none is lost. */
const YOGA_LINES = 500

/**
 * What a server of a log took, and what its readers waited: for a line from its commit, or from when a bare broadcast sent
 * it, which no wait can be shorter than, in milliseconds; CPU as a share of one core; and memory: what the process grew by
 * for each reader until all had subscribed, in KiB, and what it held when all was sent, in MiB.
 */
export type Reached = { p50Ms: number; p99Ms: number; cpuShare: number; kibPerReader: number; residentMiB: number }

/** The log of a load to its readers, and a bare broadcast of frames as large as those to as many. */
export type Spread = {
  readers: number
  linesPerSecond: number
  linesPerFrame: number
  ours: Reached
  broadcast: Reached
  /** CPU for each frame that was sent, to that of the broadcast. */
  cpuRatio: number
}

/**
 * One log at 1,000 lines/s to 1,000 sockets, after its first second; and how many lines/s graphql-yoga's own pub/sub with
 * graphql-ws gets to as many readers at most, as a ratio of ours to that.
 */
export type FanOut = Spread & {
  firstSecondP99Ms: number
  yogaLinesPerSecond: number
  yogaRatio: number
}

export async function measureFanOut(url: string): Promise<FanOut> {
  const { spread, ours } = await besideBroadcast(url, BUSY)
  const yogaLinesPerSecond = await yoga()
  return {
    ...spread,
    firstSecondP99Ms: latenessOf(ours.waits.filter((_, index) => isFirst(ours, index))).p99Ms,
    yogaLinesPerSecond: Math.round(yogaLinesPerSecond),
    yogaRatio: Number((spread.linesPerSecond / yogaLinesPerSecond).toFixed(1)),
  }
}

/** As many readers as a process takes, of a log that says something now and then. */
export const measureCrowd = async (url: string): Promise<Spread> => (await besideBroadcast(url, CROWD)).spread

async function besideBroadcast(url: string, load: Load): Promise<{ spread: Spread; ours: Measured }> {
  const ours = await cuelight(url, load)
  const linesPerFrame = (load.readers * load.lines) / ours.received.messages
  const bare = await broadcast(url, { load, perFrame: Math.max(1, Math.round(linesPerFrame)) })
  const cpuOfFrame = ({ cpuSeconds, received }: Measured) => cpuSeconds / received.messages
  const spread = {
    readers: load.readers,
    linesPerSecond: Number((load.lines / ours.seconds).toFixed(load.linesPerSecond < 10 ? 1 : 0)),
    linesPerFrame: Number(linesPerFrame.toFixed(1)),
    ours: reached(ours),
    broadcast: reached(bare),
    cpuRatio: Number((cpuOfFrame(ours) / cpuOfFrame(bare)).toFixed(2)),
  }
  return { spread, ours }
}

function reached(measured: Measured): Reached {
  const { load, cpuSeconds, seconds, memory } = measured
  return {
    ...latenessOf(warm(measured)),
    cpuShare: Number((cpuSeconds / seconds).toFixed(2)),
    kibPerReader: Number(((memory.subscribed - memory.alone) / load.readers / 1024).toFixed(1)),
    residentMiB: Math.round(memory.sent / 2 ** 20),
  }
}

/** The 99th percentile of what that many readers wait for a line of such a log after the first second, in milliseconds. */
export async function measureWaits(url: string, readers: number): Promise<{ p99Ms: number }> {
  const ours = await cuelight(url, { ...BUSY, readers })
  return { p99Ms: latenessOf(warm(ours)).p99Ms }
}

/** Whether a line came in the first second, in which code is compiled: the waits for those are told for themselves. */
const isFirst = ({ load, received }: Measured, index: number) => (received.lines[index] ?? 0) <= load.linesPerSecond

const warm = (measured: Measured) => measured.waits.filter((_, index) => !isFirst(measured, index))

/** Of waits in microseconds, in milliseconds. */
function latenessOf(waits: number[]): { p50Ms: number; p99Ms: number } {
  const sorted = [...waits].sort((a, b) => a - b)
  const rank = (share: number) => Number(((sorted[Math.floor(sorted.length * share)] ?? Number.NaN) / 1000).toFixed(1))
  return { p50Ms: rank(0.5), p99Ms: rank(0.99) }
}

/** What the server is told: that lines of a run were committed; to send lines itself; what to answer. */
type Order =
  | { kind: 'committed'; runId: string; line: number }
  | { kind: 'send'; text: string; lines: number; everyMs: number; perFrame: number }
  | { kind: 'subscribers' }
  | { kind: 'cpu' }
  | { kind: 'memory' }

/**
 * What came: messages and bytes over all readers, and of some of them which line came when (microseconds), and when it was
 * sent, of those whose server says so.
 */
type Received = { messages: number; bytes: number; lines: number[]; at: number[]; sentAt: number[]; gaps: number }

/** `waits`: in microseconds. `memory`: of its process, in bytes, before anybody subscribed, when all had, and at the end. */
type Measured = {
  load: Load
  received: Received
  waits: number[]
  cpuSeconds: number
  seconds: number
  memory: { alone: number; subscribed: number; sent: number }
}

async function cuelight(url: string, load: Load): Promise<Measured> {
  const runId = await insertRun(url)
  const variables = { runId: formatId('Run', runId), after: 0 }
  let commits: number[] = []
  const measured = await measure({ variant: 'cuelight', url, load, query: QUERY, variables }, async (server) => {
    commits = await writeLines(url, {
      runId,
      load,
      onCommitted: (line) => server.send({ kind: 'committed', runId, line } satisfies Order),
    })
  })
  const { received } = measured
  if (received.gaps > 0) throw new Error(`${received.gaps} lines came out of their order.`)
  return {
    ...measured,
    waits: received.lines.map((line, index) => (received.at[index] ?? 0) - (commits[line - 1] ?? 0)),
  }
}

/** While as many lines are written as for Cuelight, so that the machine has as much else to do. */
async function broadcast(url: string, { load, perFrame }: { load: Load; perFrame: number }): Promise<Measured> {
  const runId = await insertRun(url)
  const { lines, linesPerSecond } = load
  const everyMs = (perFrame * 1000) / linesPerSecond
  const measured = await measure({ variant: 'broadcast', load, query: QUERY, variables: {} }, async (server) => {
    server.send({ kind: 'send', text: TEXT, lines, everyMs, perFrame } satisfies Order)
    await writeLines(url, { runId, load, onCommitted: () => {} })
  })
  const { at, sentAt } = measured.received
  return { ...measured, waits: at.map((came, index) => came - (sentAt[index] ?? 0)) }
}

/** Writes the log at its pace, each time the lines that are due. When each line was committed, in microseconds. */
async function writeLines(
  url: string,
  {
    runId,
    load: { lines, linesPerSecond },
    onCommitted,
  }: { runId: string; load: Load; onCommitted: (line: number) => void },
): Promise<number[]> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  try {
    const commits: number[] = []
    const began = performance.now()
    while (commits.length < lines) {
      const due = Math.min(Math.floor(((performance.now() - began) * linesPerSecond) / 1000), lines)
      const count = Math.min(due - commits.length, 50)
      if (count > 0) {
        await session.query(WRITE, [runId, count, TEXT])
        const at = microseconds()
        for (let line = 0; line < count; line++) commits.push(at)
        onCommitted(commits.length)
      }
      await delay(2)
    }
    return commits
  } finally {
    await session.end()
  }
}

/** In one commit. */
const WRITE = `WITH taken AS (UPDATE runs SET last_line = last_line + $2::int WHERE id = $1::uuid RETURNING last_line - $2::int AS first)
  INSERT INTO run_log (run_id, line, at, kind, actor_kind, actor_name, detail, text)
  SELECT $1::uuid, first + n, now(), 'step.message', 'SYSTEM', 'Cuelight', '{}', $3
  FROM taken, generate_series(1, $2::int) n`

async function yoga(): Promise<number> {
  const load = { ...BUSY, lines: YOGA_LINES }
  const query = 'subscription ($runId: ID!) { runLog(runId: $runId) { line text } }'
  const { seconds } = await measure({ variant: 'yoga', load, query, variables: { runId: 'run' } }, async (server) => {
    server.send({ kind: 'send', text: TEXT, lines: YOGA_LINES, everyMs: 0, perFrame: 1 } satisfies Order)
  })
  return YOGA_LINES / seconds
}

type Scene = { variant: string; url?: string; load: Load; query: string; variables: object }

/** A server and its readers, from the first line until all of them have the last. */
async function measure(
  { variant, url = '', load, query, variables }: Scene,
  send: (server: ChildProcess) => Promise<void>,
): Promise<Omit<Measured, 'waits'>> {
  const server = await startServer(variant, url)
  const alone = await ask(server, { kind: 'memory' })
  const readers = await startReaders(server, { readers: load.readers, query, variables })
  try {
    const subscribed = await ask(server, { kind: 'memory' })
    readers.send(load.lines)
    await delay(500)
    const cpuBefore = await ask(server, { kind: 'cpu' })
    const began = performance.now()
    const all = once(readers, 'message').then(([message]: Received[]) => message)
    await send(server)
    const received = await all
    const seconds = (performance.now() - began) / 1000
    if (received === undefined) throw new Error('The readers ended before they had everything.')
    const cpuSeconds = ((await ask(server, { kind: 'cpu' })) - cpuBefore) / 1e6
    const sent = await ask(server, { kind: 'memory' })
    return { load, received, seconds, cpuSeconds, memory: { alone, subscribed, sent } }
  } finally {
    stop(server, readers)
  }
}

const microseconds = () => Number(process.hrtime.bigint() / 1000n)

const start = (script: string, args: string[]): ChildProcess =>
  fork(fileURLToPath(new URL(script, import.meta.url)), args)

const ports = new WeakMap<ChildProcess, number>()

async function startServer(variant: string, url = ''): Promise<ChildProcess> {
  const server = start('fan-out-server.mjs', [variant, url])
  const [port] = await once(server, 'message')
  ports.set(server, Number(port))
  return server
}

async function startReaders(
  server: ChildProcess,
  { readers, query, variables }: { readers: number; query: string; variables: object },
): Promise<ChildProcess> {
  const process = start('fan-out-readers.mjs', [
    String(ports.get(server)),
    String(readers),
    query,
    JSON.stringify(variables),
  ])
  await once(process, 'message')
  while ((await ask(server, { kind: 'subscribers' })) < readers) await delay(50)
  return process
}

async function ask(server: ChildProcess, order: Order): Promise<number> {
  const answer = once(server, 'message')
  server.send(order)
  return Number((await answer)[0])
}

function stop(...children: ChildProcess[]): void {
  for (const child of children) child.kill()
}

async function insertRun(url: string): Promise<string> {
  const db = await openDatabase({ url, poolSize: 1, runnerPoolSize: 1 })
  try {
    const { definitionId, versionId } = await publish(db, 1)
    const [id, at] = [mintId(), new Date()]
    await db.prisma.run.create({
      data: {
        id,
        definitionId,
        versionId,
        source: 'MANUAL',
        status: 'RUNNING',
        timeZone: 'UTC',
        occurrenceKey: at.toISOString(),
        occurrenceAt: at,
        scheduledFor: at,
        graceUntil: at,
        createdAt: at,
        startedByKind: 'TOKEN',
        startedByName: 'bench',
      },
    })
    return id
  } finally {
    await db.close()
  }
}
