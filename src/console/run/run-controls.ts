import type { Client } from '@urql/core'
import {
  AbandonResourceDocument,
  AdvancePhaseDocument,
  CancelRunDocument,
  EndHoldDocument,
  type LedgerRowFragment,
  PauseRunDocument,
  RescheduleRunDocument,
  ResumeRunDocument,
  RetryCleanupDocument,
  RetryStepDocument,
  type RunConsoleFragment,
  type RunControl,
} from '../../generated/console/documents.ts'
import { act } from '../api/act.ts'
import { serverNow } from '../api/server-clock.ts'
import { type Control, reasonOf } from '../ui/control.ts'

/** The controls of a run in the order of their buttons: what is done most first, what ends it last. */
export const RUN_CONTROLS: readonly { control: RunControl; label: string }[] = [
  { control: 'RESUME', label: 'Resume' },
  { control: 'PAUSE', label: 'Pause' },
  { control: 'END_HOLD', label: 'End hold' },
  { control: 'ADVANCE', label: 'Advance' },
  { control: 'RETRY_CLEANUP', label: 'Retry cleanup' },
  { control: 'RESCHEDULE', label: 'Move' },
  { control: 'CANCEL', label: 'Cancel run' },
]

/** What has to be known of a run to say what a control does to it. */
type ControlledRun = Pick<
  RunConsoleFragment,
  'id' | 'currentPhase' | 'scheduledFor' | 'timeZone' | 'unresolvedResources'
> & { steps: readonly Pick<RunConsoleFragment['steps'][number], 'status' | 'parked'>[] }

/** What is said before a control is used on a run that is like this, and how it is used. */
export function runControl(client: Client, run: ControlledRun, control: RunControl): Control {
  const { id, currentPhase, steps, scheduledFor, timeZone, unresolvedResources } = run
  const pending = steps.filter(({ status }) => status === 'PENDING').length
  const inFlight = steps.some(({ status, parked }) => status === 'RUNNING' && !parked)
  const finishes = inFlight ? ' The step that is being called is left to finish.' : ''
  switch (control) {
    case 'PAUSE':
      return {
        title: 'Pause this run?',
        effect: `It stops before its next step, until somebody resumes it. Holds and gates go on counting.${finishes}`,
        action: 'Pause it',
        perform: ({ reason }) => act(client, PauseRunDocument, { input: { id, ...reasonOf(reason) } }),
      }
    case 'RESUME':
      return {
        title: 'Resume this run?',
        effect:
          'It goes on where it stopped, after the step that failed where one did. What came due meanwhile is done at once.',
        action: 'Resume it',
        color: 'go',
        perform: ({ reason }) => act(client, ResumeRunDocument, { input: { id, ...reasonOf(reason) } }),
      }
    case 'END_HOLD':
      return {
        title: 'End the hold?',
        effect: 'What is held goes on now, and not when the hold would have been over.',
        action: 'Go on now',
        perform: ({ reason }) => act(client, EndHoldDocument, { input: { id, ...reasonOf(reason) } }),
      }
    case 'ADVANCE':
      return {
        title: `Force the gate of "${currentPhase ?? ''}" open?`,
        effect: 'The phase waits for nothing but its steps then: those that are open still have to finish.',
        action: 'Open the gate',
        isReasonRequired: true,
        perform: ({ reason }) =>
          act(client, AdvancePhaseDocument, { input: { id, phase: currentPhase ?? '', reason } }),
      }
    case 'CANCEL':
      return {
        title: 'Cancel this run?',
        effect: `It ends for good. ${pending === 0 ? '' : `${pending === 1 ? '1 step that is' : `${pending} steps that are`} pending will not be called. `}What it left in the world is taken back.${finishes}`,
        action: 'Cancel the run',
        color: 'stop',
        perform: ({ reason }) => act(client, CancelRunDocument, { input: { id, ...reasonOf(reason) } }),
      }
    case 'RESCHEDULE':
      return {
        title: 'Move the start?',
        effect: 'It starts then. It stays the same occurrence: the schedule does not make it again.',
        action: 'Move it',
        instant: { label: 'New start', value: scheduledFor, zone: timeZone },
        perform: ({ reason, instant }) =>
          act(client, RescheduleRunDocument, { input: { id, scheduledFor: instant, ...reasonOf(reason) } }),
      }
    case 'RETRY_CLEANUP':
      return {
        title: 'Try the cleanup again?',
        effect: `${unresolvedResources === 1 ? 'One thing' : `${unresolvedResources} things`} that could not be taken back will be tried again.`,
        action: 'Try again',
        perform: ({ reason }) => act(client, RetryCleanupDocument, { input: { id, ...reasonOf(reason) } }),
      }
  }
}

/** Starts a run that may be moved before its time. */
export function startNowControl(client: Client, { id }: Pick<ControlledRun, 'id'>): Control {
  return {
    title: 'Start it now?',
    effect: 'Its start is moved to this moment. It stays the same occurrence: the schedule does not make it again.',
    action: 'Start it now',
    color: 'go',
    perform: ({ reason }) =>
      act(client, RescheduleRunDocument, {
        input: { id, scheduledFor: new Date(serverNow()).toISOString(), ...reasonOf(reason) },
      }),
  }
}

/** Makes a step that failed pending again. */
export function retryControl(client: Client, { id, title }: { id: string; title: string }): Control {
  return {
    title: `Try "${title}" again?`,
    effect: 'It is pending again, as if it had not been tried, and called once you resume the run.',
    action: 'Make it pending',
    isReasonRequired: true,
    perform: ({ reason }) => act(client, RetryStepDocument, { input: { id, reason } }),
  }
}

/** Leaves something in the world. */
export function abandonControl(client: Client, { id, kind, ref }: LedgerRowFragment): Control {
  return {
    title: `Leave ${kind} ${ref} in the world?`,
    effect: 'Cuelight does not try to take it back any more, for good. Somebody has to see to it in the world.',
    action: 'Leave it there',
    color: 'stop',
    isReasonRequired: true,
    perform: ({ reason }) => act(client, AbandonResourceDocument, { input: { id, reason } }),
  }
}
