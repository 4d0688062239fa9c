import { isRefusedByDatabase } from '../store/faults.ts'
import { delay } from './machine-time.ts'
import type { WorkContext } from './work-context.ts'

const RECOVERY_PAUSE_MS = 100

/** Asks until the database answers, or the process gives up. What it refuses is thrown at once. */
export async function patiently<T>(context: WorkContext, runId: string, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (isRefusedByDatabase(error)) throw error
      await pauseFor(context, error, runId)
    }
  }
}

/** Waits a little while the database is away, on the machine's clock: it is not part of an event. */
export async function pauseFor({ signal, log: serverLog }: WorkContext, error: unknown, runId: string): Promise<void> {
  serverLog.warn({ err: error, runId }, 'the database did not answer; trying again')
  await delay(RECOVERY_PAUSE_MS, signal)
  if (signal.aborted) throw error
}
