import { setImmediate } from 'node:timers/promises'

/** It had no turn in the time that it waits for one, and nothing was done. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn'
}

export type TurnsOptions = {
  /** How much goes on at once. */
  atOnce: number
  /** Milliseconds after which work is slow, which lets more begin beside it, and how much goes on then at most. */
  slow?: { after: number; most: number }
  /** How long work waits for its turn at most, in milliseconds; omitted: for as long as it takes. */
  patience?: number
}

type End = () => void

/**
 * Lets so much work go on at once. What is beyond waits, and has its turn by who wants it: who wants one thing done waits
 * for one of another's, however many hundreds that one has, and for those of its own that came before.
 */
export class Turns {
  readonly #options: TurnsOptions
  #goingOn = 0
  #slow = 0
  /** What waits, by who wants it; these in the order of their turns. */
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  /** Does the work when it has its turn. Throws NoTurn where it had none in time. */
  async take<T>(who: string, work: () => Promise<T>): Promise<T> {
    const end = this.#isFree ? this.#begin() : await this.#turn(who)
    try {
      return await work()
    } finally {
      end()
    }
  }

  get #isFree(): boolean {
    const { atOnce, slow } = this.#options
    return this.#goingOn - this.#slow < atOnce && this.#goingOn < (slow?.most ?? atOnce)
  }

  #begin(): End {
    this.#goingOn += 1
    let isSlow = false
    const { slow } = this.#options
    const timer =
      slow &&
      setTimeout(() => {
        isSlow = true
        this.#slow += 1
        this.#handOn()
      }, slow.after)
    return () => {
      clearTimeout(timer)
      this.#goingOn -= 1
      if (isSlow) this.#slow -= 1
      this.#handOn()
    }
  }

  #turn(who: string): Promise<End> {
    const { patience } = this.#options
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(who) ?? new Set()
      this.#waiting.set(who, waiting)
      let timer: NodeJS.Timeout | undefined
      // It has begun from here on, so that nobody who comes now slips in between.
      const begin = () => {
        clearTimeout(timer)
        resolve(this.#begin())
      }
      waiting.add(begin)
      if (patience === undefined) return
      timer = setTimeout(() => {
        waiting.delete(begin)
        if (waiting.size === 0) this.#waiting.delete(who)
        reject(new NoTurn(`There was no turn within ${patience} ms.`))
      }, patience)
    })
  }

  #handOn(): void {
    for (const [who, waiting] of this.#waiting) {
      const [begin] = waiting
      if (!this.#isFree || begin === undefined) return
      // The next is another's, if another waits: the map is walked to its end, and who is put there again is met again.
      this.#waiting.delete(who)
      waiting.delete(begin)
      if (waiting.size > 0) this.#waiting.set(who, waiting)
      begin()
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
