import type { CleanupStatus, RunStatus } from './run.ts'
import { isTerminal } from './run.ts'

export type WaitingKind =
  | 'SCHEDULE_PAUSED'
  | 'START'
  | 'ACTION'
  | 'RETRY'
  | 'CUE'
  | 'HOLD'
  | 'GATE'
  | 'PAUSED'
  | 'CONCURRENCY_KEY'
  | 'CLEANUP'
  | 'RUNNER'

/** Why nothing is happening right now: as data, and in a sentence. `until`: when it ends by itself, where that is known. */
export type Waiting = { kind: WaitingKind; description: string; until: Date | null }

/** What has to be known of a step to say what it waits for. */
export type WaitingStep = {
  actionId: string
  parked: boolean
  instruction: string | null
  claimedBy: string | null
  dueAt: Date | null
  held: boolean
  attempts: number
}

/** What has to be known of a cleanup that goes on to say what it waits for. */
export type WaitingCleanup = {
  /** How much is left to be dealt with. */
  unresolved: number
  /** What is being taken back, in words, and in which attempt. */
  reverting: string | null
  attempts: number
  /** When the next of them is to be taken back; null: there is none that is not being taken back. */
  dueAt: Date | null
}

/** What has to be known of a run to say what it waits for. */
export type WaitingView = {
  now: Date
  status: RunStatus
  cleanupStatus: CleanupStatus
  cleanup: WaitingCleanup | null
  scheduledFor: Date
  /** Made by a schedule that is paused. */
  schedulePaused: boolean
  /** Blocked by the holder of its concurrency key. */
  blocked: boolean
  lastError: string | null
  holdUntil: Date | null
  /** The step of the current phase that is to be worked next, or is being worked. */
  step: (WaitingStep & { title: string; inFlight: boolean }) | null
  /** The gate of the current phase while it is not open, in words. */
  gate: { description: string; opensAt: Date | null } | null
}

/** What a run waits for; null for one that has ended and left nothing to clean up. */
export function waitingOn(view: WaitingView): Waiting | null {
  const say = (kind: WaitingKind, description: string, until: Date | null = null): Waiting => ({
    kind,
    description,
    until,
  })
  if (view.cleanupStatus === 'PENDING') return waitingForCleanup(view, say)
  if (isTerminal(view.status)) return null
  switch (view.status) {
    case 'SCHEDULED':
      return waitingToStart(view, say)
    case 'STARTING':
      return say('RUNNER', 'The run is being started.')
    case 'PAUSED':
      return say(
        'PAUSED',
        [
          'Paused until a person resumes it.',
          view.lastError === null ? '' : ` ${view.lastError}`,
          view.step?.inFlight ? ` The answer of "${view.step.title}" is still awaited.` : '',
        ].join(''),
      )
    case 'ENDING':
      return say('CLEANUP', 'The run is being ended.')
    default:
      return waitingInPhase(view, say)
  }
}

type Say = (kind: WaitingKind, description: string, until?: Date | null) => Waiting

function waitingForCleanup({ step, cleanup, now }: WaitingView, say: Say): Waiting {
  const { unresolved, reverting, attempts, dueAt } = cleanup ?? NOTHING_LEFT
  const left = unresolved === 1 ? '1 thing is' : `${unresolved} things are`
  if (reverting !== null)
    return say('CLEANUP', `Takes back ${reverting} (attempt ${attempts}); ${left} left to be dealt with.`)
  if (step?.inFlight) return say('CLEANUP', `What the run made is taken back once "${step.title}" has answered.`)
  if (dueAt !== null && dueAt > now)
    return say('CLEANUP', `Taking back failed and is tried again; ${left} left to be dealt with.`, dueAt)
  return say('CLEANUP', `A runner will take back what the run made; ${left} left to be dealt with.`)
}

const NOTHING_LEFT: WaitingCleanup = { unresolved: 0, reverting: null, attempts: 0, dueAt: null }

function waitingToStart(view: WaitingView, say: Say): Waiting {
  if (view.schedulePaused)
    return say('SCHEDULE_PAUSED', 'The schedule is paused; resume it for the run to start.', view.scheduledFor)
  if (view.scheduledFor > view.now) return say('START', 'Waits for its start.', view.scheduledFor)
  if (view.blocked) return say('CONCURRENCY_KEY', view.lastError ?? 'Waits for the run that holds its concurrency key.')
  return say('RUNNER', 'Its start is due; a runner will take it up.')
}

function waitingInPhase(view: WaitingView, say: Say): Waiting {
  const { step, gate } = view
  if (step?.inFlight)
    return say('ACTION', `Waits for the answer of "${step.title}" (${step.actionId}, attempt ${step.attempts}).`)
  if (step?.parked) {
    const who = step.claimedBy === null ? 'Waits for a person' : `Waits for ${step.claimedBy}`
    return say('CUE', `${who}: ${step.instruction ?? step.title}`)
  }
  if (step !== null && step.dueAt !== null && step.dueAt > view.now) {
    return step.held
      ? say('HOLD', `Held; "${step.title}" is next.`, step.dueAt)
      : say('RETRY', `"${step.title}" is tried again after attempt ${step.attempts}.`, step.dueAt)
  }
  if (step !== null) return say('RUNNER', `"${step.title}" is due; a runner will take it up.`)
  if (gate !== null) return say('GATE', gate.description, gate.opensAt)
  if (view.holdUntil !== null && view.holdUntil > view.now)
    return say('HOLD', 'Held; the run goes on when the hold is over.', view.holdUntil)
  return say('RUNNER', 'The phase is done; a runner will take the run on.')
}
