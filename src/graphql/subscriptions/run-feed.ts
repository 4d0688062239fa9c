import type { Clock } from '../../domain/clock.ts'
import type { Run } from '../../generated/prisma/client.ts'
import type { RunChange } from '../../store/changes.ts'
import type { Database } from '../../store/database.ts'
import {
  followedLists,
  followedPage,
  isSameMark,
  type RunMark,
  type RunNews,
  runNews,
} from '../../store/followed-runs.ts'
import type { Key, List } from '../../store/keyset.ts'
import { runsByIds } from '../../store/node-reads.ts'
import type { RunFilter } from '../../store/run-reads.ts'
import type { Watch } from './board.ts'
import type { Look } from './follow.ts'

/** `matches`: the filter takes the run. */
export type RunEvent = { run: Run; matches: boolean }

/** Runs read for one part of a sweep, and with all that is shown of them. */
const PAGE = 1_000
const BATCH = 100
/** Runs that are remembered as told of by others; beyond, a sweep finds what it can, and waits for them to be read. */
const MAX_HEARD = 5_000
/** How much longer than a sweep's reading the pause after it is, where it takes longer than most; and the longest. */
const PAUSE = 10
const MAX_PAUSE_MS = 30_000
/** Matching runs outside of what a sweep goes through that are remembered, to say when they leave the filter. */
const MAX_ELSEWHERE = 500
/** How much later than it says a run's end may be committed. */
const LATE_MS = 30_000

/** What the reader was told of a run last, and the sweep that found it, or in whose time it was told. */
type Known = { mark: RunMark; sweep: number }

/** Lists that are gone through page by page: what remains of them, and how long reading took. */
type Sweep = { lists: List[]; after: Key | null; startedAt: number; tookMs: number }

/** Finds what to tell of the runs that a filter takes, by looks at what it hears of and by sweeps. */
export class RunFeed {
  readonly #db: Database
  readonly #clock: Pick<Clock, 'now'>
  readonly #filter: RunFilter
  readonly #sweepEveryMs: number
  readonly #restMs: number
  readonly #watch: Watch<RunEvent>
  /** Matching runs that the reader knows, by id, told longest ago first. */
  readonly #known = new Map<string, Known>()
  /** Ids of runs that may have changed since they were read. */
  readonly #heard = new Set<string>()
  /** How many of those are read before the next rest: what is heard of meanwhile is read after it, all at once. */
  #due = 0
  #isResting = true
  /** Ids of runs that are being read now. */
  #reading = new Set<string>()
  /** Ids of those heard of again of which somebody may have been told a newer state than was read for the queue. */
  readonly #outdated = new Set<string>()
  #queue: RunEvent[] = []
  /** When the queue was read. */
  #readAt = 0
  #sweep: Sweep | null = null
  #sweeps = 0
  #mustSweep = true
  #nextSweepAt = 0
  #endedSince: number

  constructor(parts: {
    db: Database
    clock: Pick<Clock, 'now'>
    filter: RunFilter
    pollMs: number
    /** How old what is told of a run may be that was heard of since. */
    restMs: number
    watch: Watch<RunEvent>
  }) {
    this.#db = parts.db
    this.#clock = parts.clock
    this.#filter = parts.filter
    this.#watch = parts.watch
    this.#restMs = parts.restMs
    // A timer may be early by a little, and must not be taken for one that has not come.
    this.#sweepEveryMs = parts.pollMs * 0.9
    this.#endedSince = parts.clock.now()
  }

  hear(change: RunChange | null): void {
    if (change !== null && (this.#heard.size < MAX_HEARD || this.#heard.has(change.runId))) {
      this.#heard.add(change.runId)
    } else {
      this.#mustSweep = true
    }
  }

  /** What is told of this run next is not what was read of it before. */
  readAgain(id: string): void {
    this.#heard.add(id)
    this.#outdated.add(id)
  }

  /** Whether a run that was read elsewhere may be newer than what is told of it next. */
  isOlderThan({ id, ...mark }: RunMark & { id: string }): boolean {
    if (this.#reading.has(id)) return true
    const known = this.#queue.find(({ run }) => run.id === id)?.run ?? this.#known.get(id)?.mark
    return known !== undefined && !isSameMark(known, mark)
  }

  async look(): Promise<Look<RunEvent>> {
    if (this.#isResting) this.#due = this.#heard.size
    this.#isResting = false
    for (;;) {
      const event = this.#queue.shift()
      if (event === undefined) {
        const isSweeping = this.#isSweeping()
        if (!isSweeping && this.#due === 0) {
          this.#isResting = true
          return this.#heard.size === 0 ? 'WAIT' : 'REST'
        }
        if (isSweeping && this.#heard.size < MAX_HEARD) await this.#readPage()
        await this.#readHeard(isSweeping ? BATCH : Math.min(BATCH, this.#due))
      } else if (this.#isTold(event.run.id)) {
        this.#remember(event)
        this.#watch.onNews(event)
        return { value: event }
      }
    }
  }

  /**
   * Whether what was read of a run is told though it was heard of since: it is while it is fresh, or of a run that changes
   * all the time nothing ever would be. The others have their turn before it is read again.
   */
  #isTold(id: string): boolean {
    if (!this.#heard.has(id)) return true
    if (this.#outdated.has(id) || performance.now() - this.#readAt > this.#restMs) return false
    this.#heard.delete(id)
    this.#heard.add(id)
    return true
  }

  #remember({ run: { id, lastLine, inFlight }, matches }: RunEvent): void {
    this.#known.delete(id)
    if (matches) this.#known.set(id, { mark: { lastLine, inFlight }, sweep: this.#sweeps })
  }

  /** Begins a sweep where it is time for one. */
  #isSweeping(): boolean {
    if (this.#sweep !== null) return true
    if (!this.#mustSweep && performance.now() < this.#nextSweepAt) return false
    this.#mustSweep = false
    this.#sweeps += 1
    const lists = followedLists(this.#filter, { endedSince: new Date(this.#endedSince) })
    this.#sweep = { lists, after: null, startedAt: this.#clock.now(), tookMs: 0 }
    return true
  }

  async #readPage(): Promise<void> {
    const sweep = this.#sweep
    const list = sweep?.lists[0]
    if (sweep === null) return
    if (list === undefined) return this.#endSweep(sweep)
    const askedAt = performance.now()
    const { runs, next } = await followedPage(this.#db, list, { after: sweep.after, take: PAGE })
    sweep.tookMs += performance.now() - askedAt
    for (const run of runs) {
      const known = this.#known.get(run.id)
      if (known !== undefined) known.sweep = this.#sweeps
      if (known === undefined || !isSameMark(known.mark, run)) this.#heard.add(run.id)
    }
    sweep.after = next
    if (next === null) sweep.lists.shift()
  }

  #endSweep({ startedAt, tookMs }: Sweep): void {
    this.#sweep = null
    this.#nextSweepAt = performance.now() + Math.max(this.#sweepEveryMs, Math.min(tookMs * PAUSE, MAX_PAUSE_MS))
    this.#endedSince = Math.max(this.#endedSince, startedAt - LATE_MS)
    // Not found any more: they have left, or are where no sweep goes.
    const elsewhere: string[] = []
    for (const [id, { sweep }] of this.#known) {
      if (sweep === this.#sweeps) continue
      if (sweep < this.#sweeps - 1 && !this.#heard.has(id)) elsewhere.push(id)
      this.#heard.add(id)
    }
    for (const id of elsewhere.slice(0, Math.max(0, elsewhere.length - MAX_ELSEWHERE))) {
      this.#forget(id)
      this.#heard.delete(id)
      this.#outdated.delete(id)
    }
    this.#due = this.#heard.size
  }

  #forget(id: string): void {
    if (this.#known.delete(id)) this.#watch.onForgotten(id)
  }

  async #readHeard(most: number): Promise<void> {
    const ids = firstOf(this.#heard, most)
    if (ids.length === 0) return
    // What is heard from here on is newer than what is read.
    for (const id of ids) {
      this.#heard.delete(id)
      this.#outdated.delete(id)
    }
    this.#reading = new Set(ids)
    try {
      this.#queue = await this.#eventsOf(ids)
      this.#readAt = performance.now()
      this.#due = Math.max(0, this.#due - ids.length)
    } catch (error) {
      for (const id of ids) this.#heard.add(id)
      throw error
    } finally {
      this.#reading.clear()
    }
  }

  async #eventsOf(ids: readonly string[]): Promise<RunEvent[]> {
    const marks = ids.map((id) => ({ id, mark: this.#known.get(id)?.mark ?? null }))
    const news = await runNews(this.#db, marks, this.#filter)
    const due = ids.flatMap((id) => {
      const found = news.get(id)
      if (found === undefined) this.#forget(id)
      return found !== undefined && this.#isWorthTelling(found) ? [found] : []
    })
    if (due.length === 0) return []
    const rows = await runsByIds(
      this.#db,
      due.map(({ id }) => id),
      {},
    )
    return due.flatMap((found) => {
      const run = rows.get(found.id)
      if (run !== undefined && isSameMark(run, found)) return [{ run, matches: found.matches }]
      // It changed between the two readings; what is said of it has to be of one moment.
      this.#heard.add(found.id)
      return []
    })
  }

  #isWorthTelling({ id, lastLine, inFlight, matches, changed, settled }: RunNews): boolean {
    const known = this.#known.get(id)
    if (known === undefined) return matches
    if (!matches || changed) return true
    known.mark = { lastLine, inFlight }
    const ofLastSweep = this.#sweep === null ? this.#sweeps : this.#sweeps - 1
    if (settled && known.sweep < ofLastSweep) this.#forget(id)
    return false
  }
}

function firstOf(ids: ReadonlySet<string>, count: number): string[] {
  const first: string[] = []
  for (const id of ids) {
    if (first.length === count) break
    first.push(id)
  }
  return first
}
