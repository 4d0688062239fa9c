import { formatDuration } from '../domain/duration.ts'
import { RUN_CONTROLS, type RunControl, type RunStatus } from '../domain/run.ts'
import { STEP_CONTROLS } from '../domain/step.ts'
import type { RunForControl, StoredControl } from '../store/run-controls.ts'
import type { StepForControl } from '../store/step-controls.ts'
import type { LastControl } from './result.ts'

const PAST: Record<string, string> = {
  ...Object.fromEntries(Object.entries({ ...STEP_CONTROLS, ...RUN_CONTROLS }).map(([name, rule]) => [name, rule.past])),
  ABANDON_RESOURCE: 'abandoned a resource of',
}

/** Which statuses a control brings a run into. */
const LEADS_TO: Record<string, readonly RunStatus[]> = {
  CANCEL: ['CANCELLED'],
  PAUSE: ['PAUSED'],
  RESUME: ['STARTING', 'RUNNING'],
}

/** " Mira paused this 2 s ago." for the end of a refusal; empty where nobody was first. */
export function whoWasFirst(first: LastControl | null, now: number, of = 'this'): string {
  if (first === null) return ''
  return ` ${first.actor.name} ${PAST[first.action] ?? 'changed'} ${of} ${ago(Date.parse(first.at), now)}.`
}

/**
 * The control that brought a run from a status in which something was allowed into one in which it is not; null: the last
 * control of the run is not what made it so. What the run came to by itself since, nobody was first to.
 */
export function firstOverStatus(
  { status, lastControl }: { status: RunStatus; lastControl: StoredControl | null },
  allowedFrom: readonly RunStatus[],
): LastControl | null {
  if (lastControl?.from === undefined) return null
  const madeItSo = LEADS_TO[lastControl.action]?.includes(status) === true && !allowedFrom.includes(status)
  return madeItSo && allowedFrom.includes(lastControl.from) ? shownControl(lastControl) : null
}

/** The control after which a run is not like it has to be for another one any more; `wasHeldSince`: by a new hold. */
export function firstOverRun(run: RunForControl, name: RunControl, wasHeldSince: boolean): LastControl | null {
  const { status, cleanupStatus, lastControl } = run
  const { from } = RUN_CONTROLS[name]
  if (!from.includes(status)) return firstOverStatus(run, from)
  const retried = lastControl?.action === 'RETRY_CLEANUP' && cleanupStatus !== 'INCOMPLETE'
  const abandoned = lastControl?.action === 'ABANDON_RESOURCE' && cleanupStatus === 'CLEAN'
  const madeItSo =
    (name === 'END_HOLD' && lastControl?.action === 'END_HOLD' && !wasHeldSince) ||
    (name === 'RETRY_CLEANUP' && (retried || abandoned))
  return madeItSo ? shownControl(lastControl) : null
}

/** Who was first with a step itself: its last control, if that made it what it is. */
export function firstOverStep({ id, status, parked, lastControl }: StepForControl): LastControl | null {
  if (lastControl?.target !== id) return null
  const left = { CONFIRM: status === 'DONE', SKIP: status === 'SKIPPED', RETRY: status === 'PENDING' }[
    lastControl.action
  ]
  return (left ?? parked) ? shownControl(lastControl) : null
}

/** Without what only we go by. */
export const shownControl = (control: StoredControl | null): LastControl | null =>
  control && { actor: control.actor, action: control.action, at: control.at }

/** What opened the gate of a phase that was to be forced: " shard.boss-slain opened the gate of phase "assault" 2 s ago.". */
export function whoOpenedFirst({ lastOpening }: RunForControl, phase: string, now: number): string {
  if (lastOpening === null || lastOpening.phase !== phase) return ''
  const { by, name, at } = lastOpening
  const when = ago(Date.parse(at), now)
  if (by === 'FORCED') return ` ${name} ${PAST.ADVANCE} this ${when}.`
  return ` ${by === 'TRIGGER' ? name : 'Its time'} opened the gate of phase "${phase}" ${when}.`
}

function ago(at: number, now: number): string {
  const seconds = Math.floor((now - at) / 1000)
  return seconds < 1 ? 'just now' : `${formatDuration(seconds * 1000)} ago`
}
