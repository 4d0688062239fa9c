/**
 * Lets so many work at a time. Those beyond wait, and have their turn by key: who has one in hand waits for one of
 * another's, however many hundreds that one has.
 */
export class Turns {
  readonly #most: number
  readonly #patience: number
  #working = 0
  /** Those that wait, by key; the keys in the order of their turns. */
  readonly #waiting = new Map<string, Set<() => void>>()

  /** `patience`: how long one waits at most, in milliseconds. */
  constructor({ most, patience }: { most: number; patience: number }) {
    this.#most = most
    this.#patience = patience
  }

  /** Works when it has its turn; null: it had none in time, and nothing was done. */
  async of<T>(key: string, work: () => Promise<T>): Promise<T | null> {
    if (this.#working < this.#most) this.#working += 1
    else if (!(await this.#turn(key))) return null
    try {
      return await work()
    } finally {
      this.#next()
    }
  }

  #turn(key: string): Promise<boolean> {
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        const others = this.#waiting.get(key)
        others?.delete(go)
        if (others?.size === 0) this.#waiting.delete(key)
        resolve(false)
      }, this.#patience)
      const others = this.#waiting.get(key)
      if (others === undefined) this.#waiting.set(key, new Set([go]))
      else others.add(go)
    })
  }

  /** Hands the turn on, or gives it back. */
  #next(): void {
    for (const [key, waiting] of this.#waiting) {
      for (const go of waiting) {
        waiting.delete(go)
        this.#waiting.delete(key)
        if (waiting.size > 0) this.#waiting.set(key, waiting)
        go()
        return
      }
    }
    this.#working -= 1
  }
}
