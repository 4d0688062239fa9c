import type { Actor } from '../domain/actor.ts'
import { formatId } from '../domain/ids.ts'
import * as log from '../domain/log.ts'
import { mayControlStep, STEP_CONTROLS, type StepControl } from '../domain/step.ts'
import type { Controlled } from '../store/run-controls.ts'
import {
  claimCueIfStillHeldBy,
  confirmCueIfParked,
  readStepForControl,
  retryStepIfFurthest,
  type StepForControl,
  skipStepIfOpen,
} from '../store/step-controls.ts'
import type { ControlContext } from './context.ts'
import { givenReason, requiredReason } from './reason.ts'
import { conflict, invalid, notFound, type Refusal, type Result } from './result.ts'
import { firstOverStatus, firstOverStep, shownControl, whoWasFirst } from './who-was-first.ts'

type StepResult = Result<{ stepId: string }>

/** "I have it": names the person who does what the cue asks for, so that two do not do it twice. */
export function claimCue(
  ctx: ControlContext,
  actor: Actor,
  input: { stepId: string; takeOver?: boolean | null },
): Promise<StepResult> {
  return control(ctx, input.stepId, async ({ step, common }) => {
    const holder = step.claimedByName
    const name: StepControl = holder === null ? 'CLAIM' : 'TAKE_OVER'
    const isMine = holder === actor.name && step.claimedByKind === actor.kind
    if (isMine && mayControlStep('TAKE_OVER', { ...step, claimed: true })) return { stepId: step.id }
    if (holder !== null && step.parked && !input.takeOver) {
      return conflict(`${holder} has this cue. Take it over if you do it instead.`, {
        stepId: step.id,
        runId: step.runId,
        lastControl: shownControl(await firstOverStep(ctx, step, name)),
      })
    }
    return attempt(ctx, { step, name, now: common.now }, () =>
      claimCueIfStillHeldBy(ctx.db.controls, {
        ...common,
        seen: holder === null ? null : { kind: step.claimedByKind, name: holder },
        line: line(step, actor, common.now, { control: name, ...(holder === null ? {} : { previousHolder: holder }) }),
      }),
    )
  })
}

/** What the cue asked for is done. */
export function confirmCue(
  ctx: ControlContext,
  actor: Actor,
  input: { stepId: string; note?: string | null },
): Promise<StepResult> {
  const note = givenReason(input.note)
  return control(ctx, input.stepId, ({ step, common }) =>
    attempt(ctx, { step, name: 'CONFIRM', now: common.now }, () =>
      confirmCueIfParked(ctx.db.controls, {
        ...common,
        note: note ?? null,
        line: line(step, actor, common.now, {
          control: 'CONFIRM',
          to: 'DONE',
          ...(note === undefined ? {} : { note }),
        }),
      }),
    ),
  )
}

type Reasoned = { stepId: string; reason: string }

/** Goes on without the step. */
export function skipStep(ctx: ControlContext, actor: Actor, input: Reasoned): Promise<StepResult> {
  return reasoned(ctx, input, ({ step, common }, reason) =>
    attempt(ctx, { step, name: 'SKIP', now: common.now }, () =>
      skipStepIfOpen(ctx.db.controls, {
        ...common,
        reason,
        line: line(step, actor, common.now, { control: 'SKIP', to: 'SKIPPED', reason }),
      }),
    ),
  )
}

/** Tries a failed step again, once the run is resumed, as if it had not been tried. */
export function retryStep(ctx: ControlContext, actor: Actor, input: Reasoned): Promise<StepResult> {
  return reasoned(ctx, input, ({ step, common }, reason) =>
    attempt(ctx, { step, name: 'RETRY', now: common.now }, () =>
      retryStepIfFurthest(ctx.db.controls, {
        ...common,
        line: line(step, actor, common.now, { control: 'RETRY', to: 'PENDING', reason }),
      }),
    ),
  )
}

/** A control that has to say why. */
async function reasoned(
  ctx: ControlContext,
  input: Reasoned,
  write: (attempt: Attempt, reason: string) => Promise<Controlled | Refusal>,
): Promise<StepResult> {
  const reason = requiredReason(input.reason)
  if (!reason.ok) return invalid([reason.issue])
  return control(ctx, input.stepId, (attempted) => write(attempted, reason.text))
}

type Attempt = { step: StepForControl; common: { runId: string; stepId: string; now: number } }

/** Reads the step and writes the control; where somebody else got there in between it looks again. */
async function control(
  ctx: ControlContext,
  stepId: string,
  write: (attempt: Attempt) => Promise<Controlled | Refusal | { stepId: string }>,
): Promise<StepResult> {
  for (;;) {
    const now = ctx.clock.now()
    const step = await readStepForControl(ctx.db.controls, stepId)
    if (step === null)
      return notFound(`There is no step ${formatId('Step', stepId)}; look at the run's steps to find the one you mean.`)
    const { runId } = step
    const written = await write({ step, common: { runId, stepId, now } })
    if (typeof written === 'object' && written !== null) return written
    if (written === null) continue
    ctx.changes.publish({ runId, line: written, cues: true })
    ctx.changes.wake()
    return { stepId }
  }
}

/** Refuses what the step is not fit for, else writes. */
async function attempt(
  ctx: ControlContext,
  { step, name, now }: { step: StepForControl; name: StepControl; now: number },
  write: () => Promise<Controlled>,
): Promise<Controlled | Refusal> {
  const view = { ...step, claimed: step.claimedByName !== null }
  if (mayControlStep(name, view)) return write()
  const { runFrom, needs } = STEP_CONTROLS[name]
  const { runStatus: status } = step
  const own = await firstOverStep(ctx, step, name)
  const first = own ?? (await firstOverStatus(ctx, { id: step.runId, status }, runFrom))
  const state = step.parked ? 'waits for a person' : `is ${step.status}`
  const past = name === 'SKIP' && step.status === 'FAILED' && status === 'PAUSED'
  const advice = past ? ' Resume the run: it goes on behind this step.' : ''
  const message = `The step ${state} and its run is ${status}; this needs ${needs}.${advice}${whoWasFirst(first, now, own === null ? 'its run' : 'this')}`
  return conflict(message, { stepId: step.id, runId: step.runId, lastControl: shownControl(first) })
}

function line(
  step: StepForControl,
  actor: Actor,
  at: number,
  change: Parameters<typeof log.stepControl>[1],
): log.RunLine {
  return log.stepControl({ at, actor, step }, change)
}
