import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Depths, Meter } from '../runner/meter.ts'
import { type Gauges, LIVE_STATUSES } from '../store/gauges.ts'
import { countingMeter } from './counting.ts'
import { Question } from './question.ts'
import { within } from './within.ts'

/** What the sockets and event streams of this process hold. */
export type SocketStats = {
  /** Subscriptions that are open. */
  subscribers: number
  /** Written, and not taken by the network yet. */
  unsentBytes: number
}

/** Where a page gets what is not counted as it happens. */
export type MetricsSources = {
  depths(): Depths
  sockets(): SocketStats
  /** Ask the database. */
  gauges(): Promise<Gauges>
  scheduled(): Promise<number>
  now(): number
}

/** What a page shows besides what was counted; null: the database did not say. */
type Known = {
  known: Gauges | null
  scheduled: number | null
  depths: Depths
  sockets: SocketStats
  now: number
}

/** For Prometheus, in its text format. */
export type MetricsPage = { type: string; text: string }

/** How long a page waits for the database before it goes without. */
const DATABASE_MS = 2000

/** What one server counts and measures; what the process is like is the same for all that are in it. */
export class Metrics {
  readonly meter: Meter
  readonly #registry = new Registry()
  readonly #gauges: ReturnType<typeof gaugesOf>
  readonly #process: Registry
  readonly #open = new Question<Gauges>({ keep: 0 })
  /** There may be very many, where schedules reach far ahead. */
  readonly #scheduled = new Question<number>({ keep: 100 })

  constructor() {
    this.meter = countingMeter(this.#registry)
    this.#gauges = gaugesOf(this.#registry)
    this.#process = processMetrics()
  }

  /** While the database does not answer, what only it knows is left out. */
  async page({ depths, sockets, gauges, scheduled, now }: MetricsSources): Promise<MetricsPage> {
    const [known, waiting] = await Promise.all([
      within(DATABASE_MS, this.#open.answer(gauges)),
      within(DATABASE_MS, this.#scheduled.answer(scheduled)),
    ])
    this.#set({ known, scheduled: known === null ? null : waiting, depths: depths(), sockets: sockets(), now: now() })
    const parts = await Promise.all([this.#registry.metrics(), this.#process.metrics()])
    return { type: this.#registry.contentType, text: parts.join('\n') }
  }

  #set({ known, scheduled, depths, sockets, now }: Known): void {
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
    if (scheduled !== null) runs.set({ status: 'SCHEDULED' }, scheduled)
    for (const status of LIVE_STATUSES) runs.set({ status }, known.runs[status])
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
      'Runs in the database that are not over, by status; the same from every process. Those that are over are not counted, there may be millions: see cuelight_runs_ended_total. SCHEDULED may be some seconds old.',
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
      'Subscriptions open over the sockets of this process, and its event streams.',
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
