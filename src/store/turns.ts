import { setImmediate } from 'node:timers/promises'

/** Lets so many pieces of work go on at once; the others wait for their turn, in the order they came. */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The turn is handed on, so that nobody who comes now slips in between.
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}

/** Does what takes the process a while for many items a portion at a time, so that all else has its turn between. */
export async function inPortions<T, R>(
  items: readonly T[],
  size: number,
  work: (portion: readonly T[]) => readonly R[],
): Promise<R[]> {
  const results: R[] = []
  for (let done = 0; done < items.length; done += size) {
    if (done > 0) await setImmediate()
    results.push(...work(items.slice(done, done + size)))
  }
  return results
}
