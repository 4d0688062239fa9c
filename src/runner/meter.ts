import type { MissedReason } from '../domain/missed.ts'
import type { Refusal } from '../domain/outcome.ts'
import type { RunStatus } from '../domain/run.ts'

/** What became of a step by a call of its action, or instead of one. LATE: its claim was gone, so that nothing did. */
export type StepOutcome = 'DONE' | 'PARKED' | 'RETRIED' | 'FAILED' | 'REFUSED' | 'CANCELLED' | 'LATE'

/**
 * Where the runner reports what it did, once that is stored, for those who watch it. Called on the hot path:
 * implementations count, and neither wait nor throw.
 */
export interface Meter {
  /** A run was started so many milliseconds after its instant. */
  runStarted(lateMs: number): void
  runEnded(status: RunStatus): void
  runMissed(reason: MissedReason): void
  stepSettled(outcome: StepOutcome): void
  stepRefused(code: Refusal['code']): void
  /** An action was called for a step, and its answer, or the end of its budget, came after so many milliseconds. */
  actionCalled(actionId: string, ms: number): void
  /** Claims whose holder let its lease run out were taken over. */
  claimsTakenOver(count: number): void
  /** A duty failed, and is tried again. */
  dutyFailed(duty: string): void
}

/** What a runner has under way or waiting at a moment. */
export type Depths = {
  /** Runs and ledgers that it works on, with those whose action is being called. */
  working: number
  /** Actions being called for steps. */
  dispatches: number
  /** Actions being called to take back. */
  reverts: number
  /** Changes of runs that wait for their turn in a statement. */
  transitions: number
}

const nothing = (): void => {}

/** Counts nothing. */
export const NO_METER: Meter = {
  runStarted: nothing,
  runEnded: nothing,
  runMissed: nothing,
  stepSettled: nothing,
  stepRefused: nothing,
  actionCalled: nothing,
  claimsTakenOver: nothing,
  dutyFailed: nothing,
}
