import type { Clock } from '../domain/clock.ts'
import type { Instant } from '../domain/picture.ts'
import type { ClaimRef } from '../store/claims.ts'
import type { RunnerLog } from './log.ts'

type Held = ClaimRef & { /** The lease is not renewed beyond this. */ limit: Instant }

export type LeaseOptions = {
  /** Renews leases of claims that are still in force, and no others. */
  renew: (leases: (ClaimRef & { until: Instant })[]) => Promise<void>
  clock: Clock
  leaseMs: number
  log: RunnerLog
}

/** Keeps the leases of the runs, or of their ledgers, that this process works on, for as long as it does. */
export class Leases {
  readonly #held = new Map<string, Held>()
  readonly #options: LeaseOptions

  constructor(options: LeaseOptions) {
    this.#options = options
  }

  /** The runs that are worked on here: their claims are never taken over by this process itself. */
  get claims(): ClaimRef[] {
    return [...this.#held.values()]
  }

  /** Until when a lease taken now holds. */
  next(limit: Instant = Number.POSITIVE_INFINITY): Instant {
    const { clock, leaseMs } = this.#options
    return Math.min(clock.now() + leaseMs, limit)
  }

  hold({ runId, owner }: ClaimRef, limit: Instant = Number.POSITIVE_INFINITY): void {
    this.#held.set(runId, { runId, owner, limit })
  }

  /** Renews that claim no more; a later claim of the same run is not touched. */
  drop({ runId, owner }: ClaimRef): void {
    if (this.#held.get(runId)?.owner === owner) this.#held.delete(runId)
  }

  /** Renews at a third of the lease's length until the signal fires. */
  async keep(signal: AbortSignal): Promise<void> {
    const { renew, clock, leaseMs, log } = this.#options
    while (!signal.aborted) {
      await clock.sleepUntil(clock.now() + leaseMs / 3, signal)
      if (signal.aborted || this.#held.size === 0) continue
      const leases = [...this.#held.values()].map(({ limit, ...claim }) => ({ ...claim, until: this.next(limit) }))
      try {
        await renew(leases)
      } catch (error) {
        log.warn({ err: error }, 'leases could not be renewed; trying again')
      }
    }
  }
}
