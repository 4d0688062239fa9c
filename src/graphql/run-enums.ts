import { builder } from './builder.ts'

export const RunStatus = builder.enumType('RunStatus', {
  description: 'Where a run is in its life. The last four are its end.',
  values: {
    SCHEDULED: { description: 'Has not started.' },
    STARTING: { description: 'Being started.' },
    RUNNING: { description: 'Works through its phases.' },
    PAUSED: { description: 'Waits until a person resumes it.' },
    ENDING: { description: 'All phases done; what it left in the world is being taken back.' },
    COMPLETED: { description: 'Done.' },
    CANCELLED: { description: 'A person, archiving or a new version ended it.' },
    FAILED: { description: 'A failure ended it.' },
    MISSED: { description: 'Did not start within its grace window.' },
  },
})

export const RunHealth = builder.enumType('RunHealth', {
  description: 'How well a run goes, apart from its status. It only gets worse.',
  values: {
    OK: { description: 'Nothing went wrong.' },
    STALLED: { description: 'A trigger was waited for longer than the stall time.' },
    DEGRADED: { description: 'A step was retried, failed or refused.' },
  },
})

export const RunSource = builder.enumType('RunSource', {
  description: 'Who made a run.',
  values: {
    MANUAL: { description: 'A person or script.' },
    SCHEDULE: { description: 'The schedule.' },
  },
})

export const CleanupStatus = builder.enumType('CleanupStatus', {
  description: 'How far taking back what a run left in the world has got.',
  values: {
    NOT_REQUIRED: { description: 'It left nothing, or has not ended.' },
    PENDING: { description: 'Going on.' },
    CLEAN: { description: 'All was taken back or abandoned.' },
    INCOMPLETE: { description: 'Something could not be taken back.' },
  },
})

export const MissedReason = builder.enumType('MissedReason', {
  description: 'Why a run did not start in time.',
  values: {
    NOT_RUNNING: { description: 'No runner was there to start it.' },
    KEY_HELD: { description: 'Another run held its concurrency key.' },
    SCHEDULE_PAUSED: { description: 'Its schedule was paused.' },
  },
})

export const RunControlEnum = builder.enumType('RunControl', {
  description: 'What a person may do to a run.',
  values: {
    RESCHEDULE: { description: 'rescheduleRun.' },
    CANCEL: { description: 'cancelRun.' },
    PAUSE: { description: 'pauseRun.' },
    RESUME: { description: 'resumeRun.' },
    ADVANCE: { description: 'advancePhase: forces the gate of the current phase open.' },
    END_HOLD: { description: 'endHold: what is held goes on now.' },
    RETRY_CLEANUP: { description: 'Takes up again what could not be taken back.' },
  },
})

export const WaitingKind = builder.enumType('WaitingKind', {
  description: 'What a run waits for.',
  values: {
    SCHEDULE_PAUSED: { description: 'Its schedule to be resumed.' },
    START: { description: 'Its start.' },
    ACTION: { description: 'The answer of an action.' },
    RETRY: { description: 'The next attempt of a step.' },
    CUE: { description: 'A person who does what a cue says.' },
    HOLD: { description: 'The end of a hold.' },
    GATE: { description: 'The gate of its phase.' },
    PAUSED: { description: 'A person who resumes it.' },
    CONCURRENCY_KEY: { description: 'The run that holds its concurrency key.' },
    CLEANUP: { description: 'What it left in the world to be taken back.' },
    RUNNER: { description: 'A runner that takes it up.' },
  },
})
