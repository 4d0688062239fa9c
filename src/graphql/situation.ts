import type { CleanupStatus, RunStatus } from '../domain/run.ts'
import type { WaitingView } from '../domain/waiting.ts'
import type { Situation } from '../store/situation-reads.ts'
import type { GraphqlContext } from './context.ts'
import { describeGate } from './gate-words.ts'

type RunRow = {
  status: RunStatus
  cleanupStatus: CleanupStatus
  scheduledFor: Date
  blockedBy: string | null
  lastError: string | null
  holdUntil: Date | null
}

/** Whether something of the run is held until an instant that has not come: its next step, or what follows the phase. */
export function isHeld(run: RunRow, { step }: Situation, { control }: GraphqlContext): boolean {
  const now = control.clock.now()
  if (step !== null && step.status === 'PENDING' && step.held && step.dueAt !== null && step.dueAt.getTime() > now) return true
  return run.holdUntil !== null && run.holdUntil.getTime() > now
}

/** What the domain has to know to say what a run waits for. */
export function waitingView(run: RunRow, { schedulePaused, step, gate }: Situation, context: GraphqlContext): WaitingView {
  const { status, cleanupStatus, scheduledFor, lastError, holdUntil } = run
  const { registry } = context
  return {
    now: new Date(context.control.clock.now()),
    status,
    cleanupStatus,
    scheduledFor,
    schedulePaused,
    blocked: run.blockedBy !== null,
    lastError,
    holdUntil,
    step: step && {
      title: step.label ?? registry.action(step.actionId)?.label ?? step.actionId,
      actionId: step.actionId,
      inFlight: step.status === 'RUNNING' && !step.parked,
      parked: step.parked,
      instruction: step.instruction,
      claimedBy: step.claimedBy,
      dueAt: step.dueAt,
      held: step.held,
      attempts: step.attempts,
    },
    gate: gate && {
      description: describeGate(gate, gate.trigger === null ? null : (registry.trigger(gate.trigger)?.label ?? null)),
      opensAt: gate.opensAt,
    },
  }
}
