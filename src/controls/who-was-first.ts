import { formatDuration } from '../domain/duration.ts'
import { RUN_CONTROLS, type RunControl, type RunStatus } from '../domain/run.ts'
import { STEP_CONTROLS, type StepControl } from '../domain/step.ts'
import {
  type MadeControl,
  type Opening,
  readControlsOfStep,
  readEndOfHold,
  readLastOfCleanup,
  readStatusChanges,
  type StatusChange,
} from '../store/controls-made.ts'
import type { RunForControl } from '../store/run-controls.ts'
import type { StepForControl } from '../store/step-controls.ts'
import type { ControlContext } from './context.ts'
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
 * Who changed the status of a run last, since something was allowed in it that is not in the one it has now. Null: it left
 * the last status in which that was allowed by itself.
 */
export function firstOverStatus(
  changes: readonly StatusChange[],
  allowedFrom: readonly RunStatus[],
): MadeControl | null {
  const left = changes.findIndex(({ from }) => allowedFrom.includes(from))
  const isByItself = (change: StatusChange | undefined) => change === undefined || change.actor.kind === 'SYSTEM'
  if (isByItself(changes[left])) return null
  return changes.slice(0, left + 1).find((change) => !isByItself(change)) ?? null
}

/** Whose control left nothing to do for another one of the same run. */
export async function firstOverRun(
  { db }: ControlContext,
  { id, status, cleanupStatus }: RunForControl,
  name: RunControl,
): Promise<MadeControl | null> {
  const { from } = RUN_CONTROLS[name]
  if (name === 'RETRY_CLEANUP') {
    const last = await readLastOfCleanup(db.controls, id)
    const madeItSo = last?.action === name ? cleanupStatus !== 'INCOMPLETE' : cleanupStatus === 'CLEAN'
    return madeItSo ? last : null
  }
  const ended = name === 'END_HOLD' ? await readEndOfHold(db.controls, id) : null
  return ended ?? (from.includes(status) ? null : firstOverStatus(await readStatusChanges(db.controls, id), from))
}

/** Whose control of a step itself left nothing to do for another one. */
export async function firstOverStep(
  { db }: ControlContext,
  { id, runId, status, parked }: StepForControl,
  name: StepControl,
): Promise<MadeControl | null> {
  const isTaken = parked && (name === 'CLAIM' || name === 'TAKE_OVER')
  const isOver: Record<string, boolean> = {
    CLAIM: isTaken,
    TAKE_OVER: isTaken,
    CONFIRM: status === 'DONE',
    SKIP: status === 'SKIPPED',
    RETRY: name === 'RETRY' && status !== 'FAILED' && status !== 'REFUSED',
  }
  const made = await readControlsOfStep(db.controls, { runId, stepId: id })
  return made.find(({ action }) => isOver[action]) ?? null
}

/** As the API tells it. */
export const shownControl = (control: MadeControl | null): LastControl | null =>
  control && { actor: control.actor, action: control.action, at: control.at.toISOString() }

/** What opened the gate of a phase that was to be forced: " shard.boss-slain opened the gate of phase "assault" 2 s ago.". */
export function whatOpened(opening: Opening, now: number): string {
  const when = ago(opening.at, now)
  if (opening.by === 'FORCED') return ` ${opening.actor.name} ${PAST.ADVANCE} this ${when}.`
  return ` ${opening.by === 'TRIGGER' ? opening.trigger : 'Its time'} opened the gate of phase "${opening.phase}" ${when}.`
}

/** The person who opened a gate; null: it was no person. */
export const whoForced = (opening: Opening): LastControl | null =>
  opening.by === 'FORCED' ? { actor: opening.actor, action: 'ADVANCE', at: new Date(opening.at).toISOString() } : null

function ago(at: number, now: number): string {
  const seconds = Math.floor((now - at) / 1000)
  return seconds < 1 ? 'just now' : `${formatDuration(seconds * 1000)} ago`
}
