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

/** How much may be in hand at a time. */
export type Bounds = {
  /** Runs, or ledgers of runs, being worked. */
  working: number
  /** Actions being called. */
  calls: number
}

/**
 * How much a process has in hand. An action being called does not count as work, so that hanging ones stop nobody.
 * Taking back has a load of its own, so that neither it nor what runs do leaves the other without room.
 */
export class Load {
  readonly calls: ReadonlySet<Call>
  readonly #calls = new Set<Call>()
  readonly #bounds: Bounds
  readonly #onChange: (load: Load) => void
  #working = 0

  constructor(bounds: Bounds, onChange: (load: Load) => void) {
    this.calls = this.#calls
    this.#bounds = bounds
    this.#onChange = onChange
  }

  /** How much more may be taken in hand; 0 or less: nothing. */
  get room(): number {
    const { working, calls } = this.#bounds
    return Math.min(working - this.#working, calls - this.#calls.size - this.#working)
  }

  /**
   * Whether it is time to take up more: half of what is worked at a time is done. What is taken up a few at a time costs
   * a statement each.
   */
  get hasRoom(): boolean {
    const { working, calls } = this.#bounds
    return this.room > 0 && this.#working <= Math.min(working, calls - this.#calls.size) / 2
  }

  async work<T>(what: () => Promise<T>): Promise<T> {
    this.#working += 1
    try {
      return await what()
    } finally {
      this.#working -= 1
      this.#onChange(this)
    }
  }

  async dispatch<T>(step: CalledFor, what: () => Promise<T>): Promise<T> {
    const over = what()
    const call = { step, over }
    this.#calls.add(call)
    this.#onChange(this)
    try {
      return await over
    } finally {
      this.#calls.delete(call)
    }
  }
}
