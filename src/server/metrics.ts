import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Depths, Meter } from '../runner/meter.ts'
import { type Gauges, OPEN_STATUSES } from '../store/gauges.ts'
import { countingMeter } from './counting.ts'
import { within } from './within.ts'

/** What the sockets and event streams of this process hold. */
export type SocketStats = {
  /** Operations that are open. */
  subscribers: number
  /** Written, and not taken by the network yet. */
  unsentBytes: number
}

/** Where a page gets what is not counted as it happens. */
export type MetricsSources = {
  depths(): Depths
  sockets(): SocketStats
  /** Asks the database. */
  gauges(): Promise<Gauges>
  now(): number
}

/** For Prometheus, in its text format. */
export type MetricsPage = { type: string; text: string }

/** How long a page waits for the database before it goes without. */
const DATABASE_MS = 2000
/** A question that was not answered for so long is taken for lost with its connection. */
const LOST_MS = 30_000

/** What one server counts and measures; what the process is like is the same for all that are in it. */
export class Metrics {
  readonly meter: Meter
  readonly #registry = new Registry()
  readonly #gauges: ReturnType<typeof gaugesOf>
  readonly #process: Registry
  #asked: { at: number; answer: Promise<Gauges> } | null = null

  constructor() {
    this.meter = countingMeter(this.#registry)
    this.#gauges = gaugesOf(this.#registry)
    this.#process = processMetrics()
  }

  /** While the database does not answer, what only it knows is left out. */
  async page({ depths, sockets, gauges, now }: MetricsSources): Promise<MetricsPage> {
    const known = await within(DATABASE_MS, this.#ask(gauges))
    this.#set({ known, depths: depths(), sockets: sockets(), now: now() })
    const parts = await Promise.all([this.#registry.metrics(), this.#process.metrics()])
    return { type: this.#registry.contentType, text: parts.join('\n') }
  }

  /** One question at a time, however often anybody asks and however long the database takes. */
  #ask(gauges: () => Promise<Gauges>): Promise<Gauges> {
    const at = performance.now()
    if (this.#asked !== null && at < this.#asked.at + LOST_MS) return this.#asked.answer
    const asked = { at, answer: gauges() }
    this.#asked = asked
    const over = () => {
      if (this.#asked === asked) this.#asked = null
    }
    asked.answer.then(over, over)
    return asked.answer
  }

  #set({ known, depths, sockets, now }: { known: Gauges | null; depths: Depths; sockets: SocketStats; now: number }) {
    const { databaseUp, runs, openCues, queueDepth, oldestDue, subscribers, unsentBytes } = this.#gauges
    databaseUp.set(known === null ? 0 : 1)
    runs.reset()
    queueDepth.reset()
    for (const [queue, depth] of Object.entries(depths)) queueDepth.set({ queue }, depth)
    subscribers.set(sockets.subscribers)
    unsentBytes.set(sockets.unsentBytes)
    if (known === null) {
      openCues.remove()
      oldestDue.remove()
      return
    }
    for (const status of OPEN_STATUSES) runs.set({ status }, known.runs[status])
    queueDepth.set({ queue: 'due_runs' }, known.dueRuns)
    openCues.set(known.openCues)
    oldestDue.set(known.oldestDueAt === null ? 0 : Math.max(now - known.oldestDueAt, 0) / 1000)
  }
}

function gaugesOf(registry: Registry) {
  const gauge = <T extends string = never>(name: string, help: string, labelNames: T[] = []) =>
    new Gauge<T>({ name, help, labelNames, registers: [registry] })
  return {
    databaseUp: gauge('cuelight_database_up', '1: the database answered this page; 0: what only it knows is left out.'),
    runs: gauge(
      'cuelight_runs',
      'Runs in the database that are not over, by status; the same from every process. Those that are over are not counted, there may be millions: see cuelight_runs_ended_total.',
      ['status'],
    ),
    openCues: gauge('cuelight_open_cues', 'Cues in the database that wait for a person; the same from every process.'),
    queueDepth: gauge(
      'cuelight_queue_depth',
      'How much waits or is under way. due_runs: in the database, due and taken up by no process. In this process: working (runs and ledgers worked on), dispatches and reverts (actions being called for steps, and to take back), transitions (changes that wait for a statement).',
      ['queue'],
    ),
    oldestDue: gauge(
      'cuelight_oldest_due_run_age_seconds',
      'Seconds for which the first of the due_runs has been due; 0 where there is none.',
    ),
    subscribers: gauge(
      'cuelight_subscribers',
      'Operations open over the sockets of this process, and its event streams.',
    ),
    unsentBytes: gauge(
      'cuelight_socket_unsent_bytes',
      'Bytes that this process has written to sockets and event streams and that the network has not taken yet.',
    ),
  }
}

let ofProcess: Registry | undefined

/** Its processor time, memory, event loop lag and the like, measured from the first call on. */
function processMetrics(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
  }
  return ofProcess
}
