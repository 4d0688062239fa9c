import type { Instant } from '../domain/picture.ts'
import { prune, pruneKeys, sweepMissed } from './duties.ts'
import { Materialiser } from './materialise.ts'
import type { WorkContext } from './work-context.ts'

/** How often old logs, and plans made by older zone data, are looked for. */
const PRUNE_EVERY_MS = 600_000

type Hooks = {
  /** Runs one duty; an error in it is logged and harms no other. */
  duty<T>(name: string, what: () => Promise<T>): Promise<T | undefined>
  /** There may be something to do now. */
  wake(): void
  /** The work that was going on has ended. */
  done(): void
}

/** The duties beside the passes, so that starts do not wait for them: it expands schedules, sweeps and prunes. */
export class Household {
  readonly #context: WorkContext
  readonly #hooks: Hooks
  readonly #materialiser: Materialiser
  #work: Promise<void> | null = null
  #lastPrune = Number.NEGATIVE_INFINITY
  /** A schedule was published, verified or resumed since the work that goes on began. */
  schedulesChanged = false

  constructor(context: WorkContext, hooks: Hooks) {
    this.#context = context
    this.#hooks = hooks
    this.#materialiser = new Materialiser(context)
  }

  /** What goes on; null: nothing. */
  get work(): Promise<void> | null {
    return this.#work
  }

  /** Begins unless it goes on already. */
  keep(now: Instant): void {
    if (this.#work !== null) return
    const prunes = now >= this.#lastPrune + PRUNE_EVERY_MS
    if (prunes) this.#lastPrune = now
    this.schedulesChanged = false
    this.#work = this.#keep(prunes).finally(() => {
      this.#work = null
      this.#hooks.done()
    })
  }

  async #keep(prunes: boolean): Promise<void> {
    const { duty, wake } = this.#hooks
    if (prunes) await duty('zone data', () => this.#materialiser.moveByZoneData())
    let more = true
    while (more && this.#context.mayDispatch()) {
      const materialised = await duty('materialise', () => this.#materialiser.materialise())
      await duty('missed', () => sweepMissed(this.#context))
      // A new run may start before the instant that the loop sleeps until.
      if (materialised !== undefined && materialised.made > 0) wake()
      // Millions of lines may be left of a time when nothing was deleted: what comes due meanwhile is not kept waiting.
      const pruned = prunes && (await duty('prune', () => prune(this.#context)))
      more = materialised?.more || pruned || false
    }
    if (prunes) await duty('forget keys', () => pruneKeys(this.#context))
    if (prunes || this.schedulesChanged) wake()
  }
}
