import { formatId } from '../domain/ids.ts'
import { joinPath } from '../domain/issue-path.ts'
import { type Outcome, type Refusal, terminal } from '../domain/outcome.ts'
import type { Picture, Step } from '../domain/picture.ts'
import type { RegisteredAction } from '../modules/registered.ts'
import type { Admission, AdmissionRequest } from '../store/admission.ts'
import type { ClaimRef } from '../store/claims.ts'
import { isRefusedByDatabase } from '../store/faults.ts'
import { mintId } from '../store/ids.ts'
import { patiently } from './patience.ts'
import type { WorkContext } from './work-context.ts'

/** A claimed step that is about to be called. */
export type Dispatch = {
  claim: ClaimRef
  step: Step
  /** An admin had switched its action off when it was claimed. */
  switchedOff: boolean
}

/**
 * Whether a claimed step may be called: its action and the params to call it with, or what to settle it with instead.
 * `unresolved`: how much the run's ledger holds, where a placeholder was put there. LOST: the claim is gone, and nothing
 * is settled.
 */
export type Permission =
  | { kind: 'GRANTED'; action: RegisteredAction; params: Record<string, unknown>; unresolved: number | null }
  | { kind: 'DENIED'; outcome: Outcome }
  | { kind: 'LOST' }

/**
 * Checks the layers of permission in their order, right after the claim and right before the call: the action is
 * registered and switched on, its params fit and its cost can be told, and the run's budget has room. Who published and
 * started the run had the role for it then, and is not asked again.
 */
export async function permit(
  context: WorkContext,
  { facts }: Picture,
  { claim, step, switchedOff }: Dispatch,
): Promise<Permission> {
  const { registry, clock } = context
  const { actionId, params } = step
  const action = registry.action(actionId)
  if (action === undefined) return refused({ code: 'ACTION_UNREGISTERED' }, registry.whyMissing(actionId))
  if (switchedOff) {
    const error = `An admin switched ${actionId} off; have it switched on and retry the step, or go on without it.`
    return refused({ code: 'ACTION_DISABLED' }, error)
  }
  const checked = action.checkFilled(params)
  if (!checked.ok) {
    const problems = checked.issues.map(({ path, message }) => `${joinPath('params', path)}: ${message}`)
    return denied(terminal(`Its params do not fit: ${problems.join(' ')}`))
  }
  const cost = action.cost(checked.params)
  if (!cost.ok) return denied(terminal(cost.error))
  const granted = { kind: 'GRANTED', action, params: checked.params } as const
  const isReversible = action.reversible === 'REVERT' && !facts.rehearsal
  if (Object.keys(cost.cost).length === 0 && !isReversible) return { ...granted, unresolved: null }
  const admission = await admit(context, {
    ...claim,
    stepId: step.id,
    claimNo: step.claimNo,
    costs: cost.cost,
    placeholder: isReversible ? { id: mintId(), module: action.module, ref: formatId('Step', step.id) } : null,
    now: clock.now(),
  })
  switch (admission.kind) {
    case 'ADMITTED':
      return { ...granted, unresolved: admission.unresolved }
    case 'SHORT':
      return refused({ code: 'CAP_EXCEEDED', ...capOf(admission) }, tooMuch(admission))
    case 'ENDED':
      return denied({
        kind: 'failed',
        transient: true,
        error: 'the run had ended before it was called',
        notCalled: true,
      })
    case 'UNCOUNTABLE':
      return denied(terminal(admission.error))
    case 'LOST':
      return { kind: 'LOST' }
  }
}

/** Whether an admin switched an action off, where the transition that claimed the step did not get to say so. */
export function isSwitchedOff(context: WorkContext, runId: string, { actionId }: Step): Promise<boolean> {
  return patiently(context, runId, async () => {
    const [setting] = (await context.budgets.settings([actionId])).values()
    return setting?.enabled === false
  })
}

/** Asked until there is an answer: asking again changes nothing more. */
async function admit(
  context: WorkContext,
  request: AdmissionRequest,
): Promise<Admission | { kind: 'UNCOUNTABLE'; error: string }> {
  try {
    return await patiently(context, request.runId, () => context.admissions.admitIfClaimed(request))
  } catch (error) {
    if (!isRefusedByDatabase(error)) throw error
    const { runId, stepId } = request
    context.log.error({ err: error, runId, stepId }, 'what a step costs could not be counted; the step fails')
    return { kind: 'UNCOUNTABLE', error: UNCOUNTABLE }
  }
}

// Amounts add up to more than a number holds, or the database refuses them otherwise: its own words are for the server's log.
const UNCOUNTABLE =
  "What it costs cannot be counted on top of what the run has spent; lower it, and see the server's log for why."

type Short = Admission & { kind: 'SHORT' }

const capOf = ({ dimension, requested, cap, consumed }: Short) => ({ dimension, requested, cap, consumed })

const tooMuch = ({ dimension, requested, cap, consumed }: Short): string =>
  `It costs ${requested} ${dimension}, and ${consumed} of the ${cap} that the run may spend are spent. Caps hold from a run's start: go on without the step, or have the cap raised and start a new run.`

const denied = (outcome: Outcome): Permission => ({ kind: 'DENIED', outcome })
const refused = (refusal: Refusal, error: string): Permission => denied({ kind: 'refused', error, ...refusal })
