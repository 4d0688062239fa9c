import type { Clock } from '../domain/clock.ts'

type Sleeper = { at: number; wake: () => void }

/** A clock that stands still until it is moved. */
export class FakeClock implements Clock {
  #now: number
  readonly #sleepers = new Set<Sleeper>()

  /** `start`: milliseconds since the epoch, or an RFC 3339 instant. */
  constructor(start: number | string) {
    this.#now = new Date(start).getTime()
  }

  now(): number {
    return this.#now
  }

  sleepUntil(at: number, signal: AbortSignal): Promise<void> {
    if (at <= this.#now || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleepers.delete(sleeper)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      const sleeper = { at, wake }
      this.#sleepers.add(sleeper)
      signal.addEventListener('abort', wake, { once: true })
    })
  }

  /** The earliest instant that somebody sleeps until; null when nobody does. */
  get next(): number | null {
    let next: number | null = null
    for (const { at } of this.#sleepers) if (next === null || at < next) next = at
    return next
  }

  /** Moves to an instant and wakes everybody who slept until then. It never goes back. */
  moveTo(at: number): void {
    this.#now = Math.max(this.#now, at)
    for (const sleeper of [...this.#sleepers]) if (sleeper.at <= this.#now) sleeper.wake()
  }

  moveBy(ms: number): void {
    this.moveTo(this.#now + ms)
  }
}
