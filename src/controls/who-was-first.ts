import { formatDuration } from '../domain/duration.ts'
import { RUN_CONTROLS, type RunControl, type RunStatus } from '../domain/run.ts'
import { STEP_CONTROLS, type StepControl } from '../domain/step.ts'
import type { MadeControl } from '../store/controls-made.ts'
import type { RunForControl } from '../store/run-controls.ts'
import type { StepForControl } from '../store/step-controls.ts'
import type { LastControl } from './result.ts'

const PAST: Record<string, string> = {
  ...Object.fromEntries(Object.entries({ ...STEP_CONTROLS, ...RUN_CONTROLS }).map(([name, rule]) => [name, rule.past])),
  ABANDON_RESOURCE: 'abandoned a resource of',
}

/** " Mira paused this 2 s ago." for the end of a refusal; empty where nobody was first. */
export function whoWasFirst(first: MadeControl | null, now: number, of = 'this'): string {
  if (first === null) return ''
  return ` ${first.actor.name} ${PAST[first.action] ?? 'changed'} ${of} ${ago(first.at.getTime(), now)}.`
}

/**
 * The control, of those that were made, that brought a run from a status in which something was allowed into one in which
 * it is not. Null: after the last that changed it was allowed, and what the run came to by itself since nobody was first to.
 */
export function firstOverStatus(made: readonly MadeControl[], allowedFrom: readonly RunStatus[]): MadeControl | null {
  for (const control of made) {
    const { from, to } = control
    if (from === null || to === null) continue
    if (allowedFrom.includes(to)) return null
    if (allowedFrom.includes(from)) return control
  }
  return null
}

/** The control, of those that were made, after which a run is not like it has to be for another one any more. */
export function firstOverRun(
  { status, cleanupStatus }: RunForControl,
  name: RunControl,
  made: readonly MadeControl[],
): MadeControl | null {
  const { from } = RUN_CONTROLS[name]
  const over = from.includes(status) ? null : firstOverStatus(made, from)
  if (over !== null) return over
  if (name === 'END_HOLD') return made.find(({ action }) => action === name) ?? null
  if (name !== 'RETRY_CLEANUP') return null
  const last = made.find(({ action }) => action === name || action === 'ABANDON_RESOURCE')
  const madeItSo = last?.action === name ? cleanupStatus !== 'INCOMPLETE' : cleanupStatus === 'CLEAN'
  return madeItSo ? (last ?? null) : null
}

/** Who was first with a step itself: the last control of it, if that left nothing to do for another one. */
export function firstOverStep(
  { id, status, parked }: StepForControl,
  name: StepControl,
  made: readonly MadeControl[],
): MadeControl | null {
  const last = made.find(({ stepId }) => stepId === id)
  if (last === undefined) return null
  const isOver = {
    CONFIRM: status === 'DONE',
    SKIP: status === 'SKIPPED',
    RETRY: name === 'RETRY' && status !== 'FAILED' && status !== 'REFUSED',
  }[last.action]
  return (isOver ?? parked) ? last : null
}

/** As the API tells it. */
export const shownControl = (control: MadeControl | null): LastControl | null =>
  control && { actor: control.actor, action: control.action, at: control.at.toISOString() }

/** What opened the gate of a phase that was to be forced: " shard.boss-slain opened the gate of phase "assault" 2 s ago.". */
export function whoOpenedFirst({ lastOpening }: RunForControl, phase: string, now: number): string {
  if (lastOpening === null || lastOpening.phase !== phase) return ''
  const { by, name, at } = lastOpening
  const when = ago(Date.parse(at), now)
  if (by === 'FORCED') return ` ${name} ${PAST.ADVANCE} this ${when}.`
  return ` ${by === 'TRIGGER' ? name : 'Its time'} opened the gate of phase "${phase}" ${when}.`
}

/** Who forced the gate of a phase, if that is the gate that opened last. */
export function whoForced({ lastOpening }: RunForControl, phase: string): LastControl | null {
  if (lastOpening?.phase !== phase || lastOpening.kind === null || lastOpening.name === null) return null
  const { kind, name, at } = lastOpening
  return { actor: { kind, name }, action: 'ADVANCE', at: new Date(at).toISOString() }
}

function ago(at: number, now: number): string {
  const seconds = Math.floor((now - at) / 1000)
  return seconds < 1 ? 'just now' : `${formatDuration(seconds * 1000)} ago`
}
