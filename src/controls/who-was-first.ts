import { formatDuration } from '../domain/duration.ts'
import { RUN_CONTROLS, type RunControl, type RunStatus } from '../domain/run.ts'
import { STEP_CONTROLS, type StepControl, type StepStatus } from '../domain/step.ts'
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
  return whoDid(first, `${PAST[first.action] ?? 'changed'} ${of}`, now)
}

/** " Mira abandoned this 2 s ago." */
export function whoDid({ actor, at }: MadeControl, what: string, now: number): string {
  return ` ${actor.name} ${what} ${ago(at.getTime(), now)}.`
}

type RunInStatus = { id: string; status: RunStatus }

/**
 * Who brought a run into the status it has now, in which something is not allowed: the person who cancelled it, or who
 * changed its status last since that was allowed. Null: it left the last status in which that was allowed by itself, or
 * it is allowed.
 */
export async function firstOverStatus(
  { db }: ControlContext,
  { id, status }: RunInStatus,
  allowedFrom: readonly RunStatus[],
): Promise<MadeControl | null> {
  if (allowedFrom.includes(status)) return null
  const all = await readStatusChanges(db.controls, id)
  // The log is read after the run, which may have gone on.
  const until = all.findIndex(({ to }) => to === status)
  const changes = until === -1 ? [] : all.slice(until)
  const [newest] = changes
  if (newest?.to === 'CANCELLED' && isPersons(newest)) return newest
  // A run that is PAUSED before its first phase allows nothing that one allows that is RUNNING.
  const isPhaseNeeded = allowedFrom.includes('RUNNING')
  const leaving = changes.find(({ from, to }) => allowedFrom.includes(from) && !(isPhaseNeeded && to === 'STARTING'))
  return leaving !== undefined && isPersons(leaving) ? (changes.find(isPersons) ?? null) : null
}

const isPersons = ({ actor }: StatusChange) => actor.kind !== 'SYSTEM'

/** Whose control left nothing to do for another one of the same run. */
export async function firstOverRun(
  ctx: ControlContext,
  run: RunForControl,
  name: RunControl,
): Promise<MadeControl | null> {
  const { db } = ctx
  const { id, cleanupStatus } = run
  const { from } = RUN_CONTROLS[name]
  if (name === 'RETRY_CLEANUP') {
    const last = await readLastOfCleanup(db.controls, id)
    const madeItSo = last?.action === name ? cleanupStatus !== 'INCOMPLETE' : cleanupStatus === 'CLEAN'
    return madeItSo ? last : null
  }
  const ended = name === 'END_HOLD' ? await readEndOfHold(db.controls, id) : null
  return ended ?? firstOverStatus(ctx, run, from)
}

/** What a step is that failed again since it was retried, or was cancelled. */
const NOT_RETRIED: readonly StepStatus[] = ['FAILED', 'REFUSED', 'CANCELLED']

/** Whose control of a step itself left nothing to do for another one. */
export async function firstOverStep(
  { db }: ControlContext,
  step: StepForControl,
  name: StepControl,
): Promise<MadeControl | null> {
  const { id, runId, status, parked } = step
  const isTaken = parked && (name === 'CLAIM' || name === 'TAKE_OVER')
  const isOver: Record<string, boolean> = {
    CLAIM: isTaken,
    TAKE_OVER: isTaken,
    CONFIRM: status === 'DONE',
    SKIP: status === 'SKIPPED',
    RETRY: name === 'RETRY' && !NOT_RETRIED.includes(status),
  }
  const made = await readControlsOfStep(db.controls, { runId, stepId: id })
  // Somebody else may have taken it over since the step was read.
  const isHolders = ({ actor }: MadeControl) => actor.kind === step.claimedByKind && actor.name === step.claimedByName
  return made.find((control) => isOver[control.action] && (!isTaken || isHolders(control))) ?? null
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
