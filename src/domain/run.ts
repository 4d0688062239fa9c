import type { Role } from './access.ts'

/**
 * A run's life, as one table: where each status may go. SCHEDULED, STARTING … are the API's RunStatus.
 * PAUSED goes back to STARTING where no phase was entered yet.
 */
export const NEXT_STATUSES = {
  SCHEDULED: ['STARTING', 'CANCELLED', 'MISSED'],
  STARTING: ['RUNNING', 'PAUSED', 'CANCELLED', 'FAILED'],
  RUNNING: ['PAUSED', 'ENDING', 'CANCELLED', 'FAILED'],
  PAUSED: ['RUNNING', 'STARTING', 'CANCELLED', 'FAILED'],
  ENDING: ['COMPLETED', 'CANCELLED'],
  COMPLETED: [],
  CANCELLED: [],
  FAILED: [],
  MISSED: [],
} as const satisfies Record<string, readonly string[]>

export type RunStatus = keyof typeof NEXT_STATUSES
export type RunHealth = 'OK' | 'STALLED' | 'DEGRADED'
export type CleanupStatus = 'NOT_REQUIRED' | 'PENDING' | 'CLEAN' | 'INCOMPLETE'
export type RunControl = 'RESCHEDULE' | 'CANCEL' | 'PAUSE' | 'RESUME' | 'ADVANCE' | 'END_HOLD' | 'RETRY_CLEANUP'

export const RUN_STATUSES = Object.keys(NEXT_STATUSES) as RunStatus[]

/** Whether a run may go from one status to the other. */
export function mayBecome(from: RunStatus, to: RunStatus): boolean {
  return (NEXT_STATUSES[from] as readonly RunStatus[]).includes(to)
}

/** COMPLETED, CANCELLED, FAILED and MISSED: nothing follows. */
export function isTerminal(status: RunStatus): boolean {
  return NEXT_STATUSES[status].length === 0
}

/** What a run is like, as far as it decides which controls may act on it. */
export type ControlView = {
  status: RunStatus
  cleanupStatus: CleanupStatus
  /** A step of the current phase or the run itself is held until an instant that has not come. */
  held: boolean
  /** The current phase has a gate that is not open. */
  gateClosed: boolean
}

type ControlRule = {
  /** The statuses it may act from. */
  from: readonly RunStatus[]
  /** What else has to be so. */
  when?: (run: ControlView) => boolean
  role: Role
  /** "Mira … this 2 s ago". */
  past: string
  /** What the run has to be like, for the sentence that refuses. */
  needs: string
}

/** Which control may act from where, and who may use it. */
export const RUN_CONTROLS: Record<RunControl, ControlRule> = {
  RESCHEDULE: { from: ['SCHEDULED'], role: 'ADMIN', past: 'rescheduled', needs: 'a run that has not started' },
  CANCEL: {
    from: RUN_STATUSES.filter((status) => mayBecome(status, 'CANCELLED')),
    role: 'ADMIN',
    past: 'cancelled',
    needs: 'a run that has not ended',
  },
  PAUSE: {
    from: RUN_STATUSES.filter((status) => mayBecome(status, 'PAUSED')),
    role: 'MODERATOR',
    past: 'paused',
    needs: 'a run that is STARTING or RUNNING',
  },
  RESUME: { from: ['PAUSED'], role: 'MODERATOR', past: 'resumed', needs: 'a PAUSED run' },
  ADVANCE: {
    from: ['RUNNING', 'PAUSED'],
    when: (run) => run.gateClosed,
    role: 'ADMIN',
    past: 'advanced',
    needs: 'a RUNNING or PAUSED run whose phase has a gate that is not open',
  },
  END_HOLD: {
    from: ['RUNNING', 'PAUSED'],
    when: (run) => run.held,
    role: 'MODERATOR',
    past: 'ended the hold of',
    needs: 'a RUNNING or PAUSED run with a hold',
  },
  RETRY_CLEANUP: {
    from: ['COMPLETED', 'FAILED', 'CANCELLED'],
    when: (run) => run.cleanupStatus === 'INCOMPLETE',
    role: 'ADMIN',
    past: 'retried the cleanup of',
    needs: 'an ended run whose cleanup is INCOMPLETE',
  },
}

/** Whether a control may act on a run that is like this. */
export function mayControl(control: RunControl, run: ControlView): boolean {
  const rule = RUN_CONTROLS[control]
  return rule.from.includes(run.status) && (rule.when?.(run) ?? true)
}
