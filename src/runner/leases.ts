import type { Instant } from '../domain/picture.ts'
import { renewLeases } from '../store/claims.ts'
import type { PrismaClient } from '../store/database.ts'
import type { Clock } from './clock.ts'
import type { RunnerLog } from './log.ts'

type Held = { /** The lease is not renewed beyond this. */ limit: Instant }

/** Keeps the leases of the runs that this process works on, for as long as it does. */
export class Leases {
  readonly #held = new Map<string, Held>()
  readonly #options: { db: PrismaClient; worker: string; clock: Clock; leaseMs: number; log: RunnerLog }

  constructor(options: { db: PrismaClient; worker: string; clock: Clock; leaseMs: number; log: RunnerLog }) {
    this.#options = options
  }

  /** The runs that are worked on here: their claims are never taken over by this process itself. */
  get runIds(): string[] {
    return [...this.#held.keys()]
  }

  /** Until when a lease taken now holds. */
  next(limit: Instant = Number.POSITIVE_INFINITY): Instant {
    const { clock, leaseMs } = this.#options
    return Math.min(clock.now() + leaseMs, limit)
  }

  hold(runId: string, limit: Instant = Number.POSITIVE_INFINITY): void {
    this.#held.set(runId, { limit })
  }

  drop(runId: string): void {
    this.#held.delete(runId)
  }

  /** Renews at a third of the lease's length until the signal fires. */
  async keep(signal: AbortSignal): Promise<void> {
    const { db, worker, clock, leaseMs, log } = this.#options
    while (!signal.aborted) {
      await clock.sleepUntil(clock.now() + leaseMs / 3, signal)
      if (signal.aborted || this.#held.size === 0) continue
      const leases = [...this.#held].map(([runId, { limit }]) => ({ runId, until: this.next(limit) }))
      try {
        await renewLeases(db, worker, leases)
      } catch (error) {
        log.warn({ err: error }, 'leases could not be renewed; trying again')
      }
    }
  }
}
