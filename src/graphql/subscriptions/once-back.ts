import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseAway } from '../../store/faults.ts'

/** How long after something could not be read or shown that is tried again. */
export const RETRY_MS = 1_000

/**
 * What `make` answers, once the database is there for it; null where nobody wants it any more. `onAway` is told each
 * error of a database that is away; any other is thrown.
 */
export async function onceBack<Value>(
  make: () => Promise<Value>,
  { isWanted, onAway }: { isWanted: () => boolean; onAway: (error: unknown) => void },
): Promise<Value | null> {
  while (isWanted()) {
    try {
      return await make()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      onAway(error)
    }
    await sleep(RETRY_MS, undefined, { ref: false })
  }
  return null
}
