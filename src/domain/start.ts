import * as log from './log.ts'
import type { Draft, Instant } from './picture.ts'

/** Begins a run that waits for its start: SCHEDULED becomes STARTING, and what held it back is forgotten. */
export function start(draft: Draft, now: Instant): void {
  draft.lines.push(log.runStatus({ at: now }, { from: 'SCHEDULED', to: 'STARTING' }))
  Object.assign(draft.run, { status: 'STARTING', startedAt: now, lastError: null })
}
