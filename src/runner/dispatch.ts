import { formatId } from '../domain/ids.ts'
import * as log from '../domain/log.ts'
import type { Outcome } from '../domain/outcome.ts'
import { type Picture, type Step, titleOf } from '../domain/picture.ts'
import type { CallFacts } from '../domain/settle.ts'
import { callAction } from '../modules/call.ts'
import type { Envelope } from '../modules/module.ts'
import type { RegisteredAction } from '../modules/registered.ts'
import type { Messages } from './messages.ts'
import { calledInSpan } from './tracing.ts'
import type { WorkContext } from './work-context.ts'

const ENVELOPE_KINDS = { USER: 'user', TOKEN: 'token', SYSTEM: 'system' } as const

/** What came of a step that was claimed, called or not. */
export type Called = { outcome: Outcome; facts: CallFacts; publishesResults?: true }

/** A step that may not be called, as if it had been. */
export const notCalled = (step: Step, outcome: Outcome): Called => ({ outcome, facts: { title: titleOf(step) } })

/** Calls the action of a step that may be called, and says what came of it. Never rejects: whatever goes wrong is an outcome. */
export async function call(
  context: WorkContext,
  { facts }: Picture,
  step: Step,
  { action, params, messages }: { action: RegisteredAction; params: Record<string, unknown>; messages: Messages },
): Promise<Called> {
  const versionDrift =
    action.version === step.actionVersion
      ? {}
      : { versionDrift: { pinned: step.actionVersion, registered: action.version } }
  const revertedBy = action.reversible === 'REVERT' ? { revertedBy: action.module } : {}
  const callFacts: CallFacts = { title: step.label ?? action.label, ...versionDrift, ...revertedBy }
  if (facts.rehearsal && !action.supportsVerify) {
    return {
      outcome: { kind: 'done', resources: [], participants: [] },
      facts: { ...callFacts, because: 'rehearsed, not called' },
    }
  }
  const envelope: Envelope = {
    runId: formatId('Run', facts.runId),
    stepId: formatId('Step', step.id),
    scope: facts.scope,
    params,
    actor: { kind: ENVELOPE_KINDS[facts.startedBy.kind], name: facts.startedBy.name },
    idempotencyKey: step.idempotencyKey,
    verify: facts.rehearsal,
  }
  const callIt = () =>
    callAction(action, envelope, {
      signal: context.signal,
      clock: context.clock,
      censor: context.censor,
      log: (message, level) => messages.add(log.stepMessage({ at: context.clock.now(), step }, { message, level })),
    })
  // On the machine's clock, which knows fractions of a millisecond.
  const calledAt = performance.now()
  const outcome = await calledInSpan(`dispatch ${action.id}`, () => attributesOf(facts, step), callIt)
  context.meter.actionCalled(action.id, performance.now() - calledAt)
  const publishes = action.publishesResults && outcome.kind !== 'failed'
  return { outcome, facts: callFacts, ...(publishes ? { publishesResults: true } : {}) }
}

/** What a span says of a call: where it belongs, and nothing that an author or a person wrote into it. */
const attributesOf = ({ runId }: Picture['facts'], step: Step) => ({
  'cuelight.run.id': formatId('Run', runId),
  'cuelight.step.id': formatId('Step', step.id),
  'cuelight.step.phase': step.phase,
  'cuelight.step.seq': step.seq,
  'cuelight.step.idempotency_key': step.idempotencyKey,
  'cuelight.step.attempt': step.attempts,
  'cuelight.action.id': step.actionId,
})
