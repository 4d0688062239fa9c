import type { Clock } from '../domain/clock.ts'
import type { Instant } from '../domain/picture.ts'

/** Without a reason, each abort makes an exception with its stack, which nobody reads. */
const WOKEN = 'woken'

/** The sleep of a loop, from which it can be woken at any time; being woken while it is awake counts for the next. */
export class Nap {
  readonly #clock: Clock
  #woken = false
  #alarm: AbortController | null = null
  #until: Instant = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** It was woken since `awake`. */
  get isWoken(): boolean {
    return this.#woken
  }

  /** It sleeps, and nothing that it waits for has come. */
  get isAsleep(): boolean {
    return this.#alarm !== null && !this.#alarm.signal.aborted && this.#clock.now() < this.#until && !this.#woken
  }

  /** Whatever it was woken for is looked at from now on. */
  awake(): void {
    this.#woken = false
  }

  wake(): void {
    this.#woken = true
    this.#alarm?.abort(WOKEN)
  }

  /** Wakes it where it would sleep longer. */
  wakeAt(instant: Instant): void {
    // While it is awake it asks for the next instant anyway; it may have asked already, so that it is told all the same.
    if (this.#alarm === null || instant < this.#until) this.wake()
  }

  /** Sleeps, unless it was woken meanwhile; answers whether the instant came. `asleep` is called once it does. */
  async sleep(until: Instant, asleep: () => void): Promise<boolean> {
    if (this.#woken) return false
    const alarm = new AbortController()
    this.#alarm = alarm
    this.#until = until
    asleep()
    await this.#clock.sleepUntil(until, alarm.signal)
    this.#alarm = null
    this.#until = Number.NEGATIVE_INFINITY
    return !alarm.signal.aborted
  }
}
