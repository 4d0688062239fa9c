import { failRun } from '../domain/disposition.ts'
import * as log from '../domain/log.ts'
import type { Outcome } from '../domain/outcome.ts'
import { type Draft, type Step, titleOf } from '../domain/picture.ts'
import { type CallFacts, settle } from '../domain/settle.ts'
import { mintId } from '../store/ids.ts'
import { appendLines } from '../store/log.ts'
import type { StepOutcome } from './meter.ts'
import type { WorkContext } from './work-context.ts'

/** A call of an action that a change settles. */
export type Settled = { step: Step; outcome: Outcome; lines: log.RunLine[] }

/** What the holder of a run's claim brings into the run before it moves on. */
export type Change = {
  /** Changes the draft; false: what it is about is not there any more. */
  apply(draft: Draft): boolean
  /** The dispatch that the change ends, by its step and claim number; null where no step is in flight. */
  ends: { id: string; claimNo: number } | null
  settles: Settled | null
}

/** Where no call has to be settled. */
export const nothing: Change = { apply: () => true, ends: null, settles: null }

/** Settles a step with what its call brought, unless the claim that the call was made under is gone. */
export function settlement(
  context: WorkContext,
  settled: Settled,
  facts: CallFacts,
  retry = retryRule(context),
): Change {
  return {
    settles: settled,
    ends: settled.step,
    apply(draft) {
      const step = draft.steps.find((candidate) => candidate.id === settled.step.id)
      if (step === undefined || draft.run.inFlight !== step.id || step.claimNo !== settled.step.claimNo) return false
      for (const line of settled.lines) draft.lines.push(line)
      settle(draft, step, settled.outcome, { now: context.clock.now(), retry, call: facts, mint: mintId })
      return true
    },
  }
}

/** How often an action is called before it has failed for good, and how long after each time. */
export const retryRule = ({ settings }: WorkContext) => ({
  maxAttempts: settings.stepMaxAttempts,
  retryMs: settings.stepRetryMs,
})

/** What the database refuses to store fails the step that brought it, or the run where no step did. */
export function refusal(context: WorkContext, refused: Change, error: unknown): Change {
  const { clock, log: serverLog } = context
  const step = refused.settles?.step
  serverLog.error({ err: error, stepId: step?.id }, 'the database refused what a step or a run brought; it fails')
  const because = "What it brought cannot be stored; see the server's log for why, and correct the action."
  if (step === undefined) {
    return {
      settles: null,
      ends: refused.ends,
      apply(draft) {
        failRun(draft, clock.now(), because)
        return true
      },
    }
  }
  const outcome: Outcome = { kind: 'failed', transient: false, error: because }
  return settlement(context, { step, outcome, lines: [] }, { title: titleOf(step) })
}

/** An answer for a claim that was taken back changes nothing, and is logged. */
export async function logLate(
  { db, clock, changes, meter }: WorkContext,
  runId: string,
  { step, outcome, lines }: Settled,
): Promise<void> {
  meter.stepSettled('LATE')
  const said = 'error' in outcome ? `${outcome.kind}: ${outcome.error}` : outcome.kind
  const line = await appendLines(db.hot, runId, [...lines, log.stepLate({ at: clock.now(), step }, said)])
  if (line !== null) changes.publish({ runId, line, cues: false })
}

/** What a call came to is stored; the draft says what its step is like since. */
export function noteSettled({ meter }: WorkContext, { step: { id }, outcome }: Settled, { touched }: Draft): void {
  const step = touched.get(id)
  if (step !== undefined) meter.stepSettled(outcomeOf(step))
  if (outcome.kind === 'refused') meter.stepRefused(outcome.code)
}

/** A step that was not ended by its call waits for a person, or for another. */
function outcomeOf({ status, parked }: Step): StepOutcome {
  if (status === 'DONE' || status === 'FAILED' || status === 'REFUSED' || status === 'CANCELLED') return status
  return parked ? 'PARKED' : 'RETRIED'
}
