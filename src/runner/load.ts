/** What an action is called for: a step, or something of a step's that is taken back. */
export type CalledFor = {
  label: string | null
  actionId: string
  params?: Record<string, unknown>
  /** What is taken back. */
  resource?: { kind: string; ref: string }
}

/** An action that is being called. */
export type Call = { step: CalledFor /** Resolves when the call is over. */; over: Promise<unknown> }

/** How much a process has in hand. An action being called does not count as work, so that hanging ones stop nobody. */
export class Load {
  working = 0
  readonly calls: ReadonlySet<Call>
  readonly #calls = new Set<Call>()
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.calls = this.#calls
    this.#onChange = onChange
  }

  get dispatching(): number {
    return this.#calls.size
  }

  /** Runs that are worked on and actions that are being called. */
  get inHand(): number {
    return this.working + this.dispatching
  }

  async work<T>(what: () => Promise<T>): Promise<T> {
    this.working += 1
    try {
      return await what()
    } finally {
      this.working -= 1
      this.#onChange()
    }
  }

  async dispatch<T>(step: CalledFor, what: () => Promise<T>): Promise<T> {
    const over = what()
    const call = { step, over }
    this.#calls.add(call)
    this.#onChange()
    try {
      return await over
    } finally {
      this.#calls.delete(call)
    }
  }
}
