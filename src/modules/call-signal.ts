/**
 * What tells an action that it should stop: `from` does, or the call itself. The signal is made when the action first
 * asks for it, since making and following one takes longer than all else about a call, and most actions never ask.
 */
export class CallSignal {
  readonly #from: AbortSignal
  #own: AbortController | null = null
  #aborted: { reason: unknown } | null = null
  #isOver = false

  constructor(from: AbortSignal) {
    this.#from = from
  }

  get signal(): AbortSignal {
    if (this.#own === null) {
      this.#own = new AbortController()
      if (this.#aborted !== null) this.#own.abort(this.#aborted.reason)
      else if (this.#from.aborted) this.#follow()
      else if (!this.#isOver) this.#from.addEventListener('abort', this.#follow, { once: true })
    }
    return this.#own.signal
  }

  abort(reason: unknown): void {
    this.#aborted = { reason }
    this.#own?.abort(reason)
  }

  /** From now on it follows nobody. */
  end(): void {
    this.#isOver = true
    if (this.#own !== null) this.#from.removeEventListener('abort', this.#follow)
  }

  readonly #follow = () => this.abort(this.#from.reason)
}
