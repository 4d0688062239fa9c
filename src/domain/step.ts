import type { Role } from './access.ts'
import type { RunStatus } from './run.ts'

/** Where each step status may go. Back to PENDING: a retry, by the runner or by a person, or a claim taken back. */
export const NEXT_STEP_STATUSES = {
  PENDING: ['RUNNING', 'SKIPPED', 'CANCELLED'],
  RUNNING: ['DONE', 'FAILED', 'REFUSED', 'SKIPPED', 'CANCELLED', 'PENDING'],
  DONE: [],
  FAILED: ['PENDING'],
  REFUSED: ['PENDING'],
  SKIPPED: [],
  CANCELLED: [],
} as const satisfies Record<string, readonly string[]>

export type StepStatus = keyof typeof NEXT_STEP_STATUSES
export type OnFailure = 'SKIP' | 'PAUSE' | 'ABORT_RUN'
export type StepControl = 'CLAIM' | 'TAKE_OVER' | 'CONFIRM' | 'SKIP' | 'RETRY'

/** Nothing more will happen to it by itself: what follows in the phase may be worked. */
export function isStepTerminal(status: StepStatus): boolean {
  return status !== 'PENDING' && status !== 'RUNNING'
}

/** What a step and its run are like, as far as it decides which controls may act on the step. */
export type StepControlView = {
  runStatus: RunStatus
  status: StepStatus
  parked: boolean
  /** Somebody said "I have it". */
  claimed: boolean
  /** It is of the current phase, and no step behind it in the phase was ever worked. */
  furthest: boolean
}

type StepControlRule = {
  runFrom: readonly RunStatus[]
  when: (step: StepControlView) => boolean
  role: Role
  past: string
  needs: string
}

const WORKED: readonly RunStatus[] = ['RUNNING', 'PAUSED']

/** Which control may act on which step, and who may use it. */
export const STEP_CONTROLS: Record<StepControl, StepControlRule> = {
  CLAIM: {
    runFrom: WORKED,
    when: (step) => step.parked && !step.claimed,
    role: 'MODERATOR',
    past: 'claimed',
    needs: 'a cue that waits and that nobody has claimed',
  },
  TAKE_OVER: {
    runFrom: WORKED,
    when: (step) => step.parked && step.claimed,
    role: 'MODERATOR',
    past: 'took over',
    needs: 'a cue that waits and that somebody has claimed',
  },
  CONFIRM: {
    runFrom: WORKED,
    when: (step) => step.parked,
    role: 'MODERATOR',
    past: 'confirmed',
    needs: 'a cue that waits for a person',
  },
  SKIP: {
    runFrom: ['SCHEDULED', 'STARTING', ...WORKED],
    when: (step) => step.parked || step.status === 'PENDING',
    role: 'MODERATOR',
    past: 'skipped',
    needs: 'a PENDING step, or a cue that waits, of a run that has not ended',
  },
  RETRY: {
    runFrom: ['PAUSED'],
    when: (step) => (step.status === 'FAILED' || step.status === 'REFUSED') && step.furthest,
    role: 'ADMIN',
    past: 'retried',
    needs: 'a PAUSED run, and its FAILED or REFUSED step that is the furthest the current phase got',
  },
}

/** Whether a control may act on a step that is like this. */
export function mayControlStep(control: StepControl, step: StepControlView): boolean {
  const rule = STEP_CONTROLS[control]
  return rule.runFrom.includes(step.runStatus) && rule.when(step)
}
