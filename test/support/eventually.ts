import { vi } from 'vitest'

/** Waits until this throws no more, for as long as a busy machine may take; answers what it answers then. */
export const eventually = <T>(holds: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(holds, { timeout: 30_000, interval: 20 })
