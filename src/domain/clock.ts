/** Time, as the runner, the controls and the API see it. Tests inject one that they move by hand. */
export interface Clock {
  /** The instant now, in milliseconds since the epoch. */
  now(): number
  /** Resolves at `at` or when `signal` aborts, whichever is first; never before `at` otherwise. */
  sleepUntil(at: number, signal: AbortSignal): Promise<void>
}
