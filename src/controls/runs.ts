import type { Actor } from '../domain/actor.ts'
import { waitedSeconds } from '../domain/gate.ts'
import { graceUntil } from '../domain/grace.ts'
import { formatId } from '../domain/ids.ts'
import * as log from '../domain/log.ts'
import { mayControl, RUN_CONTROLS, type RunControl, type RunStatus } from '../domain/run.ts'
import { type MadeControl, readOpening } from '../store/controls-made.ts'
import { readKeyHolder, retryCleanupIfKeyIsFree } from '../store/ledger-controls.ts'
import {
  type Controlled,
  cancelRunIfLive,
  endHoldIfHeld,
  forceGateIfClosed,
  pauseRunIfActive,
  type RunForControl,
  readRunForControl,
  rescheduleRunIfScheduled,
  resumeRunIfPaused,
} from '../store/run-controls.ts'
import type { ControlContext } from './context.ts'
import { givenReason, requiredReason } from './reason.ts'
import { conflict, invalid, notFound, type Refusal, type Result } from './result.ts'
import { startTooFarBack } from './start.ts'
import { firstOverRun, shownControl, whatOpened, whoForced, whoWasFirst } from './who-was-first.ts'

export type RunControlInput = { runId: string; reason?: string | null }
/** `phase`: whose gate is to be forced. */
type Input = RunControlInput & { phase?: string }
type RunResult = Result<{ runId: string }>

/** Moves the start of a run that has not started; the occurrence keeps its identity. */
export function rescheduleRun(
  ctx: ControlContext,
  actor: Actor,
  input: RunControlInput & { scheduledFor: Date },
): Promise<RunResult> {
  const scheduledFor = input.scheduledFor.getTime()
  return control(ctx, actor, 'RESCHEDULE', input, ({ run, line, common }) => {
    const issue = startTooFarBack(scheduledFor, run.graceSeconds, ctx.clock.now())
    if (issue !== null) return invalid([issue])
    const to = { scheduledFor, graceUntil: graceUntil(scheduledFor, run.graceSeconds) }
    return rescheduleRunIfScheduled(ctx.db.controls, { ...common, ...to, line: line('SCHEDULED', { scheduledFor }) })
  })
}

/** Ends a run for good. A step in flight is left to finish: nothing recalls a sent command. */
export function cancelRun(ctx: ControlContext, actor: Actor, input: RunControlInput): Promise<RunResult> {
  return control(ctx, actor, 'CANCEL', input, ({ line, common, reason }) => {
    const because = reason === undefined ? `${actor.name} cancelled it` : `${actor.name} cancelled it: ${reason}`
    return cancelRunIfLive(ctx.db.controls, { ...common, because, line: line('CANCELLED') })
  })
}

/** Stops a run before its next dispatch. */
export function pauseRun(ctx: ControlContext, actor: Actor, input: RunControlInput): Promise<RunResult> {
  return control(ctx, actor, 'PAUSE', input, ({ line, common }) =>
    pauseRunIfActive(ctx.db.controls, { ...common, line: line('PAUSED') }),
  )
}

/** Lets a paused run go on, after the step that failed where one did. */
export function resumeRun(ctx: ControlContext, actor: Actor, input: RunControlInput): Promise<RunResult> {
  return control(ctx, actor, 'RESUME', input, ({ run, line, common }) => {
    const to = run.enteredPhase ? 'RUNNING' : 'STARTING'
    return resumeRunIfPaused(ctx.db.controls, { ...common, to, line: line(to) })
  })
}

/** Ends a hold: what was held goes on now. */
export function endHold(ctx: ControlContext, actor: Actor, input: RunControlInput): Promise<RunResult> {
  return control(ctx, actor, 'END_HOLD', input, ({ run, line, common }) =>
    endHoldIfHeld(ctx.db.controls, { ...common, line: line(run.status) }),
  )
}

/** Forces the gate of the current phase open; its open steps still have to finish. */
export async function advancePhase(
  ctx: ControlContext,
  actor: Actor,
  input: { runId: string; phase: string; reason: string },
): Promise<RunResult> {
  const reason = requiredReason(input.reason)
  if (!reason.ok) return invalid([reason.issue])
  return control(ctx, actor, 'ADVANCE', input, ({ run, common }) => {
    if (run.gate === null || run.currentPhase !== input.phase) {
      const message = `Phase "${input.phase}" is not the current one: "${run.currentPhase}" is. Advance that, or leave it.`
      return tooLate(ctx, { message, runId: run.id, phase: input.phase, now: common.now }, () => null)
    }
    const { now: at } = common
    const line = log.phaseAdvanced(
      { at, actor, phase: input.phase },
      { because: 'FORCED', waitedSeconds: waitedSeconds(run.gate.enteredAt.getTime(), at), reason: reason.text },
    )
    return forceGateIfClosed(ctx.db.controls, { ...common, phase: input.phase, reason: reason.text, line })
  })
}

/** Tries again what could not be taken back, as if it had not been tried. */
export function retryCleanup(ctx: ControlContext, actor: Actor, input: RunControlInput): Promise<RunResult> {
  return control(ctx, actor, 'RETRY_CLEANUP', input, async ({ run, line, common }) => {
    const holder = await readKeyHolder(ctx.db.controls, run.id)
    if (holder !== null) {
      const message = `${formatId('Run', holder.runId)} (${holder.status}) holds the concurrency key "${holder.concurrencyKey}", which a cleanup needs; retry it when that run is over.`
      return conflict(message, { runId: run.id })
    }
    return retryCleanupIfKeyIsFree(ctx.db.controls, { ...common, line: line(run.status) })
  })
}

type Attempt = {
  run: RunForControl
  reason: string | undefined
  line: (to: RunStatus, more?: { scheduledFor: number }) => log.RunLine
  common: { runId: string; now: number; from: RunStatus }
}

/**
 * Reads the run, refuses what its status does not allow, and writes the control from the status that was read. Where
 * somebody else got there in between it looks again: the control may still be allowed, or is refused with who was first.
 */
async function control(
  ctx: ControlContext,
  actor: Actor,
  name: RunControl,
  input: Input,
  write: (attempt: Attempt) => Promise<Controlled | Refusal> | Refusal,
): Promise<RunResult> {
  const { runId } = input
  const reason = givenReason(input.reason)
  for (;;) {
    const now = ctx.clock.now()
    const run = await readRunForControl(ctx.db.controls, runId, now)
    if (run === null)
      return notFound(`There is no run ${formatId('Run', runId)}; list the runs to find the one you mean.`)
    if (!mayControl(name, { ...run, gateClosed: run.gate !== null }))
      return refuse(ctx, run, { name, now, phase: input.phase })
    const line: Attempt['line'] = (to, more) =>
      log.runControl(
        { at: now, actor, phase: run.currentPhase },
        { control: name, from: run.status, to, ...(reason === undefined ? {} : { reason }), ...more },
      )
    const written = await write({ run, reason, line, common: { runId, now, from: run.status } })
    if (typeof written === 'object' && written !== null) return written
    if (written === null) continue
    ctx.changes.publish({ runId, line: written, cues: true })
    ctx.changes.wake()
    return { runId }
  }
}

async function refuse(
  ctx: ControlContext,
  run: RunForControl,
  { name, now, phase }: { name: RunControl; now: number; phase: string | undefined },
): Promise<Refusal> {
  const cleanup = name === 'RETRY_CLEANUP' ? ` and its cleanup ${run.cleanupStatus}` : ''
  const message = `The run is ${run.status}${cleanup}; this needs ${RUN_CONTROLS[name].needs}.`
  return tooLate(ctx, { message, runId: run.id, phase, now }, () => firstOverRun(ctx, run, name))
}

/** A conflict that says what opened the gate of `phase`, which was to be forced, or else who was first. */
async function tooLate(
  { db }: ControlContext,
  { message, runId, phase, now }: { message: string; runId: string; phase: string | undefined; now: number },
  findFirst: () => Promise<MadeControl | null> | null,
): Promise<Refusal> {
  const opening = phase === undefined ? null : await readOpening(db.controls, { runId, phase, now })
  if (opening !== null)
    return conflict(`${message}${whatOpened(opening, now)}`, { runId, lastControl: whoForced(opening) })
  const first = await findFirst()
  return conflict(`${message}${whoWasFirst(first, now)}`, { runId, lastControl: shownControl(first) })
}
