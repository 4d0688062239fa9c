import { formatDuration } from '../domain/duration.ts'
import { RUN_CONTROLS } from '../domain/run.ts'
import { STEP_CONTROLS } from '../domain/step.ts'
import type { LastControl } from './result.ts'

const PAST: Record<string, string> = {
  ...Object.fromEntries(Object.entries({ ...STEP_CONTROLS, ...RUN_CONTROLS }).map(([name, rule]) => [name, rule.past])),
  ABANDON_RESOURCE: 'abandoned a resource of',
}

/** " Mira paused this 2 s ago." for the end of a refusal; empty where nobody controlled it yet. */
export function whoWasFirst(last: LastControl | null, now: number): string {
  if (last === null) return ''
  const seconds = Math.floor((now - Date.parse(last.at)) / 1000)
  return ` ${last.actor.name} ${PAST[last.action] ?? 'changed'} this ${seconds < 1 ? 'just now' : `${formatDuration(seconds * 1000)} ago`}.`
}
