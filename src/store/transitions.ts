import type { Participation } from '../domain/answer-parts.ts'
import type { Draft, Gate, Instant, NewResource, Step } from '../domain/picture.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { Batch } from './batch.ts'
import { toJsonb } from './json.ts'
import { claimKey, LOG_OWN_LINES, lineRow } from './sql.ts'

/** What the holder of a claim wants written for its run. */
export type Transition = {
  draft: Draft
  /** The name of the claim that it is made under. */
  owner: string
  /** Until when the claim is held from now on; null lets go of it. */
  leaseUntil: Instant | null
}

/**
 * The run's fence and last line after the transition, and whether an admin switched off the action of the step that it
 * puts in flight; null: somebody changed the run since, and nothing was written.
 */
export type Written = { fence: number; line: number; switchedOff: boolean } | null

/**
 * The hot path: everything that working a run changes goes through one statement over many runs, which finishes a step,
 * writes the log, claims the next step and renews or drops the claim, or does nothing where the run's fence has moved.
 */
export class Transitions {
  readonly #batch: Batch<Transition, Written>

  constructor(db: PrismaClient) {
    this.#batch = new Batch((transitions) => writeWhere(db, transitions, HELD))
  }

  /** How many wait for their turn in a statement. */
  get waiting(): number {
    return this.#batch.waiting
  }

  /** Writes a draft if its claim is still in force and nobody changed the run since the draft's picture. */
  writeIfUnchanged(transition: Transition): Promise<Written> {
    return this.#batch.add(transition)
  }
}

// What is null or empty is left out, and read as that: to read what is not there took a tenth of the statement's time.
const given = <T>(value: T | null) => value ?? undefined
const iso = (at: Instant | null) => (at === null ? undefined : new Date(at).toISOString())
const rows = <T, R>(items: Iterable<T>, rowOf: (item: T) => R) => {
  const all = Array.from(items, rowOf)
  return all.length === 0 ? undefined : all
}

function asRow({ draft, owner, leaseUntil }: Transition) {
  const { run } = draft
  return {
    id: draft.facts.runId,
    fence: draft.fence,
    owner,
    status: run.status,
    health: run.health,
    stalled_since: iso(run.stalledSince),
    current_phase: given(run.currentPhase),
    phase_index: given(run.phaseIndex),
    phase_entered_at: iso(run.phaseEnteredAt),
    hold_until: iso(run.holdUntil),
    ended_at: iso(run.endedAt),
    ended_because: given(run.endedBecause),
    last_error: given(run.lastError),
    in_flight: given(run.inFlight),
    calls: draft.steps.find(({ id }) => id === run.inFlight)?.actionId,
    wake_at: iso(run.wakeAt),
    lease_until: iso(leaseUntil),
    steps: rows(
      [...draft.touched].filter((step) => !draft.created.has(step)),
      stepRow,
    ),
    created: rows(draft.created, (step) => ({ ...placeRow(step), ...stepRow(step) })),
    gates: rows(draft.gates, gateRow),
    lines: draft.lines.map(lineRow),
    cleanup_status: run.cleanupStatus,
    ledger_at: iso(draft.ledgerAt),
    answered: rows(draft.answered, (stepId) => stepId),
    resources: rows(draft.resources, resourceRow),
    participants: rows(draft.participants, participantRow),
    results_at: iso(draft.resultsAt),
  }
}

const brings = ({ draft }: Transition) =>
  draft.answered.size > 0 || draft.participants.length > 0 || draft.resultsAt !== null

function stepRow(step: Step) {
  return {
    id: step.id,
    status: step.status,
    due_at: iso(step.dueAt),
    held: step.held,
    attempts: step.attempts,
    claim_no: step.claimNo,
    last_error: given(step.lastError),
    started_at: iso(step.startedAt),
    finished_at: iso(step.finishedAt),
    parked: step.parked,
    parked_at: iso(step.parkedAt),
    instruction: given(step.instruction),
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

function gateRow(gate: Gate) {
  return {
    phase: gate.phase,
    phase_index: gate.phaseIndex,
    kind: gate.kind,
    trigger: gate.trigger,
    where: gate.where,
    tally: gate.tally,
    needed: gate.needed,
    entered_at: iso(gate.enteredAt),
    opens_at: iso(gate.opensAt),
    opened_at: iso(gate.openedAt),
    opened_by: gate.openedBy,
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

// What answers brought, in statements that few transitions need: placeholders give way to resources, participants are
// upserted (what is not said of one stays), and ranked: the best score first, equal ones alike, none without a score. A
// participant is found again by `ctid`: by its key, the generic plan walked all of a run's for each, minutes for 10,000.
const BROUGHT = Prisma.sql`, replaced AS (
      DELETE FROM resources p USING own, jsonb_array_elements_text(own.answered) AS a(step_id)
      WHERE p.step_id = a.step_id::uuid AND p.placeholder
    ), kept AS (
      INSERT INTO resources (id, run_id, step_id, module, kind, ref, payload, member_key, lease_until, created_at)
      SELECT s.id, own.id, s.step_id, s.module, s.kind, s.ref, s.payload, s.member_key, s.lease_until, s.created_at
      FROM own CROSS JOIN LATERAL jsonb_to_recordset(own.resources) AS s(
        id uuid, step_id uuid, module text, kind text, ref text, payload jsonb, member_key text, lease_until timestamptz,
        created_at timestamptz)
    ), joined AS (
      INSERT INTO participants AS p (run_id, member_key, user_id, score, joined_at, meta)
      SELECT own.id, s.member_key, s.user_id, s.score, s.joined_at, s.meta
      FROM own CROSS JOIN LATERAL jsonb_to_recordset(own.participants) AS s(
        member_key text, user_id text, score float8, joined_at timestamptz, meta jsonb)
      ON CONFLICT (run_id, member_key) DO UPDATE SET user_id = coalesce(excluded.user_id, p.user_id),
        score = coalesce(excluded.score, p.score), joined_at = coalesce(excluded.joined_at, p.joined_at),
        meta = coalesce(excluded.meta, p.meta)
    ), ranked AS (
      UPDATE participants p SET rank = place.rank FROM (
        SELECT q.ctid,
          CASE WHEN q.score IS NOT NULL THEN rank() OVER (PARTITION BY q.run_id ORDER BY q.score DESC NULLS LAST) END AS rank
        FROM own JOIN participants q ON q.run_id = own.id WHERE own.results_at IS NOT NULL
      ) place WHERE p.ctid = place.ctid
    )`

/** Which of the runs `r` a group of transitions `x` is written for, how their rows are locked, and what else is set. */
export type Guard = { where: Prisma.Sql; lock: Prisma.Sql; alsoSet: Prisma.Sql }

/** The claim that the transition is made under is in force. */
const HELD: Guard = {
  where: Prisma.sql`r.claimed_by = x.owner`,
  lock: Prisma.empty,
  alsoSet: Prisma.empty,
}

type WrittenRow = { id: string; owner: string; fence: number; last_line: number; switched_off: boolean }

// The runs are locked in id order, so that two groups never wait for each other. The fence is checked again on the
// locked row; it covers the steps and the gate too, since whoever changes those raises it. LATERAL and `coalesce` leave the
// planner nothing but to look each run up by its id: it walked all claims, or all that is scheduled, in search of a few.
/** Writes those whose run's fence has not moved and that the guard holds for. One result for each, in their order. */
export async function writeWhere(db: PrismaClient, transitions: Transition[], guard: Guard): Promise<Written[]> {
  const rows = await db.$queryRaw<WrittenRow[]>(Prisma.sql`
    WITH x AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${toJsonb(transitions.map(asRow))}::jsonb) AS x(
        id uuid, fence int, owner text, status run_status, health run_health, stalled_since timestamptz, current_phase text,
        phase_index int, phase_entered_at timestamptz, hold_until timestamptz, ended_at timestamptz, ended_because text,
        last_error text, in_flight uuid, calls text, wake_at timestamptz, lease_until timestamptz, steps jsonb, created jsonb,
        gates jsonb, lines jsonb, cleanup_status cleanup_status, ledger_at timestamptz, answered jsonb, resources jsonb,
        participants jsonb, results_at timestamptz)
    ), own AS MATERIALIZED (
      SELECT r.last_line, x.* FROM (SELECT * FROM x ORDER BY id) x CROSS JOIN LATERAL (
        SELECT r.last_line FROM runs r WHERE r.id = x.id AND r.fence = x.fence AND coalesce(${guard.where}, false)
        FOR UPDATE OF r ${guard.lock}) r
    ), changed AS (
      UPDATE steps t SET
        status = s.status, due_at = s.due_at, held = s.held, attempts = s.attempts, claim_no = s.claim_no,
        last_error = s.last_error, started_at = s.started_at, finished_at = s.finished_at,
        parked = s.parked, parked_at = s.parked_at, instruction = s.instruction
      FROM own CROSS JOIN LATERAL jsonb_to_recordset(own.steps) AS s(
        id uuid, status step_status, due_at timestamptz, held bool, attempts int, claim_no int,
        last_error text, started_at timestamptz, finished_at timestamptz, parked bool, parked_at timestamptz,
        instruction text)
      WHERE t.id = s.id
    ), made AS (
      INSERT INTO steps (id, run_id, phase, phase_index, seq, action_id, action_version, label, params, on_failure,
        idempotency_key, status, due_at, held, attempts, claim_no, started_at, finished_at)
      SELECT s.id, own.id, s.phase, s.phase_index, s.seq, s.action_id, s.action_version, s.label, s.params, s.on_failure,
        s.idempotency_key, s.status, s.due_at, s.held, s.attempts, s.claim_no, s.started_at, s.finished_at
      FROM own CROSS JOIN LATERAL jsonb_to_recordset(own.created) AS s(
        id uuid, phase text, phase_index int, seq int, action_id text, action_version int, label text, params jsonb,
        on_failure on_failure, idempotency_key text, status step_status, due_at timestamptz, held bool, attempts int,
        claim_no int, started_at timestamptz, finished_at timestamptz)
    ), gated AS (
      INSERT INTO gates (run_id, phase, phase_index, kind, trigger, "where", tally, needed, entered_at, opens_at,
        opened_at, opened_by)
      SELECT own.id, g.phase, g.phase_index, g.kind, g.trigger, g."where", g.tally, g.needed, g.entered_at, g.opens_at,
        g.opened_at, g.opened_by
      FROM own CROSS JOIN LATERAL jsonb_to_recordset(own.gates) AS g(
        phase text, phase_index int, kind gate_kind, trigger text, "where" jsonb, tally int, needed int,
        entered_at timestamptz, opens_at timestamptz, opened_at timestamptz, opened_by gate_opened_by)
      ON CONFLICT (run_id, phase_index) DO UPDATE SET opened_at = excluded.opened_at, opened_by = excluded.opened_by
    ), logged AS (
      ${LOG_OWN_LINES}
    ) ${transitions.some(brings) ? BROUGHT : Prisma.empty}
    UPDATE runs r SET
      status = own.status, health = own.health, stalled_since = own.stalled_since, current_phase = own.current_phase,
      phase_index = own.phase_index, phase_entered_at = own.phase_entered_at, hold_until = own.hold_until,
      ended_at = own.ended_at, ended_because = own.ended_because, last_error = own.last_error,
      in_flight = own.in_flight, cleanup_status = own.cleanup_status,
      ledger_at = CASE WHEN r.ledger_owner IS NULL THEN least(r.ledger_at, own.ledger_at) ELSE r.ledger_at END,
      results_published_at = coalesce(own.results_at, r.results_published_at), wake_at = own.wake_at, lease_until = own.lease_until,
      claimed_by = CASE WHEN own.lease_until IS NULL THEN NULL ELSE own.owner END,
      fence = r.fence + 1, last_line = r.last_line + jsonb_array_length(own.lines) ${guard.alsoSet}
    FROM own WHERE r.id = own.id
    RETURNING r.id, own.owner, r.fence, r.last_line,
      coalesce((SELECT NOT a.enabled FROM action_settings a WHERE a.action_id = own.calls), false) AS switched_off`)
  const byClaim = new Map(
    rows.map((row) => [
      claimKey({ runId: row.id, owner: row.owner }),
      { fence: row.fence, line: row.last_line, switchedOff: row.switched_off },
    ]),
  )
  return transitions.map(({ draft, owner }) => byClaim.get(claimKey({ runId: draft.facts.runId, owner })) ?? null)
}
