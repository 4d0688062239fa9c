import type { Clock } from '../domain/clock.ts'
import { describeGate } from '../domain/gate.ts'
import type { WaitingView } from '../domain/waiting.ts'
import type { Registry } from '../modules/registry.ts'
import type { Situation } from '../store/situation-reads.ts'

/** What the domain has to know to say what a run waits for. */
export function waitingView(
  {
    status,
    cleanupStatus,
    scheduledFor,
    blockedBy,
    lastError,
    holdUntil,
    schedulePaused,
    step,
    cleanup,
    gate,
  }: Situation,
  { control, registry }: { control: { clock: Clock }; registry: Registry },
): WaitingView {
  return {
    now: new Date(control.clock.now()),
    status,
    cleanupStatus,
    cleanup,
    scheduledFor,
    schedulePaused,
    blocked: blockedBy !== null,
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
      description: gateDescription(gate),
      opensAt: gate.opensAt,
    },
  }
}

/** What a gate waits for, in words. */
export const gateDescription = (gate: NonNullable<Situation['gate']>): string =>
  describeGate({ ...gate, enteredAt: gate.enteredAt.getTime(), opensAt: gate.opensAt?.getTime() ?? null })
