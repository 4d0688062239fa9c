import type { Actor } from './actor.ts'
import type { CreatedResource, Participation } from './answer-parts.ts'
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

/** What a run's ledger says, as far as it decides how the run goes on. */
export type LedgerFacts = {
  /** Something in it was taken back or abandoned. */
  resolved: boolean
  /** How much of it is ACTIVE, REVERTING or FAILED; standing placeholders count. */
  unresolved: number
}

/** Something that a step made, for the ledger. */
export type NewResource = CreatedResource & { id: string; stepId: string; module: string; createdAt: Instant }

/**
 * What the holder of a claim knows of its run: the run, the steps of its current phase in order, and the phase's gate.
 * It is true as long as the run's fence is `fence`: whoever else changes any of it raises that number.
 */
export type Picture = {
  facts: RunFacts
  fence: number
  run: RunState
  steps: readonly Readonly<Step>[]
  gate: Gate | null
  ledger: LedgerFacts
}

/** A picture being changed, with what has to be written for it. Nothing of it is true before it is written. */
export type Draft = {
  facts: RunFacts
  /** The picture that the change starts from. */
  fence: number
  run: RunState
  steps: readonly Readonly<Step>[]
  gate: Gate | null
  /** Steps that changed, as they are now, by id. */
  touched: Map<string, Step>
  /** Steps that are new, as they are now, by id. */
  created: Map<string, Step>
  /** Gates that were armed or opened. */
  gates: Set<Gate>
  ledger: LedgerFacts
  /** Ids of steps whose placeholder gives way to what they are known to have made. */
  answered: Set<string>
  resources: NewResource[]
  /** When the ledger has to be looked at, at the latest; null: nothing asks for it now. */
  ledgerAt: Instant | null
  participants: Participation[]
  /** The participants are ranked and published at this instant. */
  resultsAt: Instant | null
  lines: RunLine[]
}

/** A draft of the picture, which stays what the database says: a step is copied when `changeStep` changes it. */
export function draftOf(picture: Picture): Draft {
  return {
    facts: picture.facts,
    fence: picture.fence,
    run: { ...picture.run },
    steps: picture.steps,
    gate: picture.gate === null ? null : { ...picture.gate },
    touched: new Map(),
    created: new Map(),
    gates: new Set(),
    ledger: { ...picture.ledger },
    answered: new Set(),
    resources: [],
    ledgerAt: null,
    participants: [],
    resultsAt: null,
    lines: [],
  }
}

/** Changes a step of the draft, and answers it as it is from then on. */
export function changeStep(draft: Draft, { id }: Step, to: Partial<StepState>): Step {
  const index = draft.steps.findIndex((step) => step.id === id)
  const step = draft.steps[index]
  if (step === undefined) throw new Error(`The step ${id} is not of the run's current phase`)
  const changed = Object.assign({ ...step }, to)
  draft.steps = draft.steps.with(index, changed)
  const where = draft.created.has(id) ? draft.created : draft.touched
  where.set(id, changed)
  return changed
}

/** The picture after a draft was written under that fence. */
export function written(draft: Draft, fence: number): Picture {
  return { facts: draft.facts, fence, run: draft.run, steps: draft.steps, gate: draft.gate, ledger: draft.ledger }
}

/** What people call a step: its label, else its action. */
export function titleOf(step: { label: string | null; actionId: string }): string {
  return step.label ?? step.actionId
}
