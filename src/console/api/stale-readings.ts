import type { CombinedError } from '@urql/core'
import type { Read } from './reader.ts'
import { Signal } from './signal.ts'

/** What is shown and cannot be read again. */
export type Stale = {
  /** When it was true: the server's time in milliseconds. */
  readAt: number
  error: CombinedError
}

/** Of everything that is shown: whether some of it cannot be read again, so that it can be said in one place. */
export class StaleReadings {
  /** The oldest; null: there is none. */
  readonly oldest = new Signal<Stale | null>(null)
  readonly #stale = new Map<object, Stale>()

  /** What became of a reading; null: nobody looks at it any more. */
  note(reading: object, read: Read<unknown> | null): void {
    if (read === null || read.error === null || read.readAt === null) this.#stale.delete(reading)
    else this.#stale.set(reading, { readAt: read.readAt, error: read.error })
    const [oldest = null] = [...this.#stale.values()].sort((one, other) => one.readAt - other.readAt)
    this.oldest.set(oldest)
  }
}
