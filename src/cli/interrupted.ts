import { EXIT } from './failure.ts'
import type { Session } from './session.ts'

const EXITS = { SIGINT: EXIT.INTERRUPTED, SIGTERM: EXIT.TERMINATED } as const

/** Does something that goes on until it ends by itself, or until Ctrl-C ends it in order; a second one ends it at once. */
export async function untilInterrupted(session: Session, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interrupted = new AbortController()
  let exit: number | null = null
  const end = (signal: keyof typeof EXITS) => {
    exit = EXITS[signal]
    interrupted.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
  try {
    await work(interrupted.signal)
  } catch (error) {
    // What breaks while it is told to end, such as an attempt to connect, is nobody's concern any more.
    if (exit === null) throw error
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end)
  }
  if (exit !== null) session.endWith(exit)
}
