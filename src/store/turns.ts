import { setImmediate } from 'node:timers/promises'

/** It had no turn in the time that it waits for one, and nothing was done. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn'
}

/**
 * Lets so much work go on at once. What is beyond waits, and has its turn by who wants it: who wants one thing done waits
 * for one of another's, however many hundreds that one has, and for those of its own that came before.
 */
export class Turns {
  readonly #patience: number | null
  #free: number
  /** What waits, by who wants it; these in the order of their turns. */
  readonly #waiting = new Map<string, Set<() => void>>()

  /** `patience`: how long work waits at most, in milliseconds; null: for as long as it takes. */
  constructor(atOnce: number, patience: number | null = null) {
    this.#free = atOnce
    this.#patience = patience
  }

  /** Does the work when it has its turn. Throws NoTurn where it had none in time. */
  async take<T>(who: string, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#turn(who)
    try {
      return await work()
    } finally {
      this.#handOn()
    }
  }

  #turn(who: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(who) ?? new Set()
      this.#waiting.set(who, waiting)
      let timer: NodeJS.Timeout | undefined
      const go = () => {
        clearTimeout(timer)
        resolve()
      }
      waiting.add(go)
      if (this.#patience === null) return
      timer = setTimeout(() => {
        waiting.delete(go)
        if (waiting.size === 0) this.#waiting.delete(who)
        reject(new NoTurn(`There was no turn within ${this.#patience} ms.`))
      }, this.#patience)
    })
  }

  /** Nobody who comes now slips in between. */
  #handOn(): void {
    const [next] = this.#waiting
    const [go] = next?.[1] ?? []
    if (next === undefined || go === undefined) {
      this.#free += 1
      return
    }
    const [who, waiting] = next
    waiting.delete(go)
    // Behind all others.
    this.#waiting.delete(who)
    if (waiting.size > 0) this.#waiting.set(who, waiting)
    go()
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
