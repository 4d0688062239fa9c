import { formatDuration } from '../domain/duration.ts'
import { RUN_CONTROLS } from '../domain/run.ts'
import { STEP_CONTROLS } from '../domain/step.ts'
import type { LastControl } from './result.ts'

const PAST: Record<string, string> = Object.fromEntries(
  Object.entries({ ...STEP_CONTROLS, ...RUN_CONTROLS }).map(([name, rule]) => [name, rule.past]),
)

/** " Mira paused this 2 s ago." for the end of a refusal; empty where nobody controlled it yet. */
export function whoWasFirst(last: LastControl | null, now: number): string {
  if (last === null) return ''
  const ago = Math.max(0, now - Date.parse(last.at))
  return ` ${last.actor.name} ${PAST[last.action] ?? 'changed'} this ${ago < 1000 ? 'just now' : `${formatDuration(ago)} ago`}.`
}
