import type { Clock } from '../domain/clock.ts'

/** Longest delay that a Node timer takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** A Node timer is about 1 ms late: the last of a wait goes turn by turn of the event loop. */
const LAST_TURNS_MS = 1

/** The machine's clock. */
export const systemClock: Clock = {
  now: Date.now,
  sleepUntil(at, signal) {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined
      let turn: NodeJS.Immediate | undefined
      const done = () => {
        clearTimeout(timer)
        clearImmediate(turn)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const arm = () => {
        const left = at - Date.now()
        if (left <= 0) done()
        else if (left <= LAST_TURNS_MS) turn = setImmediate(arm)
        else timer = setTimeout(arm, Math.min(left - LAST_TURNS_MS, LONGEST_TIMER_MS))
      }
      if (signal.aborted) return resolve()
      signal.addEventListener('abort', done, { once: true })
      arm()
    })
  },
}
