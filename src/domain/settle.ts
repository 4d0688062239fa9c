import { keepResources, lookAtLedger } from './brought.ts'
import { degrade, dispose } from './disposition.ts'
import * as log from './log.ts'
import type { Outcome, Refused } from './outcome.ts'
import { changeStep, type Draft, type Instant, type Step } from './picture.ts'
import { publishResults, takePart } from './results.ts'
import { isTerminal } from './run.ts'

export type RetryRule = {
  /** How often an action is called before its step fails for good. */
  maxAttempts: number
  /** Flat, because a step belongs to a moment. */
  retryMs: number
}

/** What is known of a call besides its outcome. */
export type CallFacts = {
  /** The step's label, else the action's: what a cue shows that brought no instruction. */
  title: string
  versionDrift?: { pinned: number; registered: number }
  /** "rehearsed, not called", where that is so. */
  because?: string
  /** Its success publishes the results of so many participants. */
  publishes?: { participants: number }
  /** The module of a reversible action, which takes back what the call made. */
  revertedBy?: string
}

/**
 * Writes what an action answered into its step, and what that does to the run, whatever the run became meanwhile.
 * Nothing is dispatched by this: what comes next is `progress`'s to say.
 */
export function settle(
  draft: Draft,
  step: Step,
  outcome: Outcome,
  {
    now,
    retry,
    call,
    mint,
  }: { now: Instant; retry: RetryRule; call: CallFacts /** Mints an id. */; mint: () => string },
): void {
  endFlight(draft, now)
  if (outcome.kind === 'done' || outcome.kind === 'parked') takePart(draft, outcome.participants)
  if (outcome.kind === 'done') done(draft, step, outcome, now, call)
  else if (outcome.kind === 'parked') park(draft, step, outcome.instruction ?? call.title, now)
  else if (outcome.kind === 'refused') refuse(draft, step, outcome, now)
  else if (outcome.notCalled && isTerminal(draft.run.status)) cancel(draft, step, outcome.error, now)
  else if (outcome.transient && step.attempts < retry.maxAttempts) tryAgain(draft, step, outcome.error, now, retry)
  else fail(draft, step, outcome.error, now, call)
  if (outcome.kind === 'done' || outcome.kind === 'parked')
    keepResources(draft, step, { resources: outcome.resources, module: call.revertedBy ?? null, now, mint })
}

/**
 * Takes a step back from a holder whose lease ran out. Attempts stay as they are; where they are spent the step fails
 * before anything could be handed back, or the ceiling would never be reached.
 */
export function takeBack(
  draft: Draft,
  step: Step,
  { now, retry, previousOwner }: { now: Instant; retry: RetryRule; previousOwner: string },
): void {
  endFlight(draft, now)
  draft.lines.push(log.stepReclaimed({ at: now, step }, { previousOwner }))
  if (step.attempts >= retry.maxAttempts) {
    fail(draft, step, 'gave up after repeated interruptions', now, {})
  } else if (isTerminal(draft.run.status)) {
    cancel(draft, step, `the run had ended when its attempt was interrupted`, now)
  } else {
    changeStep(draft, step, { status: 'PENDING' })
  }
}

function endFlight(draft: Draft, now: Instant): void {
  draft.run.inFlight = null
  // The cleanup of a run that has ended waits for what its last step may yet have made.
  if (draft.run.cleanupStatus === 'PENDING') lookAtLedger(draft, now)
}

function done(
  draft: Draft,
  step: Step,
  outcome: Outcome & { kind: 'done' },
  now: Instant,
  call: Partial<CallFacts>,
): void {
  changeStep(draft, step, { status: 'DONE', finishedAt: now, dueAt: null, held: false, lastError: null })
  const ended = isTerminal(draft.run.status)
  const holdUntil = outcome.holdSeconds && !ended ? now + Math.round(outcome.holdSeconds * 1000) : undefined
  draft.lines.push(
    log.stepStatus(
      { at: now, step },
      {
        to: 'DONE',
        ...(holdUntil === undefined ? {} : { holdUntil }),
        ...(call.versionDrift ? { versionDrift: call.versionDrift } : {}),
        ...(call.because ? { because: call.because } : {}),
        ...(outcome.output === undefined ? {} : { output: outcome.output }),
      },
    ),
  )
  if (holdUntil !== undefined) hold(draft, holdUntil)
  if (call.publishes !== undefined) publishResults(draft, step, { ...call.publishes, now })
}

/** A hold belongs to what comes next: the next pending step, or, where the phase has none, the run. */
function hold(draft: Draft, until: Instant): void {
  const next = draft.steps.find((step) => step.status === 'PENDING')
  if (next === undefined) {
    draft.run.holdUntil = until
    return
  }
  changeStep(draft, next, { dueAt: until, held: true })
}

function park(draft: Draft, step: Step, instruction: string, now: Instant): void {
  if (isTerminal(draft.run.status)) {
    cancel(draft, step, 'the run had ended when it asked for a person', now)
    return
  }
  changeStep(draft, step, { parked: true, parkedAt: now, instruction, lastError: null })
  draft.lines.push(log.stepParked({ at: now, step }, instruction))
}

function tryAgain(draft: Draft, step: Step, error: string, now: Instant, retry: RetryRule): void {
  if (isTerminal(draft.run.status)) {
    cancel(draft, step, error, now)
    return
  }
  const dueAt = now + retry.retryMs
  changeStep(draft, step, { status: 'PENDING', dueAt, held: false, lastError: error })
  draft.lines.push(log.stepRetry({ at: now, step }, { attempt: step.attempts, of: retry.maxAttempts, dueAt, error }))
  degrade(draft, now, `"${step.label ?? step.actionId}" has to be tried again`)
}

function fail(draft: Draft, step: Step, error: string, now: Instant, call: Partial<CallFacts>): void {
  const failed = changeStep(draft, step, {
    status: 'FAILED',
    finishedAt: now,
    dueAt: null,
    held: false,
    lastError: error,
  })
  draft.lines.push(
    log.stepStatus(
      { at: now, step },
      { to: 'FAILED', error, ...(call.versionDrift ? { versionDrift: call.versionDrift } : {}) },
    ),
  )
  dispose(draft, failed, now)
}

/** The step was not called: whatever an earlier attempt left in the ledger stays there. */
function refuse(draft: Draft, step: Step, { kind: _, error, ...refusal }: Refused, now: Instant): void {
  const refused = changeStep(draft, step, {
    status: 'REFUSED',
    finishedAt: now,
    dueAt: null,
    held: false,
    lastError: error,
  })
  draft.lines.push(log.stepRefused({ at: now, step }, refusal, error))
  dispose(draft, refused, now)
}

function cancel(draft: Draft, step: Step, error: string, now: Instant): void {
  changeStep(draft, step, { status: 'CANCELLED', finishedAt: now, dueAt: null, held: false, lastError: error })
  draft.lines.push(log.stepStatus({ at: now, step }, { to: 'CANCELLED', error }))
}
