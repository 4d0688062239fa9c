import { actionsOf, mayCount } from '../domain/budget.ts'
import type { Instant } from '../domain/picture.ts'
import { readStartsAhead, startIfWaiting } from '../store/starts.ts'
import { inPass } from './tracing.ts'
import { type Prepared, startPrepared } from './work.ts'
import type { WorkContext } from './work-context.ts'

type Hooks = {
  /** How many runs may be started now. */
  room(): number
  /** A name for a claim. */
  owner(): string
  /** Work that goes on until its run waits. */
  track(work: Promise<void>): void
}

/**
 * The runs that start next, read before their instant, so that one commit lies between the instant and the call of an
 * action. What is known of a run ahead counts only as long as its fence has not moved: whatever does not start from here
 * is due, and is claimed as anything else that is.
 */
export class PreparedStarts {
  readonly #context: WorkContext
  readonly #hooks: Hooks
  #prepared: Prepared[] = []
  #alarm = new AbortController()
  #starting: Promise<void> | null = null

  constructor(context: WorkContext, hooks: Hooks) {
    this.#context = context
    this.#hooks = hooks
  }

  /** Reads the runs that start after `after` and until `until`, instead of those it knew, and starts them on time. */
  async prepare({ after, until }: { after: Instant; until: Instant }): Promise<void> {
    const { db, versions, clock, settings, registry } = this.#context
    const pictures = await readStartsAhead(db.hot, { after, until, limit: settings.runBatch })
    const read = await Promise.all(
      pictures.map(async (picture) => ({ picture, spec: await versions.spec(picture.facts.versionId) })),
    )
    // Caps are copied as a run starts, before its first step is claimed.
    const prepared = read.filter(({ spec }) => spec === null || !mayCount(actionsOf(spec.phases), registry))
    this.forget()
    this.#prepared = prepared
    const first = prepared[0]?.picture.run.wakeAt
    if (first == null) return
    const alarm = new AbortController()
    this.#alarm = alarm
    // The loop may be in the middle of a pass at that instant.
    void clock.sleepUntil(first, alarm.signal).then(() => (alarm.signal.aborted ? null : this.startDue()))
    // For no run: planning takes long, and the connection that was used last is the next to be used.
    await startIfWaiting(db.hot, [], clock.now())
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
    const { room, owner, track } = this.#hooks
    const starts = due.slice(0, Math.max(room(), 0))
    this.#starting = inPass((begin) => begin(() => startPrepared(this.#context, owner(), starts)))
      .then((work) => {
        for (const each of work) track(each)
      })
      .finally(() => {
        this.#starting = null
      })
    return this.#starting
  }

  /** What is being written; null: nothing. */
  get starting(): Promise<void> | null {
    return this.#starting
  }
}
