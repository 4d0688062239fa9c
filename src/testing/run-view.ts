import type { Actor } from '../domain/actor.ts'
import { formatId } from '../domain/ids.ts'
import { isObject } from '../domain/plain-object.ts'
import type { CleanupStatus, RunHealth, RunStatus } from '../domain/run.ts'
import type { OnFailure, StepStatus } from '../domain/step.ts'
import type { Registry } from '../modules/registry.ts'
import type { LogRow } from '../store/log-reads.ts'
import type { ParticipantRow } from '../store/participants.ts'
import type { RunWithSteps } from '../store/run-with-steps.ts'

// Ids are as the API shows them; instants are Dates.

/** A run as it is at one instant. */
export type RunState = {
  id: string
  status: RunStatus
  health: RunHealth
  cleanupStatus: CleanupStatus
  /** Key of the phase it is in; null before the first. */
  phase: string | null
  scope: string
  params: Record<string, unknown>
  concurrencyKey: string | null
  scheduledFor: Date
  startedAt: Date | null
  endedAt: Date | null
  /** Why it is CANCELLED or FAILED, in words. */
  endedBecause: string | null
  /** What stops it or went wrong last. */
  lastError: string | null
}

/** A step as it is at one instant. */
export type StepState = {
  id: string
  /** Key of its phase. */
  phase: string
  /** Counted from 0 in its phase. */
  seq: number
  actionId: string
  /** Its label, else its action's. */
  title: string
  /** With the run's params filled in. */
  params: Record<string, unknown>
  status: StepStatus
  /** It is a cue that waits for a person. */
  waiting: boolean
  instruction: string | null
  onFailure: OnFailure
  attempts: number
  error: string | null
  /** Not before then: a hold or a retry. */
  dueAt: Date | null
  startedAt: Date | null
  finishedAt: Date | null
  /** What a person said when confirming or skipping it. */
  note: string | null
  idempotencyKey: string
}

/** Somebody who takes part, as far as the world said who. */
export type ParticipantState = {
  memberKey: string
  userId: string | null
  score: number | null
  /** From 1, equal scores alike; null without a score, and until the results are published. */
  rank: number | null
  joinedAt: Date | null
  meta: Record<string, unknown> | null
}

/** A line of the run log. */
export type LogLine = {
  line: number
  at: Date
  /** `run.status`, `step.parked` … */
  kind: string
  phase: string | null
  stepId: string | null
  actor: Actor
  detail: Record<string, unknown>
  /** The same as a sentence for people. */
  text: string
}

export function runStateOf(run: RunWithSteps): RunState {
  const { status, health, cleanupStatus, scope, params, concurrencyKey } = run
  const { scheduledFor, startedAt, endedAt, endedBecause, lastError } = run
  return {
    id: formatId('Run', run.id),
    status,
    health,
    cleanupStatus,
    phase: run.currentPhase,
    scope,
    params: objectOf(params),
    concurrencyKey,
    scheduledFor,
    startedAt,
    endedAt,
    endedBecause,
    lastError,
  }
}

export function stepStateOf(step: RunWithSteps['steps'][number], registry: Registry): StepState {
  const { phase, seq, actionId, status, instruction, onFailure, attempts } = step
  const { dueAt, startedAt, finishedAt, note, idempotencyKey } = step
  return {
    id: formatId('Step', step.id),
    phase,
    seq,
    actionId,
    title: step.label ?? registry.action(actionId)?.label ?? actionId,
    params: objectOf(step.params),
    status,
    waiting: step.parked,
    instruction,
    onFailure,
    attempts,
    error: step.lastError,
    dueAt,
    startedAt,
    finishedAt,
    note,
    idempotencyKey,
  }
}

export function participantStateOf(participant: ParticipantRow): ParticipantState {
  const { memberKey, userId, score, rank, joinedAt, meta } = participant
  return { memberKey, userId, score, rank, joinedAt, meta: isObject(meta) ? meta : null }
}

export function logLineOf({ line, at, kind, phase, stepId, actorKind, actorName, detail, text }: LogRow): LogLine {
  return {
    line,
    at,
    kind,
    phase,
    stepId: stepId === null ? null : formatId('Step', stepId),
    actor: { kind: actorKind, name: actorName },
    detail: objectOf(detail),
    text,
  }
}

/** Whether that is what a person would call the step. */
export function matches({ id, title, actionId }: StepState, which: string): boolean {
  return [id, title, actionId].includes(which)
}

const objectOf = (json: unknown): Record<string, unknown> => (isObject(json) ? json : {})
