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
/** Of these, what comes in the first second, in which code is compiled: their waits are told for themselves. */
const FIRST_LINES = 1_000
/** As many connections as a process takes. */
const CROWD: Load = { readers: 10_000, linesPerSecond: 5, lines: 100 }
const TEXT =
  'GET https://api.example.test/v1/orders?page=17 -> 200 in 143 ms; 25 rows merged into staging.orders (attempt 1)'
const QUERY =
  'subscription ($runId: ID!, $after: Int!) { runLog(runId: $runId, after: $after) { cursor entries { line text } } }'
/** Fewer than its pub/sub keeps for a reader, so that none is lost. */
const YOGA_LINES = 500

/**
 * One log at 1,000 lines/s to 1,000 sockets: milliseconds from a line's commit to its readers; CPU for each frame that
 * was sent, as a ratio to a bare broadcast of frames as large as these, and how long such a frame takes from when it is
 * sent, which no wait can be shorter than; and how many lines/s graphql-yoga's own pub/sub with graphql-ws gets to as
 * many readers at most, as a ratio of ours to that.
 */
export type FanOut = {
  readers: number
  linesPerSecond: number
  p50Ms: number
  p99Ms: number
  within20Ms: number
  firstSecondP99Ms: number
  cpuShare: number
  broadcastP99Ms: number
  broadcastCpuShare: number
  cpuRatio: number
  linesPerFrame: number
  yogaLinesPerSecond: number
  yogaRatio: number
}

export async function measureFanOut(url: string): Promise<FanOut> {
  const ours = await cuelight(url, BUSY)
  const perFrame = Math.max(1, Math.round(linesPerFrame(ours, BUSY)))
  const bare = await broadcast(url, perFrame)
  const yogaLinesPerSecond = await yoga()
  const { seconds, received, cpuSeconds } = ours
  const linesPerSecond = Math.round(BUSY.lines / seconds)
  const ratio = cpuSeconds / received.messages / (bare.cpuSeconds / bare.received.messages)
  return {
    readers: BUSY.readers,
    linesPerSecond,
    ...latenessOf(warm(ours, ours.waits)),
    firstSecondP99Ms: latenessOf(ours.waits.filter((_, index) => isFirst(ours, index))).p99Ms,
    cpuShare: Number((cpuSeconds / seconds).toFixed(2)),
    broadcastP99Ms: latenessOf(
      warm(
        bare,
        bare.received.at.map((at, index) => at - (bare.received.sentAt[index] ?? 0)),
      ),
    ).p99Ms,
    broadcastCpuShare: Number((bare.cpuSeconds / bare.seconds).toFixed(2)),
    cpuRatio: Number(ratio.toFixed(2)),
    linesPerFrame: Number(linesPerFrame(ours, BUSY).toFixed(1)),
    yogaLinesPerSecond: Math.round(yogaLinesPerSecond),
    yogaRatio: Number((linesPerSecond / yogaLinesPerSecond).toFixed(1)),
  }
}

/**
 * As many readers as a process takes: milliseconds from a line's commit to its readers, CPU, and memory: what the process
 * grew by for each reader until all had subscribed, in KiB, and what it held when all was sent, in MiB.
 */
export type Crowd = {
  readers: number
  linesPerSecond: number
  p50Ms: number
  p99Ms: number
  within20Ms: number
  cpuShare: number
  kibPerReader: number
  residentMiB: number
}

export async function measureCrowd(url: string): Promise<Crowd> {
  const { readers } = CROWD
  const { waits, seconds, cpuSeconds, memory } = await cuelight(url, CROWD)
  return {
    readers,
    linesPerSecond: Number((CROWD.lines / seconds).toFixed(1)),
    ...latenessOf(waits),
    cpuShare: Number((cpuSeconds / seconds).toFixed(2)),
    kibPerReader: Number(((memory.subscribed - memory.alone) / readers / 1024).toFixed(1)),
    residentMiB: Math.round(memory.sent / 2 ** 20),
  }
}

/** The 99th percentile of what that many readers wait for a line of such a log after the first second, in milliseconds. */
export async function measureWaits(url: string, readers: number): Promise<{ p99Ms: number }> {
  const ours = await cuelight(url, { ...BUSY, readers })
  return { p99Ms: latenessOf(warm(ours, ours.waits)).p99Ms }
}

const isFirst = ({ received }: Measured, index: number) => (received.lines[index] ?? 0) <= FIRST_LINES

/** Of what was noted for each line as it came, that of the lines after the first second. */
const warm = (measured: Measured, each: number[]) => each.filter((_, index) => !isFirst(measured, index))

/** Of waits in microseconds, in milliseconds. */
function latenessOf(waits: number[]): { p50Ms: number; p99Ms: number; within20Ms: number } {
  const sorted = [...waits].sort((a, b) => a - b)
  const rank = (share: number) => Number(((sorted[Math.floor(sorted.length * share)] ?? Number.NaN) / 1000).toFixed(1))
  const within20Ms = Number((sorted.filter((wait) => wait <= 20_000).length / sorted.length).toFixed(4))
  return { p50Ms: rank(0.5), p99Ms: rank(0.99), within20Ms }
}

const linesPerFrame = ({ received }: Measured, { readers, lines }: Load) => (readers * lines) / received.messages

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

type Measured = { received: Received; cpuSeconds: number; seconds: number }

/** `memory`: of its process, in bytes, before anybody subscribed, when all had, and when all was sent. */
type Ours = Measured & { waits: number[]; memory: { alone: number; subscribed: number; sent: number } }

async function cuelight(url: string, load: Load): Promise<Ours> {
  const runId = await insertRun(url)
  const server = await startServer('cuelight', url)
  const variables = { runId: formatId('Run', runId), after: 0 }
  const alone = await ask(server, { kind: 'memory' })
  const readers = await startReaders(server, { readers: load.readers, query: QUERY, variables })
  try {
    const subscribed = await ask(server, { kind: 'memory' })
    let commits: number[] = []
    const measured = await measure({ server, readers, lines: load.lines }, async () => {
      commits = await writeLines(url, {
        runId,
        load,
        onCommitted: (line) => server.send({ kind: 'committed', runId, line } satisfies Order),
      })
    })
    const { received } = measured
    if (received.gaps > 0) throw new Error(`${received.gaps} lines came out of their order.`)
    const waits = received.lines.map((line, index) => (received.at[index] ?? 0) - (commits[line - 1] ?? 0))
    return { ...measured, waits, memory: { alone, subscribed, sent: await ask(server, { kind: 'memory' }) } }
  } finally {
    stop(server, readers)
  }
}

/** While as many lines are written as for Cuelight, so that the machine has as much else to do. */
async function broadcast(url: string, perFrame: number): Promise<Measured> {
  const { lines, linesPerSecond } = BUSY
  const runId = await insertRun(url)
  const server = await startServer('broadcast')
  const readers = await startReaders(server, { readers: BUSY.readers, query: QUERY, variables: {} })
  try {
    const everyMs = (perFrame * 1000) / linesPerSecond
    return await measure({ server, readers, lines }, async () => {
      server.send({ kind: 'send', text: TEXT, lines, everyMs, perFrame } satisfies Order)
      await writeLines(url, { runId, load: BUSY, onCommitted: () => {} })
    })
  } finally {
    stop(server, readers)
  }
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
  const server = await startServer('yoga')
  const query = 'subscription ($runId: ID!) { runLog(runId: $runId) { line text } }'
  const readers = await startReaders(server, { readers: BUSY.readers, query, variables: { runId: 'run' } })
  try {
    const { seconds } = await measure({ server, readers, lines: YOGA_LINES }, async () => {
      server.send({ kind: 'send', text: TEXT, lines: YOGA_LINES, everyMs: 0, perFrame: 1 } satisfies Order)
    })
    return YOGA_LINES / seconds
  } finally {
    stop(server, readers)
  }
}

/** From the first line until all readers have the last. */
async function measure(
  { server, readers, lines }: { server: ChildProcess; readers: ChildProcess; lines: number },
  send: () => Promise<void>,
): Promise<Measured> {
  readers.send(lines)
  await delay(500)
  const cpuBefore = await ask(server, { kind: 'cpu' })
  const began = performance.now()
  const received = once(readers, 'message').then(([message]: Received[]) => message)
  await send()
  const all = await received
  const seconds = (performance.now() - began) / 1000
  if (all === undefined) throw new Error('The readers ended before they had everything.')
  return { received: all, seconds, cpuSeconds: ((await ask(server, { kind: 'cpu' })) - cpuBefore) / 1e6 }
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
