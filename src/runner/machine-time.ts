import { setTimeout as sleep } from 'node:timers/promises'

// On the machine's clock: what is waited for here is not part of an event.

/** Resolves after that time, or when what is waited for is done. */
export function unless(done: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    void done.then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** Resolves after that time, or when the signal fires. */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => {})
}
