import type { Outlet } from './outlet.ts'

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** One subscription. As an iterator it brings nothing and tells of its end alone: its events go to its outlet. */
export class Reader implements AsyncIterableIterator<never> {
  readonly outlet: Outlet
  /** The last position that it was given. */
  cursor: number
  /** It reads from the database, and is not given what comes live. */
  isBehind = false
  isGone = false
  readonly #onGone: (reader: Reader) => void
  readonly #over: Promise<IteratorReturnResult<undefined>>
  #settle: (over: IteratorReturnResult<undefined> | Promise<never>) => void = () => {}

  constructor({ after, outlet, onGone }: { after: number; outlet: Outlet; onGone: (reader: Reader) => void }) {
    this.cursor = after
    this.outlet = outlet
    this.#onGone = onGone
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
    this.#onGone(this)
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
