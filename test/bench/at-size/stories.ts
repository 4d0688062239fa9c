import type { Actor } from '../../../src/domain/actor.ts'
import {
  cleanupStatus,
  conditionEvaluated,
  phaseAdvanced,
  phaseCompleted,
  phaseEntered,
  phaseGate,
  type RunLine,
  runCreated,
  runStatus,
  stepMessage,
  stepParked,
  stepStatus,
} from '../../../src/domain/log.ts'
import type { RunStatus } from '../../../src/domain/run.ts'
import type { StepStatus } from '../../../src/domain/step.ts'

/** What became of a run. WAITING and CUE are under way: for a trigger, and for a person. */
export const FATES = ['COMPLETED', 'CANCELLED', 'FAILED', 'MISSED', 'SCHEDULED', 'WAITING', 'CUE'] as const
export type Fate = (typeof FATES)[number]

const MIRA: Actor = { kind: 'USER', name: 'Mira' }
const SHARD: Actor = { kind: 'TOKEN', name: 'shard Yew' }

type Place = { phaseIndex: number; seq: number }

/** The steps of every run's three phases. */
const STEPS = [
  { phase: 'gather', phaseIndex: 0, seq: 0, actionId: 'shard.broadcast', label: 'Call to arms' },
  { phase: 'gather', phaseIndex: 0, seq: 1, actionId: 'core.cue', label: 'The gates are open' },
  { phase: 'battle', phaseIndex: 1, seq: 0, actionId: 'shard.spawn', label: 'First wave' },
  { phase: 'battle', phaseIndex: 1, seq: 1, actionId: 'shard.spawn', label: 'Second wave' },
  { phase: 'farewell', phaseIndex: 2, seq: 0, actionId: 'shard.broadcast', label: 'Thanks to all' },
] as const
type StoryStep = (typeof STEPS)[number]

/** A row of `steps`, but for whose it is. */
export type StepShape = Place & {
  fate: Fate
  phase: string
  actionId: string
  label: string
  status: StepStatus
  parked: boolean
}

/** A row of `run_log`, but for whose it is; `afterMs` from the run's start, -1 for when its row was made. */
export type LineShape = {
  fate: Fate
  line: number
  afterMs: number
  kind: string
  phase: string | null
  step: Place | null
  actor: Actor
  detail: Record<string, unknown>
  text: string
}

type Told = { line: RunLine; step: Place | null }

// The texts' instants are an example's, the same for all runs.
const AT = Date.UTC(2026, 2, 6, 20)

const status = (from: RunStatus, to: RunStatus, because?: string): Told => ({
  line: runStatus({ at: AT }, { from, to, ...(because === undefined ? {} : { because }) }),
  step: null,
})

const stepOf = ({ phase, actionId, label }: StoryStep) => ({
  at: AT,
  step: { id: '', phase, actionId, label, attempts: 1 },
})

const ended = (step: StoryStep, to: StepStatus, error?: string): Told => ({
  line: stepStatus(stepOf(step), { to, ...(error === undefined ? { output: { creatures: 12 } } : { error }) }),
  step,
})

const entered = (phase: string, index: number): Told => ({
  line: phaseEntered({ at: AT, phase }, { index, steps: index === 2 ? 1 : 2, label: phase }),
  step: null,
})
const completed = (phase: string, index: number): Told => ({
  line: phaseCompleted({ at: AT, phase }, { index, label: phase }),
  step: null,
})
const messages = (step: StoryStep, count: number): Told[] =>
  Array.from({ length: count }, (_, index) => ({
    line: stepMessage(stepOf(step), { message: `${index + 4} creatures have come through`, level: 'info' }),
    step,
  }))

const CREATED: Told = {
  line: runCreated(
    { at: AT, actor: MIRA },
    { source: 'MANUAL', version: 3, scope: 'Yew', rehearsal: false, params: { waves: 2 }, scheduledFor: AT },
  ),
  step: null,
}
const [CALL, GATES, FIRST, SECOND, THANKS] = STEPS

const BEGUN = [
  CREATED,
  status('SCHEDULED', 'STARTING'),
  status('STARTING', 'RUNNING'),
  entered('gather', 0),
  ended(CALL, 'DONE'),
]
const BATTLE = [
  ended(GATES, 'DONE'),
  completed('gather', 0),
  entered('battle', 1),
  ended(FIRST, 'DONE'),
  ...messages(FIRST, 2),
  ended(SECOND, 'DONE'),
  {
    line: phaseGate(
      { at: AT, phase: 'battle' },
      { gate: 'ON', trigger: 'shard.slain', needed: 2 },
      'Waits for shard.slain, twice.',
    ),
    step: null,
  },
]
const slain = (tally: number): Told => ({
  line: conditionEvaluated(
    { at: AT, phase: 'battle', actor: SHARD },
    { trigger: 'shard.slain', payload: { creature: 'daemon', by: 'Anna' }, matched: true, tally, needed: 2 },
  ),
  step: null,
})

const STORIES: Record<Fate, readonly Told[]> = {
  COMPLETED: [
    ...BEGUN,
    ...BATTLE,
    slain(1),
    slain(2),
    {
      line: phaseAdvanced(
        { at: AT, phase: 'battle' },
        { because: 'TRIGGER', waitedSeconds: 240, trigger: 'shard.slain', tally: 2, needed: 2 },
      ),
      step: null,
    },
    completed('battle', 1),
    entered('farewell', 2),
    ended(THANKS, 'DONE'),
    completed('farewell', 2),
    status('RUNNING', 'ENDING'),
    { line: cleanupStatus({ at: AT }, { from: 'PENDING', to: 'CLEAN' }), step: null },
    status('ENDING', 'COMPLETED'),
  ],
  CANCELLED: [...BEGUN, ...BATTLE, slain(1), status('RUNNING', 'ENDING'), status('ENDING', 'CANCELLED')],
  FAILED: [...BEGUN, ended(GATES, 'FAILED', 'shard Yew does not answer'), status('RUNNING', 'FAILED', 'a step failed')],
  MISSED: [CREATED, status('SCHEDULED', 'MISSED', 'the grace window passed')],
  SCHEDULED: [CREATED],
  WAITING: [...BEGUN, ...BATTLE, slain(1)],
  CUE: [...BEGUN, { line: stepParked(stepOf(GATES), 'Open the gates of Yew'), step: GATES }],
}

const STEP_STATUSES: Record<Fate, readonly StepStatus[]> = {
  COMPLETED: ['DONE', 'DONE', 'DONE', 'DONE', 'DONE'],
  CANCELLED: ['DONE', 'DONE', 'DONE', 'DONE'],
  FAILED: ['DONE', 'FAILED'],
  MISSED: ['CANCELLED', 'CANCELLED'],
  SCHEDULED: ['PENDING', 'PENDING'],
  WAITING: ['DONE', 'DONE', 'DONE', 'DONE'],
  CUE: ['DONE', 'RUNNING'],
}

/** The steps that runs of each fate have. */
export const stepShapes = (): StepShape[] =>
  FATES.flatMap((fate) =>
    STEP_STATUSES[fate].flatMap((stepState, index) => {
      const step = STEPS[index]
      return step === undefined ? [] : [{ fate, ...step, status: stepState, parked: stepState === 'RUNNING' }]
    }),
  )

/** The log that runs of each fate have. */
export const lineShapes = (): LineShape[] =>
  FATES.flatMap((fate) =>
    STORIES[fate].map(({ line, step }, index) => ({
      fate,
      line: index + 1,
      afterMs: index === 0 ? -1 : index * 15_000,
      kind: line.kind,
      phase: line.phase,
      step: step === null ? null : { phaseIndex: step.phaseIndex, seq: step.seq },
      actor: line.actor,
      detail: line.detail,
      text: line.text,
    })),
  )

/** What definitions publish. */
export const specOf = (schedule: Record<string, unknown>) => ({
  schedule,
  phases: ['gather', 'battle', 'farewell'].map((key) => ({
    key,
    label: key,
    steps: STEPS.filter(({ phase }) => phase === key).map(({ actionId, label }) => ({
      actionId,
      actionVersion: 1,
      label,
      params: { message: 'Creatures gather at the gates of Yew', creatures: 12 },
      onFailure: 'PAUSE',
    })),
    ...(key === 'battle' ? { advance: { trigger: { on: 'shard.slain', count: 2 } } } : {}),
  })),
})
