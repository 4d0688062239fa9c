import type { Clock } from '../domain/clock.ts'
import { systemClock } from './clock.ts'
import type { RunnerLog } from './log.ts'
import { delay } from './machine-time.ts'

const MEASURE_EVERY_MS = 10_000
const SAMPLES = 5
/** A machine's clock shows whole milliseconds, of which it is half a one past on average. */
const HALF_A_TICK_MS = 0.5
/** From here on whoever runs the server is told. */
const WORTH_SAYING_MS = 1_000
/** Without a reason, each abort makes an exception with its stack, which nobody reads. */
const WOKEN = 'woken'

export type DatabaseClockOptions = {
  /** Asks the database for its instant, in milliseconds. */
  ask: () => Promise<number>
  log: RunnerLog
  machine?: Clock
}

/**
 * The database's clock, as far as this process can know it: the machine's, put right by the offset between the two. All
 * processes of a database share it, whatever their machines' clocks show. It never goes backwards: where it turns out to
 * be ahead, it stands still until it is right.
 */
export class DatabaseClock implements Clock {
  readonly #options: DatabaseClockOptions
  readonly #machine: Clock
  readonly #stopping = new AbortController()
  /** Wake those who sleep, so that they look at the clock again. */
  readonly #sleepers = new Set<() => void>()
  #offset = 0
  #last = Number.NEGATIVE_INFINITY
  #said = 0
  #measuring: Promise<void> | null = null

  constructor(options: DatabaseClockOptions) {
    this.#options = options
    this.#machine = options.machine ?? systemClock
  }

  now(): number {
    this.#last = Math.max(this.#last, this.#machine.now() + this.#offset)
    return this.#last
  }

  async sleepUntil(at: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.now() < at) {
      const nap = new AbortController()
      const wake = () => nap.abort(WOKEN)
      signal.addEventListener('abort', wake, { once: true })
      this.#sleepers.add(wake)
      await this.#machine.sleepUntil(at - this.#offset, nap.signal)
      this.#sleepers.delete(wake)
      signal.removeEventListener('abort', wake)
    }
  }

  /** Measures for the first time, and from then on every 10 seconds. Rejects when the database cannot be asked. */
  async start(): Promise<void> {
    await this.measure()
    this.#measuring ??= this.#keepMeasuring(this.#stopping.signal)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#measuring
  }

  /** Asks the database a few times what time it is, and goes by that. */
  async measure(): Promise<void> {
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const before = this.#machine.now()
      const database = await this.#options.ask()
      const after = this.#machine.now()
      // The machine's clock was set back meanwhile: it says nothing.
      if (after < before) continue
      this.#learn({
        offset: database - (before + after) / 2 - HALF_A_TICK_MS,
        error: (after - before) / 2 + HALF_A_TICK_MS,
      })
    }
    this.#sayIfFarOff()
  }

  /** What lies within what a sample may be wrong by is left: it may be a better one's, and no offset is the best guess. */
  #learn({ offset, error }: { offset: number; error: number }): void {
    if (Math.abs(offset - this.#offset) <= error) return
    this.#offset = Math.abs(offset) <= error ? 0 : Math.round(offset)
    for (const wake of [...this.#sleepers]) wake()
  }

  #sayIfFarOff(): void {
    if (Math.abs(this.#offset - this.#said) < WORTH_SAYING_MS) return
    this.#said = this.#offset
    const seconds = Math.round(Math.abs(this.#offset) / 100) / 10
    const where = this.#offset > 0 ? 'behind' : 'ahead of'
    this.#options.log.warn(
      { offsetMs: this.#offset },
      seconds < 1
        ? "this machine's clock is right again, by the database's"
        : `this machine's clock is ${seconds} s ${where} the database's, which counts; set it by NTP`,
    )
  }

  async #keepMeasuring(signal: AbortSignal): Promise<void> {
    let isFailing = false
    for (;;) {
      await delay(MEASURE_EVERY_MS, signal)
      if (signal.aborted) return
      try {
        await this.measure()
        isFailing = false
      } catch (error) {
        if (!isFailing) this.#options.log.warn({ err: error }, "the database's clock cannot be read; trying again")
        isFailing = true
      }
    }
  }
}
