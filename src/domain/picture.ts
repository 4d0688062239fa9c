import type { Actor } from './actor.ts'
import type { RunLine } from './log.ts'
import type { CleanupStatus, RunHealth, RunStatus } from './run.ts'
import type { OnFailure, StepStatus } from './step.ts'
import type { PlaceholderValues } from './template.ts'

/** An instant: milliseconds since the epoch, UTC. */
export type Instant = number

/** What never changes about a run while it is worked. */
export type RunFacts = {
  runId: string
  definitionId: string
  versionId: string
  scope: string
  rehearsal: boolean
  params: PlaceholderValues
  concurrencyKey: string | null
  startedBy: Actor
}

/** The columns of a run that working it changes. */
export type RunState = {
  status: RunStatus
  health: RunHealth
  stalledSince: Instant | null
  cleanupStatus: CleanupStatus
  currentPhase: string | null
  phaseIndex: number | null
  phaseEnteredAt: Instant | null
  holdUntil: Instant | null
  startedAt: Instant | null
  endedAt: Instant | null
  endedBecause: string | null
  lastError: string | null
  /** The step whose action is being called. */
  inFlight: string | null
  /** When the run has to be looked at next; null: not before somebody sets it. */
  wakeAt: Instant | null
}

/** A step as materialised. */
export type StepFacts = {
  id: string
  phase: string
  phaseIndex: number
  seq: number
  actionId: string
  actionVersion: number
  label: string | null
  params: Record<string, unknown>
  onFailure: OnFailure
  idempotencyKey: string
}

/** The columns of a step that working it changes. */
export type StepState = {
  status: StepStatus
  dueAt: Instant | null
  /** `dueAt` is a hold, not a retry's backoff. */
  held: boolean
  attempts: number
  claimNo: number
  spent: boolean
  lastError: string | null
  startedAt: Instant | null
  finishedAt: Instant | null
  parked: boolean
  parkedAt: Instant | null
  instruction: string | null
}

export type Step = StepFacts & StepState

/** A step before anything happened to it. */
export const NEW_STEP: Readonly<StepState> = {
  status: 'PENDING',
  dueAt: null,
  held: false,
  attempts: 0,
  claimNo: 0,
  spent: false,
  lastError: null,
  startedAt: null,
  finishedAt: null,
  parked: false,
  parkedAt: null,
  instruction: null,
}

export type Gate = {
  phase: string
  phaseIndex: number
  kind: 'AFTER' | 'ON'
  trigger: string | null
  where: unknown
  tally: number | null
  needed: number | null
  enteredAt: Instant
  opensAt: Instant | null
  openedAt: Instant | null
  openedBy: 'ELAPSED' | 'TRIGGER' | 'FORCED' | null
}

/**
 * What the holder of a claim knows of its run: the run, the steps of its current phase in order, and the phase's gate.
 * It is true as long as the run's fence is `fence`: whoever else changes any of it raises that number.
 */
export type Picture = {
  facts: RunFacts
  fence: number
  run: RunState
  steps: Step[]
  gate: Gate | null
}

/** A picture being changed, with what has to be written for it. Nothing of it is true before it is written. */
export type Draft = {
  facts: RunFacts
  /** The picture that the change starts from. */
  fence: number
  run: RunState
  steps: Step[]
  gate: Gate | null
  /** Steps of `steps` that changed. */
  touched: Set<Step>
  /** Steps of `steps` that are new. */
  created: Set<Step>
  /** Gates that were armed or opened. */
  gates: Set<Gate>
  lines: RunLine[]
}

/** A copy of the picture to change; the picture itself stays what the database says. */
export function draftOf(picture: Picture): Draft {
  return {
    facts: picture.facts,
    fence: picture.fence,
    run: { ...picture.run },
    steps: picture.steps.map((step) => ({ ...step })),
    gate: picture.gate === null ? null : { ...picture.gate },
    touched: new Set(),
    created: new Set(),
    gates: new Set(),
    lines: [],
  }
}

/** The picture after a draft was written under that fence. */
export function written(draft: Draft, fence: number): Picture {
  return { facts: draft.facts, fence, run: draft.run, steps: draft.steps, gate: draft.gate }
}

/** What people call a step: its label, else its action. */
export function titleOf(step: { label: string | null; actionId: string }): string {
  return step.label ?? step.actionId
}
