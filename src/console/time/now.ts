import { useSyncExternalStore } from 'react'
import { serverNow } from '../api/server-clock.ts'

/** One clock for all countdowns of the page, so that they change together, on the second. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setTimeout> | undefined
let shown = second()

function second(): number {
  return Math.floor(serverNow() / 1000) * 1000
}

function tick(): void {
  shown = second()
  for (const listener of listeners) listener()
  timer = setTimeout(tick, 1_000 - (serverNow() % 1_000) + 5)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (listeners.size === 1) tick()
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) clearTimeout(timer)
  }
}

/** The server's time in milliseconds, anew each second. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => shown)

/** The same to the minute, for what does not change with each second. */
export const useMinute = (): number => useSyncExternalStore(subscribe, () => Math.floor(shown / 60_000) * 60_000)
