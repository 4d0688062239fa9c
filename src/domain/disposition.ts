import { beginCleanup } from './brought.ts'
import * as log from './log.ts'
import { changeStep, type Draft, type Instant, type Step, titleOf } from './picture.ts'
import { isTerminal } from './run.ts'

/** Marks the run as degraded, once: a step was retried, failed or refused. Health only gets worse. */
export function degrade(draft: Draft, at: Instant, because: string): void {
  if (draft.run.health === 'DEGRADED') return
  draft.run.health = 'DEGRADED'
  draft.lines.push(log.runHealth({ at, phase: draft.run.currentPhase }, { to: 'DEGRADED', because }))
}

/**
 * What a step that is out of attempts, failed for good or was refused does to its run. SKIP goes on, PAUSE stops for a
 * person, ABORT_RUN fails the run. A run that a person paused stays paused unless the step aborts it; a run that has
 * ended stays as it is.
 */
export function dispose(draft: Draft, step: Step, at: Instant): void {
  const { run } = draft
  const what = step.status === 'REFUSED' ? 'was refused' : 'failed'
  degrade(draft, at, `"${titleOf(step)}" ${what}`)
  if (isTerminal(run.status)) return
  const because = `"${titleOf(step)}" (${step.actionId}) ${what}: ${step.lastError}`
  if (step.onFailure === 'ABORT_RUN') {
    failRun(draft, at, because)
  } else if (run.status === 'PAUSED') {
    run.lastError = because
  } else if (step.onFailure === 'PAUSE') {
    draft.lines.push(log.runStatus({ at, phase: run.currentPhase }, { from: run.status, to: 'PAUSED', because }))
    run.status = 'PAUSED'
    run.lastError = because
  }
}

/** Ends the run as FAILED; what is pending or waits for a person is cancelled. */
export function failRun(draft: Draft, at: Instant, because: string): void {
  const { run } = draft
  let cancelledSteps = 0
  for (const step of draft.steps) {
    if (step.status !== 'PENDING' && !step.parked) continue
    changeStep(draft, step, { status: 'CANCELLED', parked: false, finishedAt: at, dueAt: null, held: false })
    cancelledSteps += 1
  }
  draft.lines.push(
    log.runStatus({ at, phase: run.currentPhase }, { from: run.status, to: 'FAILED', because, cancelledSteps }),
  )
  Object.assign(run, {
    status: 'FAILED',
    lastError: because,
    endedBecause: because,
    endedAt: at,
    stalledSince: null,
    holdUntil: null,
    wakeAt: null,
  })
  beginCleanup(draft, at)
}
