import type { Instant } from '../domain/picture.ts'
import {
  type Claimed,
  type ClaimRequest,
  claimDue,
  claimKeyedStarts,
  type Lapsed,
  takeOverLapsed,
} from '../store/claims.ts'
import { cleanUpDue } from './cleanup.ts'
import { type Hooks, PreparedStarts } from './prepared-starts.ts'
import { type Begin, inPass } from './tracing.ts'
import { workClaimed, workLapsed } from './work.ts'
import type { WorkContext } from './work-context.ts'

/** Takes in hand what is due, as much as there is room for. */
export class Intake {
  readonly starts: PreparedStarts
  readonly #context: WorkContext
  readonly #cleaning: WorkContext
  readonly #worker: string
  readonly #hooks: Hooks
  #claims = 0

  /** `cleaning`: the same for taking back, which has room of its own. Claims are made in the name of `worker`. */
  constructor(
    contexts: { context: WorkContext; cleaning: WorkContext },
    { worker, ...hooks }: Hooks & { worker: string },
  ) {
    this.#context = contexts.context
    this.#cleaning = contexts.cleaning
    this.#worker = worker
    this.#hooks = hooks
    this.starts = new PreparedStarts(this.#context, { owner: () => this.#newOwner(), ...hooks })
  }

  /** Takes up what is due at `now`. `more`: there is more than there was room for; `fault`: why it is not known. */
  async takeUpDue(now: Instant, begin: Begin): Promise<{ more: boolean; fault: string | null }> {
    const { clock, db, load, settings, mayDispatch, leases } = this.#context
    const room = () => (mayDispatch() ? Math.min(settings.runBatch, load.room) : 0)
    let fault: string | null = null
    await this.starts.startDue()
    const claim = async (name: string, take: (request: ClaimRequest) => Promise<Claimed[]>): Promise<boolean> => {
      const limit = room()
      if (limit <= 0) return true
      const owner = this.#newOwner()
      const request = { owner, now, leaseUntil: leases.next(), limit }
      const work = (run: Claimed) => workClaimed(this.#context, owner, run)
      const claimed = await this.#hooks.duty(name, () => this.#take({ limit, begin }, () => take(request), work))
      if (claimed === undefined) fault = `the runner could not claim ${name}; see the server's log`
      return (claimed ?? 0) >= limit
    }
    if (room() <= 0) return { more: true, fault }
    const turn = await this.#hooks.duty('due starts', () => this.starts.startWaiting({ now, limit: room(), begin }))
    const { claimDueBy, crowded } = turn ?? { claimDueBy: now, crowded: false }
    let more = crowded
    if (claimDueBy !== null) {
      if (await claim('due runs', (request) => claimDue(db.hot, { ...request, dueBy: claimDueBy }))) more = true
      if (await claim('keyed starts', (request) => claimKeyedStarts(db.hot, request, clock))) more = true
    }
    return { more, fault }
  }

  /** Takes over what dead processes left; one of them at a time even where there is no room. */
  async reclaim(now: Instant, begin: Begin): Promise<void> {
    const { db, leases, load, settings, meter } = this.#context
    const limit = Math.min(settings.runBatch, Math.max(load.room, 1))
    const owner = this.#newOwner()
    const request = { owner, now, leaseUntil: leases.next(), limit, working: leases.claims }
    const work = (lapsed: Lapsed) => workLapsed(this.#context, owner, lapsed)
    meter.claimsTakenOver(await this.#take({ limit, begin }, () => takeOverLapsed(db.hot, request), work))
  }

  /** Claims ledgers that are due, as many as there is room for; answers whether it got any. */
  async cleanUp(now: Instant): Promise<boolean> {
    const { settings, load } = this.#cleaning
    const limit = Math.min(settings.runBatch, load.room)
    if (limit <= 0) return false
    const owner = this.#newOwner()
    const tasks = await inPass((begin) => cleanUpDue(this.#cleaning, { owner, now, limit, begin }))
    for (const task of tasks) this.#hooks.track(task)
    return tasks.length > 0
  }

  /** Begins to work on what `seek` finds, and answers how many that were. */
  #take<T>(
    { limit, begin }: { limit: number; begin: Begin },
    seek: () => Promise<T[]>,
    work: (found: T) => Promise<void>,
  ): Promise<number> {
    return this.#context.load.keeping(limit, seek, (found) => {
      for (const one of found) this.#hooks.track(begin(() => work(one)))
      return found.length
    })
  }

  #newOwner(): string {
    this.#claims += 1
    return `${this.#worker}#${this.#claims}`
  }
}
