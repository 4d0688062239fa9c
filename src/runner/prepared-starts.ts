import { actionsOf, mayCount } from '../domain/budget.ts'
import type { Instant } from '../domain/picture.ts'
import { readStarts } from '../store/starts.ts'
import { type Begin, inPass } from './tracing.ts'
import { type Prepared, rehearseStart, startPrepared } from './work.ts'
import type { WorkContext } from './work-context.ts'

/**
 * What is left to a pass after it started what it could. `crowded`: more starts may be due. `claimDueBy`: what came due by
 * then is to be claimed; null: nothing, in this pass.
 */
type Turn = { crowded: boolean; claimDueBy: Instant | null }

export type Hooks = {
  /** Runs one duty; an error in it is logged and harms no other. */
  duty<T>(name: string, what: () => Promise<T>): Promise<T | undefined>
  /** Work that goes on until its run waits. */
  track(work: Promise<void>): void
}

/** `owner`: a name for a claim. */
type StartHooks = Hooks & { owner(): string }

/** How long before its instant the start of a run is rehearsed: it takes half of that. */
const REHEARSED_MS = 3
/** Longer ago than any start. */
const EVER = 0
/** How many passes may do nothing but start what crowds, before one is for whatever else is due. */
const PASSES_IN_A_ROW = 2

/**
 * The runs that start next, read before their instant, so that one commit lies between the instant and the call of an
 * action. What is known of a run ahead counts only as long as its fence has not moved: whatever does not start from here
 * is due, and is claimed as anything else that is.
 */
export class PreparedStarts {
  readonly #context: WorkContext
  readonly #hooks: StartHooks
  #prepared: Prepared[] = []
  #alarm = new AbortController()
  #starting: Promise<void> | null = null
  #crowdSince: Instant | null = null
  #passesInARow = 0

  constructor(context: WorkContext, hooks: StartHooks) {
    this.#context = context
    this.#hooks = hooks
  }

  /** Reads the runs that start after `after` and until `until`, instead of those it knew, and starts them on time. */
  async prepare({ after, until }: { after: Instant; until: Instant }): Promise<void> {
    const { settings } = this.#context
    const prepared = await this.#read({ after, until, limit: settings.runBatch })
    this.forget()
    this.#prepared = prepared
    const first = prepared[0]?.picture.run.wakeAt
    if (first == null) return
    const alarm = new AbortController()
    this.#alarm = alarm
    void this.#startAt(first, alarm.signal)
  }

  // The loop may be in the middle of a pass at that instant.
  async #startAt(first: Instant, signal: AbortSignal): Promise<void> {
    const { clock } = this.#context
    const rehearsal = first - REHEARSED_MS
    // What was read just now is no longer cold.
    if (clock.now() < rehearsal) {
      await clock.sleepUntil(rehearsal, signal)
      const [next] = this.#prepared
      // Whatever is wrong, the start itself meets it too, and tells of it.
      if (!signal.aborted && next !== undefined) rehearseStart(this.#context, next).catch(() => {})
    }
    await clock.sleepUntil(first, signal)
    if (!signal.aborted) await this.startDue()
  }

  /**
   * Starts those that are due already, `limit` at most: one commit instead of a claim's and a transition's. Where they
   * crowd, passes do nothing else, but for every third, which is for what else came due before them.
   */
  async startWaiting(due: { now: Instant; limit: number; begin: Begin }): Promise<Turn> {
    const isTurnOfOthers = this.#passesInARow === PASSES_IN_A_ROW
    if (!isTurnOfOthers) this.#crowdSince = await this.#startFirst(due)
    if (this.#crowdSince === null) {
      this.#passesInARow = 0
      return { crowded: false, claimDueBy: due.now }
    }
    this.#passesInARow = isTurnOfOthers ? 0 : this.#passesInARow + 1
    return { crowded: true, claimDueBy: isTurnOfOthers ? this.#crowdSince - 1 : null }
  }

  /** Answers the instant of the last, before which none is left; null: these were all, or some of them did not start. */
  async #startFirst({ now, limit, begin }: { now: Instant; limit: number; begin: Begin }): Promise<Instant | null> {
    const { load, mayDispatch } = this.#context
    return load.keeping(
      limit,
      () => this.#read({ after: EVER, until: now, limit }),
      async (waiting) => {
        if (!mayDispatch()) return null
        const started = await this.#start(waiting, begin)
        return started === limit ? (waiting.at(-1)?.picture.run.wakeAt ?? null) : null
      },
    )
  }

  async #read(which: { after: Instant; until: Instant; limit: number }): Promise<Prepared[]> {
    const { db, versions, registry } = this.#context
    const pictures = await readStarts(db.hot, which)
    const read = await Promise.all(
      pictures.map(async (picture) => ({ picture, spec: await versions.spec(picture.facts.versionId) })),
    )
    // Caps are copied as a run starts, before its first step is claimed.
    return read.filter(({ spec }) => spec === null || !mayCount(actionsOf(spec.phases), registry))
  }

  /** Answers how many it started. */
  async #start(runs: readonly Prepared[], begin: Begin): Promise<number> {
    if (runs.length === 0) return 0
    const { owner, track } = this.#hooks
    return begin(() => startPrepared(this.#context, runs, { owner: owner(), track }))
  }

  /** Starts none of those it knew. */
  forget(): void {
    this.#alarm.abort()
    this.#prepared = []
  }

  /** Starts those whose instant has come. Resolves when that is done, whoever began it; never rejects. */
  async startDue(): Promise<void> {
    if (this.#starting !== null) return this.#starting
    const now = this.#context.clock.now()
    const due = this.#prepared.filter(({ picture }) => (picture.run.wakeAt ?? now) <= now)
    if (due.length === 0 || !this.#context.mayDispatch()) return
    this.#prepared = this.#prepared.filter((run) => !due.includes(run))
    const starts = due.slice(0, Math.max(this.#context.load.room, 0))
    const start = () => inPass((begin) => this.#start(starts, begin))
    const starting = this.#hooks.duty('prepared starts', start).then(() => {})
    this.#starting = starting.finally(() => {
      this.#starting = null
    })
    return this.#starting
  }

  /** What is being written; null: nothing. */
  get starting(): Promise<void> | null {
    return this.#starting
  }
}
