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
 * How much a process has in hand. What is in hand is being worked, or its action is being called, which does not count as
 * work, so that hanging ones stop nobody. It keeps its place from one call to the next, so that no more are called at a
 * time than may be, however many steps a run has. Taking back has a load of its own, so that neither it nor what runs do
 * leaves the other without room.
 */
export class Load {
  readonly calls: ReadonlySet<Call>
  readonly #calls = new Set<Call>()
  readonly #bounds: Bounds
  readonly #onChange: (load: Load) => void
  #working = 0
  #kept = 0

  constructor(bounds: Bounds, onChange: (load: Load) => void) {
    this.calls = this.#calls
    this.#bounds = bounds
    this.#onChange = onChange
  }

  /** How much more may be taken in hand; 0: nothing, less: so much too much was taken. */
  get room(): number {
    const { working, calls } = this.#bounds
    return Math.min(working, calls - this.#calls.size) - this.#working - this.#kept
  }

  /**
   * Whether it is time to take up more: half of what is worked at a time is done. What is taken up a few at a time costs
   * a statement each.
   */
  get hasRoom(): boolean {
    const { working, calls } = this.#bounds
    return this.room > 0 && this.#working <= Math.min(working, calls - this.#calls.size) / 2
  }

  /** Whether what is in hand may be called: less so where more was taken than there was room for. */
  get mayCall(): boolean {
    return this.#bounds.calls - this.#calls.size - this.#working >= 0
  }

  /** Keeps room for `limit` while `seek` looks for what to take in hand, until `take` has taken what it found. */
  async keeping<T, R>(limit: number, seek: () => Promise<T>, take: (found: T) => R): Promise<Awaited<R>> {
    this.#kept += limit
    let found: T
    try {
      found = await seek()
    } finally {
      this.#kept -= limit
    }
    return await take(found)
  }

  /** Takes one more in hand, whether there is room or not. */
  take(): void {
    this.#working += 1
  }

  /** One that was taken is over, and is not being called. */
  release(): void {
    this.#working -= 1
    this.#onChange(this)
  }

  /** Calls an action for one that is in hand, which is not being worked meanwhile. */
  async dispatch<T>(step: CalledFor, what: () => Promise<T>): Promise<T> {
    const over = what()
    const call = { step, over }
    this.#calls.add(call)
    this.#working -= 1
    this.#onChange(this)
    try {
      return await over
    } finally {
      this.#calls.delete(call)
      this.#working += 1
    }
  }
}
