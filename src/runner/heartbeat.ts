import { hostname } from 'node:os'
import type { Clock } from '../domain/clock.ts'
import type { Database } from '../store/database.ts'
import { forgetInstance, recordBeat } from '../store/instances.ts'
import type { RunnerLog } from './log.ts'

const BEAT_EVERY_MS = 5_000
/** A process that was not heard of for so long does not live, or does not work. */
export const SILENT_AFTER_MS = 3 * BEAT_EVERY_MS
/** A process that died stays listed for as long, so that people see that it did. */
const FORGET_AFTER_MS = 3_600_000

export type HeartbeatOptions = {
  db: Database
  clock: Clock
  log: RunnerLog
  /** The runner's own name, and how much it has in hand. */
  runner: { worker: string; inHand: number }
}

/** Says every few seconds, in the database, that this process's runner lives. Nothing depends on it: it is for people. */
export class Heartbeat {
  readonly #options: HeartbeatOptions
  readonly #stopping = new AbortController()
  #beating: Promise<void> | null = null

  constructor(options: HeartbeatOptions) {
    this.#options = options
  }

  start(): void {
    this.#beating ??= this.#beat()
  }

  /** Takes the process off the list. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    if (this.#beating === null) return
    await this.#beating
    const { db, runner, log } = this.#options
    await forgetInstance(db.hot, runner.worker).catch((error: unknown) =>
      log.warn({ err: error }, 'this process could not be taken off the list of instances; it is forgotten in an hour'),
    )
  }

  async #beat(): Promise<void> {
    const { db, clock, runner, log } = this.#options
    const { signal } = this.#stopping
    const own = { id: runner.worker, host: hostname(), pid: process.pid, startedAt: clock.now() }
    let isFailing = false
    while (!signal.aborted) {
      const now = clock.now()
      try {
        await recordBeat(db.hot, { ...own, now, working: runner.inHand, deadBefore: now - FORGET_AFTER_MS })
        isFailing = false
      } catch (error) {
        if (!isFailing) log.warn({ err: error }, 'it could not be recorded that this process lives; it is tried again')
        isFailing = true
      }
      await clock.sleepUntil(now + BEAT_EVERY_MS, signal)
    }
  }
}
