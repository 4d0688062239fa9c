import type { Clock } from '../domain/clock.ts'

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
