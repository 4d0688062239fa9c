import type { Participation } from '../domain/answer-parts.ts'
import type { RunLine } from '../domain/log.ts'
import type { Draft, Gate, Instant, NewResource, Step } from '../domain/picture.ts'
import type { Prisma } from '../generated/prisma/client.ts'
import { toJsonb } from './json.ts'
import { tableOf } from './table.ts'

/** What the holder of a claim wants written for its run. */
export type Transition = {
  draft: Draft
  /** The name of the claim that it is made under. */
  owner: string
  /** Until when the claim is held from now on; null lets go of it. */
  leaseUntil: Instant | null
}

const runTable = tableOf<Transition>('x', {
  id: ['uuid', ({ draft }) => draft.facts.runId],
  fence: ['int', ({ draft }) => draft.fence],
  owner: ['text', ({ owner }) => owner],
  status: ['run_status', ({ draft }) => draft.run.status],
  health: ['run_health', ({ draft }) => draft.run.health],
  stalled_since: ['instant', ({ draft }) => draft.run.stalledSince],
  current_phase: ['text', ({ draft }) => draft.run.currentPhase],
  phase_index: ['int', ({ draft }) => draft.run.phaseIndex],
  phase_entered_at: ['instant', ({ draft }) => draft.run.phaseEnteredAt],
  hold_until: ['instant', ({ draft }) => draft.run.holdUntil],
  started_at: ['instant', ({ draft }) => draft.run.startedAt],
  ended_at: ['instant', ({ draft }) => draft.run.endedAt],
  ended_because: ['text', ({ draft }) => draft.run.endedBecause],
  last_error: ['text', ({ draft }) => draft.run.lastError],
  in_flight: ['uuid', ({ draft }) => draft.run.inFlight],
  calls: ['text', ({ draft }) => draft.steps.find(({ id }) => id === draft.run.inFlight)?.actionId],
  wake_at: ['instant', ({ draft }) => draft.run.wakeAt],
  lease_until: ['instant', ({ leaseUntil }) => leaseUntil],
  cleanup_status: ['cleanup_status', ({ draft }) => draft.run.cleanupStatus],
  ledger_at: ['instant', ({ draft }) => draft.ledgerAt],
  results_at: ['instant', ({ draft }) => draft.resultsAt],
  lines: ['int', ({ draft }) => draft.lines.length],
})

/** Something of the run whose transition has this number, and the number among its kind there; both from 1. */
type OfRun<T> = { run: number; nth: number; of: T }

const stepTable = tableOf<OfRun<Step>>('s', {
  run: ['int', ({ run }) => run],
  id: ['uuid', ({ of }) => of.id],
  status: ['step_status', ({ of }) => of.status],
  due_at: ['instant', ({ of }) => of.dueAt],
  held: ['bool', ({ of }) => of.held],
  attempts: ['int', ({ of }) => of.attempts],
  claim_no: ['int', ({ of }) => of.claimNo],
  last_error: ['text', ({ of }) => of.lastError],
  started_at: ['instant', ({ of }) => of.startedAt],
  finished_at: ['instant', ({ of }) => of.finishedAt],
  parked: ['bool', ({ of }) => of.parked],
  parked_at: ['instant', ({ of }) => of.parkedAt],
  instruction: ['text', ({ of }) => of.instruction],
})

const lineTable = tableOf<OfRun<RunLine>>('l', {
  run: ['int', ({ run }) => run],
  nth: ['int', ({ nth }) => nth],
  at: ['instant', ({ of }) => of.at],
  kind: ['text', ({ of }) => of.kind],
  phase: ['text', ({ of }) => of.phase],
  step_id: ['uuid', ({ of }) => of.stepId],
  actor_kind: ['actor_kind', ({ of }) => of.actor.kind],
  actor_name: ['text', ({ of }) => of.actor.name],
  detail: ['jsonb', ({ of }) => toJsonb(of.detail)],
  text: ['text', ({ of }) => of.text],
})

const gateTable = tableOf<OfRun<Gate>>('g', {
  run: ['int', ({ run }) => run],
  phase: ['text', ({ of }) => of.phase],
  phase_index: ['int', ({ of }) => of.phaseIndex],
  kind: ['gate_kind', ({ of }) => of.kind],
  trigger: ['text', ({ of }) => of.trigger],
  condition: ['jsonb', ({ of }) => (of.where == null ? null : toJsonb(of.where))],
  tally: ['int', ({ of }) => of.tally],
  needed: ['int', ({ of }) => of.needed],
  entered_at: ['instant', ({ of }) => of.enteredAt],
  opens_at: ['instant', ({ of }) => of.opensAt],
  opened_at: ['instant', ({ of }) => of.openedAt],
  opened_by: ['gate_opened_by', ({ of }) => of.openedBy],
})

function ofRuns<T>(transitions: readonly Transition[], itemsOf: (draft: Draft) => Iterable<T>): OfRun<T>[] {
  const items: OfRun<T>[] = []
  for (const [index, { draft }] of transitions.entries()) {
    let nth = 0
    for (const of of itemsOf(draft)) {
      nth += 1
      items.push({ run: index + 1, nth, of })
    }
  }
  return items
}

/** The runs as they are to be: a table `x`. */
export const runsOf = (transitions: readonly Transition[]): Prisma.Sql => runTable(transitions)

/** Those of their steps that changed: a table `s`. */
export const changedStepsOf = (transitions: readonly Transition[]): Prisma.Sql =>
  stepTable(ofRuns(transitions, ({ touched }) => touched.values()))

/** Their lines: a table `l`, each line's number among its run's as `nth`. */
export const linesOf = (transitions: readonly Transition[]): Prisma.Sql =>
  lineTable(ofRuns(transitions, ({ lines }) => lines))

/** Their gates that were armed or opened: a table `g`. */
export const gatesOf = (transitions: readonly Transition[]): Prisma.Sql =>
  gateTable(ofRuns(transitions, ({ gates }) => gates))

/** About how many rows a transition changes: an answer may name thousands. */
export const rowsOf = ({ draft }: Transition): number =>
  1 + draft.lines.length + draft.touched.size + draft.created.size + draft.resources.length + draft.participants.length

/** Whether a transition brings what few of them do, and `rareRow` says. */
export const isRare = ({ draft }: Transition): boolean =>
  draft.created.size > 0 || draft.answered.size > 0 || draft.participants.length > 0 || draft.resultsAt !== null

/** What few transitions bring, for JSON; `run` is the transition's number, from 1. */
export function rareRow({ draft }: Transition, run: number) {
  return {
    run,
    created: Array.from(draft.created.values(), (step) => ({ ...placeRow(step), ...newStepRow(step) })),
    answered: [...draft.answered],
    resources: draft.resources.map(resourceRow),
    participants: draft.participants.map(participantRow),
    ranks: draft.resultsAt !== null,
  }
}

const iso = (at: Instant | null) => (at === null ? undefined : new Date(at).toISOString())

function newStepRow(step: Step) {
  return {
    status: step.status,
    due_at: iso(step.dueAt),
    held: step.held,
    attempts: step.attempts,
    claim_no: step.claimNo,
    started_at: iso(step.startedAt),
    finished_at: iso(step.finishedAt),
  }
}

/** The columns of a step that never change. */
export function placeRow(step: Step) {
  return {
    id: step.id,
    phase: step.phase,
    phase_index: step.phaseIndex,
    seq: step.seq,
    action_id: step.actionId,
    action_version: step.actionVersion,
    label: step.label,
    params: step.params,
    on_failure: step.onFailure,
    idempotency_key: step.idempotencyKey,
  }
}

function resourceRow(resource: NewResource) {
  return {
    id: resource.id,
    step_id: resource.stepId,
    module: resource.module,
    kind: resource.kind,
    ref: resource.ref,
    payload: resource.payload,
    member_key: resource.memberKey,
    lease_until: resource.leaseUntil,
    created_at: iso(resource.createdAt),
  }
}

function participantRow({ memberKey, userId, score, joinedAt, meta }: Participation) {
  return { member_key: memberKey, user_id: userId, score, joined_at: joinedAt, meta }
}
