/** How the runner goes about its work; lengths in milliseconds. The settings of operations.md set them. */
export type RunnerSettings = {
  /** The backstop: how long it sleeps at most. */
  pollMs: number
  /** Runs claimed at a time. */
  runBatch: number
  /** Steps of one run before others get a turn. */
  stepsPerPass: number
  /** Runs worked side by side, not counting those whose action is being called; besides, a quarter as many ledgers. */
  runConcurrency: number
  /** Actions being called; besides, a quarter as many that take back. */
  maxDispatches: number
  stepMaxAttempts: number
  stepRetryMs: number
  leaseMs: number
  /** How much longer than its action's budget a step's lease may be renewed. */
  stepLeaseMarginMs: number
  /** How long a trigger may be waited for before a run counts as stalled. */
  stallMs: number
  logRetentionDays: number
  /** How far ahead occurrences become runs. */
  horizonDays: number
  /** How long stopping waits for actions in flight before it tells them to give up. */
  finishMs: number
}

export const DEFAULT_RUNNER_SETTINGS: RunnerSettings = {
  pollMs: 1000,
  runBatch: 192,
  stepsPerPass: 25,
  runConcurrency: 576,
  maxDispatches: 1000,
  stepMaxAttempts: 3,
  stepRetryMs: 60_000,
  leaseMs: 30_000,
  stepLeaseMarginMs: 5000,
  stallMs: 1_800_000,
  logRetentionDays: 90,
  horizonDays: 14,
  finishMs: 10_000,
}
