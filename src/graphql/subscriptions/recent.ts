import { setTimeout as sleep } from 'node:timers/promises'

/** What is being made, or was begun a moment ago: for those who want the same at about the same time. */
export class Recent<Value> {
  readonly #keptMs: number
  readonly #made = new Map<string, Promise<Value>>()

  constructor(keptMs: number) {
    this.#keptMs = keptMs
  }

  has(key: string): boolean {
    return this.#made.has(key)
  }

  get(key: string, make: () => Promise<Value>): Promise<Value> {
    const begun = this.#made.get(key)
    if (begun !== undefined) return begun
    const value = make()
    this.#made.set(key, value)
    const isOld = sleep(this.#keptMs, undefined, { ref: false })
    void Promise.allSettled([value, isOld]).then(() => this.#made.delete(key))
    return value
  }
}
