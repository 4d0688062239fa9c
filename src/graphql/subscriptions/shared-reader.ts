import { setTimeout as sleep } from 'node:timers/promises'
import type { Outlet } from './outlet.ts'

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** One subscription. As an iterator it brings nothing and tells of its end alone: its events go to its outlet. */
export class Reader implements AsyncIterableIterator<never> {
  readonly outlet: Outlet
  /** The last position of its stream that it knows. */
  cursor: number
  /** It is served by itself, and is not given what comes live. */
  isBehind = false
  isGone = false
  readonly #onGone: () => void
  readonly #over: Promise<IteratorReturnResult<undefined>>
  #settle: (over: IteratorReturnResult<undefined> | Promise<never>) => void = () => {}

  constructor({ after, outlet, onGone }: { after: number; outlet: Outlet; onGone: (reader: Reader) => void }) {
    this.cursor = after
    this.outlet = outlet
    this.#onGone = () => onGone(this)
    this.#over = new Promise((resolve) => {
      this.#settle = resolve
    })
    // Whoever asks for the next gets the error.
    this.#over.catch(() => {})
  }

  take(bytes: Buffer, cursor: number): void {
    this.outlet.send(bytes)
    this.cursor = cursor
  }

  /**
   * Serves it a part at a time, each when its connection has room, until one says that it is behind no more. One that
   * has to wait answers for how long, in milliseconds; one that fails ends the subscription.
   */
  async catchUp(serve: () => Promise<number | 'CAUGHT_UP'>): Promise<void> {
    this.isBehind = true
    try {
      for (;;) {
        const served: { how: number | 'CAUGHT_UP' } = { how: 0 }
        const isThere = await this.outlet.whenRoom(async () => {
          if (!this.isGone) served.how = await serve()
        })
        if (!isThere || this.isGone || served.how === 'CAUGHT_UP') return
        if (served.how > 0) await sleep(served.how, undefined, { ref: false })
      }
    } catch (error) {
      this.fail(error)
    }
  }

  end(): void {
    this.#leave(DONE)
  }

  fail(error: unknown): void {
    this.#leave(Promise.reject(error))
  }

  #leave(over: IteratorReturnResult<undefined> | Promise<never>): void {
    if (over instanceof Promise) over.catch(() => {})
    if (this.isGone) return
    this.isGone = true
    this.outlet.end()
    this.#settle(over)
    this.#onGone()
  }

  next(): Promise<IteratorResult<never, undefined>> {
    return this.#over
  }

  async return(): Promise<IteratorResult<never, undefined>> {
    this.end()
    return DONE
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
