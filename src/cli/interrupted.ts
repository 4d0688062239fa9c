import { EXIT } from './failure.ts'
import type { Session } from './session.ts'

/** Does something that goes on until it ends by itself, or until Ctrl-C ends it in order; a second one ends it at once. */
export async function untilInterrupted(session: Session, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interrupted = new AbortController()
  const end = () => interrupted.abort()
  process.once('SIGINT', end)
  try {
    await work(interrupted.signal)
  } finally {
    process.off('SIGINT', end)
  }
  if (interrupted.signal.aborted) session.endWith(EXIT.INTERRUPTED)
}
