import { formatDuration } from '../domain/duration.ts'
import { isTerminal, RUN_CONTROLS } from '../domain/run.ts'
import { STEP_CONTROLS } from '../domain/step.ts'
import type { RunForControl } from '../store/run-controls.ts'
import type { LastControl } from './result.ts'

const PAST: Record<string, string> = {
  ...Object.fromEntries(Object.entries({ ...STEP_CONTROLS, ...RUN_CONTROLS }).map(([name, rule]) => [name, rule.past])),
  ABANDON_RESOURCE: 'abandoned a resource of',
}

/** " Mira paused this 2 s ago." for the end of a refusal; empty where nobody controlled it yet. */
export function whoWasFirst(last: LastControl | null, now: number): string {
  if (last === null) return ''
  return ` ${last.actor.name} ${PAST[last.action] ?? 'changed'} this ${ago(Date.parse(last.at), now)}.`
}

/** The same where a gate has to be closed: " shard.boss-slain opened the gate of phase "assault" 2 s ago.". */
export function whoOpenedFirst({ lastControl, lastOpening, status }: RunForControl, now: number): string {
  const at = lastOpening === null ? Number.NEGATIVE_INFINITY : Date.parse(lastOpening.at)
  const endedByControl = isTerminal(status) && lastControl !== null && Date.parse(lastControl.at) >= at
  if (lastOpening === null || endedByControl) return whoWasFirst(lastControl, now)
  const { by, name, phase } = lastOpening
  if (by === 'FORCED') return ` ${name} ${PAST.ADVANCE} this ${ago(at, now)}.`
  return ` ${by === 'TRIGGER' ? name : 'Its time'} opened the gate of phase "${phase}" ${ago(at, now)}.`
}

function ago(at: number, now: number): string {
  const seconds = Math.floor((now - at) / 1000)
  return seconds < 1 ? 'just now' : `${formatDuration(seconds * 1000)} ago`
}
