import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { Batch } from './batch.ts'
import { toJsonb } from './json.ts'
import {
  changedStepsOf,
  gatesOf,
  isRare,
  linesOf,
  rareRow,
  rowsOf,
  runsOf,
  type Transition,
} from './transition-rows.ts'

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
    this.#batch = new Batch((transitions) => writeWhere(db, transitions, HELD), rowsOf)
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

// What few transitions bring. Placeholders give way to resources; participants are upserted (what is not said of one
// stays), and ranked: the best score first, equal ones alike, none without a score. A participant is found again by
// `ctid`: by its key, the generic plan walked all of a run's for each, minutes for 10,000.
const writeRare = (transitions: readonly Transition[]) => Prisma.sql`, rare AS MATERIALIZED (
      SELECT place.id[x.run] AS id, x.* FROM place CROSS JOIN jsonb_to_recordset(${toJsonb(
        transitions.flatMap((transition, index) => (isRare(transition) ? [rareRow(transition, index + 1)] : [])),
      )}::jsonb) AS x(
        run int, created jsonb, answered jsonb, resources jsonb, participants jsonb, ranks bool)
      WHERE place.line[x.run] >= 0
    ), made AS (
      INSERT INTO steps (id, run_id, phase, phase_index, seq, action_id, action_version, label, params, on_failure,
        idempotency_key, status, due_at, held, attempts, claim_no, started_at, finished_at)
      SELECT s.id, rare.id, s.phase, s.phase_index, s.seq, s.action_id, s.action_version, s.label, s.params, s.on_failure,
        s.idempotency_key, s.status, s.due_at, s.held, s.attempts, s.claim_no, s.started_at, s.finished_at
      FROM rare CROSS JOIN LATERAL jsonb_to_recordset(rare.created) AS s(
        id uuid, phase text, phase_index int, seq int, action_id text, action_version int, label text, params jsonb,
        on_failure on_failure, idempotency_key text, status step_status, due_at timestamptz, held bool, attempts int,
        claim_no int, started_at timestamptz, finished_at timestamptz)
    ), replaced AS (
      DELETE FROM resources p USING rare, jsonb_array_elements_text(rare.answered) AS a(step_id)
      WHERE p.step_id = a.step_id::uuid AND p.placeholder
    ), kept AS (
      INSERT INTO resources (id, run_id, step_id, module, kind, ref, payload, member_key, lease_until, created_at)
      SELECT s.id, rare.id, s.step_id, s.module, s.kind, s.ref, s.payload, s.member_key, s.lease_until, s.created_at
      FROM rare CROSS JOIN LATERAL jsonb_to_recordset(rare.resources) AS s(
        id uuid, step_id uuid, module text, kind text, ref text, payload jsonb, member_key text, lease_until timestamptz,
        created_at timestamptz)
    ), joined AS (
      INSERT INTO participants AS p (run_id, member_key, user_id, score, joined_at, meta)
      SELECT rare.id, s.member_key, s.user_id, s.score, s.joined_at, s.meta
      FROM rare CROSS JOIN LATERAL jsonb_to_recordset(rare.participants) AS s(
        member_key text, user_id text, score float8, joined_at timestamptz, meta jsonb)
      ON CONFLICT (run_id, member_key) DO UPDATE SET user_id = coalesce(excluded.user_id, p.user_id),
        score = coalesce(excluded.score, p.score), joined_at = coalesce(excluded.joined_at, p.joined_at),
        meta = coalesce(excluded.meta, p.meta)
    ), ranked AS (
      UPDATE participants p SET rank = rated.rank FROM (
        SELECT q.ctid,
          CASE WHEN q.score IS NOT NULL THEN rank() OVER (PARTITION BY q.run_id ORDER BY q.score DESC NULLS LAST) END AS rank
        FROM rare JOIN participants q ON q.run_id = rare.id WHERE rare.ranks
      ) rated WHERE p.ctid = rated.ctid
    )`

/** Which of the runs `r` a group of transitions `x` is written for, and how their rows are locked. */
export type Guard = { where: Prisma.Sql; lock: Prisma.Sql }

/** The claim that the transition is made under is in force. */
const HELD: Guard = {
  where: Prisma.sql`r.claimed_by = x.owner`,
  lock: Prisma.empty,
}

type WrittenRow = { run: number; fence: number; last_line: number; switched_off: boolean }

// The runs are locked in id order, so that two groups never wait for each other. The fence is checked again on the
// locked row; it covers the steps and the gate too, since whoever changes those raises it. LATERAL and `coalesce` leave the
// planner nothing but to look each run up by its id: it walked all claims, or all that is scheduled, in search of a few.
// What belongs to a run finds its row in `place` by the transition's number, which has no gap from 1: its last line, -1
// where nothing is written.
/** Writes those whose run's fence has not moved and that the guard holds for. One result for each, in their order. */
export async function writeWhere(db: PrismaClient, transitions: Transition[], guard: Guard): Promise<Written[]> {
  const rows = await db.$queryRaw<WrittenRow[]>(Prisma.sql`
    WITH own AS MATERIALIZED (
      SELECT r.last_line, x.* FROM (SELECT * FROM ${runsOf(transitions)} ORDER BY id) x LEFT JOIN LATERAL (
        SELECT r.last_line FROM runs r WHERE r.id = x.id AND r.fence = x.fence AND coalesce(${guard.where}, false)
        FOR UPDATE OF r ${guard.lock}) r ON true
    ), place AS MATERIALIZED (
      SELECT array_agg(id ORDER BY ord) AS id, array_agg(coalesce(last_line, -1) ORDER BY ord) AS line FROM own
    ), changed AS (
      UPDATE steps t SET
        status = s.status, due_at = s.due_at, held = s.held, attempts = s.attempts, claim_no = s.claim_no,
        last_error = s.last_error, started_at = s.started_at, finished_at = s.finished_at,
        parked = s.parked, parked_at = s.parked_at, instruction = s.instruction
      FROM place CROSS JOIN ${changedStepsOf(transitions)} WHERE place.line[s.run] >= 0 AND t.id = s.id
    ), logged AS (
      INSERT INTO run_log (run_id, line, at, kind, phase, step_id, actor_kind, actor_name, detail, text)
      SELECT place.id[l.run], place.line[l.run] + l.nth, l.at, l.kind, l.phase, l.step_id, l.actor_kind, l.actor_name,
        l.detail, l.text
      FROM place CROSS JOIN ${linesOf(transitions)} WHERE place.line[l.run] >= 0
    ), gated AS (
      INSERT INTO gates (run_id, phase, phase_index, kind, trigger, "where", tally, needed, entered_at, opens_at,
        opened_at, opened_by)
      SELECT place.id[g.run], g.phase, g.phase_index, g.kind, g.trigger, g.condition, g.tally, g.needed, g.entered_at,
        g.opens_at, g.opened_at, g.opened_by
      FROM place CROSS JOIN ${gatesOf(transitions)} WHERE place.line[g.run] >= 0
      ON CONFLICT (run_id, phase_index) DO UPDATE SET opened_at = excluded.opened_at, opened_by = excluded.opened_by
    ) ${transitions.some(isRare) ? writeRare(transitions) : Prisma.empty}
    UPDATE runs r SET
      status = own.status, health = own.health, stalled_since = own.stalled_since, current_phase = own.current_phase,
      phase_index = own.phase_index, phase_entered_at = own.phase_entered_at, hold_until = own.hold_until,
      started_at = own.started_at, ended_at = own.ended_at, ended_because = own.ended_because, last_error = own.last_error,
      in_flight = own.in_flight, cleanup_status = own.cleanup_status,
      ledger_at = CASE WHEN r.ledger_owner IS NULL THEN least(r.ledger_at, own.ledger_at) ELSE r.ledger_at END,
      results_published_at = coalesce(own.results_at, r.results_published_at), wake_at = own.wake_at, lease_until = own.lease_until,
      claimed_by = CASE WHEN own.lease_until IS NULL THEN NULL ELSE own.owner END,
      fence = r.fence + 1, last_line = r.last_line + own.lines
    FROM own WHERE r.id = own.id AND own.last_line IS NOT NULL
    RETURNING own.ord AS run, r.fence, r.last_line,
      coalesce((SELECT NOT a.enabled FROM action_settings a WHERE a.action_id = own.calls), false) AS switched_off`)
  const written: Written[] = transitions.map(() => null)
  for (const row of rows)
    written[row.run - 1] = { fence: row.fence, line: row.last_line, switchedOff: row.switched_off }
  return written
}
