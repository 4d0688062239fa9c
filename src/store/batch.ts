import { isRefusedByDatabase } from './faults.ts'

/** How many statements of one kind are in flight at most, and how many callers share one. */
const STATEMENTS_IN_FLIGHT = 2
const CALLS_PER_STATEMENT = 192
/** So many go in one statement although another could go beside it: a statement costs as much as ten calls besides. */
const CALLS_WORTH_A_STATEMENT = 64
/** Nor more weight than this, but for one that weighs more alone: of rows, it takes less than a second. */
const WEIGHT_PER_STATEMENT = 20_000

type Waiting<T, R> = { item: T; resolve: (result: R) => void; reject: (error: unknown) => void }

/**
 * Sends what callers ask for one by one in statements that do many at once. No timer: a lone call goes at once, and
 * what is asked for while statements are in flight goes together in the next. A group that the database refuses is
 * halved until the item that is at fault fails alone; where the answer was lost on the way nobody knows what became of
 * the group, so that each caller is told.
 */
export class Batch<T, R> {
  readonly #send: (items: T[]) => Promise<R[]>
  readonly #weightOf: (item: T) => number
  readonly #queue: Waiting<T, R>[] = []
  #inFlight = 0
  #scheduled = false

  /** `send` answers one result for each item, in their order. `weightOf`: how many rows an item is, where that varies. */
  constructor(send: (items: T[]) => Promise<R[]>, weightOf: (item: T) => number = () => 1) {
    this.#send = send
    this.#weightOf = weightOf
  }

  /** How many calls no statement has taken up yet. */
  get waiting(): number {
    return this.#queue.length
  }

  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject })
      this.#schedule()
    })
  }

  // What the same turn of the event loop asks for goes together.
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      while (this.#inFlight < STATEMENTS_IN_FLIGHT && this.#queue.length > 0) {
        const share = Math.ceil(this.#queue.length / (STATEMENTS_IN_FLIGHT - this.#inFlight))
        const calls = Math.min(Math.max(share, CALLS_WORTH_A_STATEMENT), CALLS_PER_STATEMENT)
        this.#inFlight += 1
        void this.#run(this.#take(calls)).finally(() => {
          this.#inFlight -= 1
          if (this.#queue.length > 0) this.#schedule()
        })
      }
    })
  }

  /** The first of the queue, `most` at most. */
  #take(most: number): Waiting<T, R>[] {
    let weight = 0
    const end = this.#queue.slice(0, most).findIndex(({ item }) => {
      weight += this.#weightOf(item)
      return weight > WEIGHT_PER_STATEMENT
    })
    return this.#queue.splice(0, end === -1 ? most : Math.max(end, 1))
  }

  async #run(calls: Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.#send(calls.map((call) => call.item))
      calls.forEach((call, index) => {
        call.resolve(results[index] as R)
      })
    } catch (error) {
      if (calls.length === 1 || !isRefusedByDatabase(error)) {
        for (const call of calls) call.reject(error)
        return
      }
      const half = Math.ceil(calls.length / 2)
      await this.#run(calls.slice(0, half))
      await this.#run(calls.slice(half))
    }
  }
}
