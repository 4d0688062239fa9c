/** Time, as the runner, the controls and the API see it. Tests inject one that they move by hand. */
export interface Clock {
  /** The instant now, in milliseconds since the epoch. */
  now(): number
  /** Resolves at `at` or when `signal` aborts, whichever is first; never before `at` otherwise. */
  sleepUntil(at: number, signal: AbortSignal): Promise<void>
}

/** Longest delay that a Node timer takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The machine's clock. */
export const systemClock: Clock = {
  now: Date.now,
  sleepUntil(at, signal) {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const arm = () => {
        const left = at - Date.now()
        if (left <= 0) done()
        else timer = setTimeout(arm, Math.min(left, LONGEST_TIMER_MS))
      }
      if (signal.aborted) return resolve()
      signal.addEventListener('abort', done, { once: true })
      arm()
    })
  },
}
