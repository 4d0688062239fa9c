import { formatId } from './ids.ts'
import * as log from './log.ts'

/** A run that did not start, and why; `heldBy` is the run that held its concurrency key. */
export type Missed = { runId: string } & (
  | { reason: 'SCHEDULE_PAUSED' | 'NOT_RUNNING' }
  | { reason: 'KEY_HELD'; heldBy: string }
)

export type MissedReason = Missed['reason']

/** Why a run was missed, in words, and the line that says so. */
export function missed(run: Missed, now: number): { because: string; line: log.RunLine } {
  const because =
    run.reason === 'KEY_HELD'
      ? `the grace window passed while ${formatId('Run', run.heldBy)} held its concurrency key`
      : run.reason === 'SCHEDULE_PAUSED'
        ? 'its schedule was paused'
        : 'the grace window passed before a runner could start it'
  return { because, line: log.runStatus({ at: now }, { from: 'SCHEDULED', to: 'MISSED', because }) }
}
