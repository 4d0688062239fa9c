import type pg from 'pg'
import { VERSIONS } from './fill-definitions.ts'
import { lineShapes, stepShapes } from './stories.ts'

/** When which run is: run n starts `(n - past) * everyMs` from `now`, and the last `live` before that are under way. */
export type Era = { now: Date; past: number; everyMs: number; live: number; definitions: number }

/** Makes the shapes of steps and lines known to a session. */
export async function prepareShapes(client: pg.Client): Promise<void> {
  await client.query(`CREATE TEMP TABLE step_shapes AS SELECT * FROM jsonb_to_recordset('[]'::jsonb) AS x(
    fate text, phase text, "phaseIndex" int, seq int, "actionId" text, label text, status step_status, parked boolean)`)
  await client.query('INSERT INTO step_shapes SELECT * FROM jsonb_populate_recordset(NULL::step_shapes, $1::jsonb)', [
    JSON.stringify(stepShapes()),
  ])
  await client.query(`CREATE TEMP TABLE line_shapes AS SELECT * FROM jsonb_to_recordset('[]'::jsonb) AS x(
    fate text, line int, "afterMs" int, kind text, phase text, "phaseIndex" int, seq int, "actorKind" actor_kind,
    "actorName" text, detail jsonb, text text)`)
  const lines = lineShapes().map(({ step, actor, ...line }) => ({
    ...line,
    ...step,
    actorKind: actor.kind,
    actorName: actor.name,
  }))
  await client.query('INSERT INTO line_shapes SELECT * FROM jsonb_populate_recordset(NULL::line_shapes, $1::jsonb)', [
    JSON.stringify(lines),
  ])
  await client.query('ANALYZE step_shapes, line_shapes')
}

/** A number from 0 to 1 that run n always has. */
const chance = (what: number) => `((hashint8extended(n, ${what}) & 1048575) / 1048576.0)`

const FATE = `CASE WHEN n > $4 THEN 'SCHEDULED'
  WHEN n > $4 - $6 THEN CASE WHEN n % 4 = 0 THEN 'CUE' ELSE 'WAITING' END
  WHEN ${chance(1)} < 0.94 THEN 'COMPLETED' WHEN ${chance(1)} < 0.97 THEN 'CANCELLED'
  WHEN ${chance(1)} < 0.985 THEN 'FAILED' ELSE 'MISSED' END`

// Events are of very different size: `event-1` has a tenth of all runs and misses none, `event-0` a thirtieth, most have
// half as many as the mean.
const CHUNK = `CREATE TEMP TABLE chunk ON COMMIT DROP AS
  SELECT n, uuidv7(least(made.at, $3::timestamptz) - clock_timestamp()) AS id, d.id AS definition_id, v.id AS version_id,
    q.fate, p.at, made.at AS created_at, p.scope, p.by_hand,
    p.by_hand AND n % 25 = 7 AS rehearsal, CASE WHEN n <= $4 - $6 OR n > $4 THEN d.concurrency_key END AS concurrency_key,
    n % 10 < 3 AS spawns, n % 50000 = 17 AND q.fate = 'COMPLETED' AS litters
  FROM (
    SELECT n, ${FATE} AS fate, $3::timestamptz + (n - $4) * $5 * interval '1 ms' AS at,
      ${chance(2)} < 0.3 AS by_hand, CASE WHEN ${chance(2)} < 0.25 THEN 'shard ' || n % 50 ELSE '' END AS scope,
      CASE WHEN ${chance(4)} < 0.1 THEN 1 ELSE floor($7 * ${chance(3)} ^ 2)::int END AS event
    FROM generate_series($1::bigint, $2::bigint) n
  ) p
  CROSS JOIN LATERAL (SELECT CASE WHEN p.event = 1 AND p.fate = 'MISSED' THEN 'COMPLETED' ELSE p.fate END AS fate) q
  CROSS JOIN LATERAL (SELECT p.at - CASE WHEN p.by_hand THEN interval '1 hour' ELSE interval '14 days' END AS at) made
  JOIN definitions d ON d.slug = 'event-' || p.event
  JOIN versions v ON v.definition_id = d.id AND v.version = 1 + floor(${VERSIONS} * least(n, $4 - 1) / $4)`

const RUNS = `INSERT INTO runs (id, definition_id, version_id, scope, source, rehearsal, params, time_zone, concurrency_key,
    occurrence_key, occurrence_at, scheduled_for, grace_until, created_at, started_by_kind, started_by_name, status, health,
    stalled_since, cleanup_status, current_phase, phase_index, phase_entered_at, started_at, ended_at, ended_because,
    missed_reason, wake_at, last_line)
  SELECT id, definition_id, version_id, scope, CASE WHEN by_hand THEN 'MANUAL' ELSE 'SCHEDULE' END::run_source, rehearsal,
    '{"waves": 2}', 'UTC', concurrency_key, to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), at, at, at + interval '15 min',
    least(created_at, $1::timestamptz), CASE WHEN by_hand THEN 'USER' ELSE 'SYSTEM' END::actor_kind,
    CASE WHEN by_hand THEN 'Mira' ELSE 'schedule' END,
    CASE WHEN under_way THEN 'RUNNING' ELSE fate END::run_status,
    CASE WHEN fate = 'WAITING' AND n % 8 = 1 THEN 'STALLED' WHEN began AND n % 1000 = 5 THEN 'DEGRADED' ELSE 'OK' END::run_health,
    CASE WHEN fate = 'WAITING' AND n % 8 = 1 THEN at + interval '30 min' END,
    CASE WHEN litters THEN 'INCOMPLETE' WHEN NOT spawns OR NOT began OR under_way THEN 'NOT_REQUIRED' ELSE 'CLEAN' END::cleanup_status,
    phase, CASE phase WHEN 'gather' THEN 0 WHEN 'battle' THEN 1 WHEN 'farewell' THEN 2 END,
    CASE WHEN began THEN at + interval '2 min' END, CASE WHEN began THEN at END,
    CASE WHEN under_way OR fate = 'SCHEDULED' THEN NULL WHEN began THEN at + interval '6 min' ELSE at + interval '15 min 1 ms' END,
    CASE fate WHEN 'CANCELLED' THEN 'Mira cancelled it' WHEN 'FAILED' THEN 'a step failed' WHEN 'MISSED' THEN 'the grace window passed' END,
    CASE WHEN fate = 'MISSED' THEN 'NOT_RUNNING'::missed_reason END, CASE WHEN fate = 'SCHEDULED' THEN at END,
    (SELECT count(*) FROM line_shapes l WHERE l.fate = story.fate)
  FROM (
    SELECT *, fate IN ('WAITING', 'CUE') AS under_way, fate NOT IN ('SCHEDULED', 'MISSED') AS began,
      CASE fate WHEN 'COMPLETED' THEN 'farewell' WHEN 'CANCELLED' THEN 'battle' WHEN 'WAITING' THEN 'battle'
        WHEN 'FAILED' THEN 'gather' WHEN 'CUE' THEN 'gather' END AS phase
    FROM chunk
  ) story ORDER BY n`

const STEPS = `CREATE TEMP TABLE chunk_steps ON COMMIT DROP AS
  SELECT uuidv7(c.created_at - clock_timestamp()) AS id, c.n, c.id AS run_id, c.at, c.spawns, c.litters, s.*
  FROM chunk c JOIN step_shapes s ON s.fate = c.fate`

const INSERT_STEPS = `INSERT INTO steps (id, run_id, phase, phase_index, seq, action_id, action_version, label, params, on_failure,
    idempotency_key, status, attempts, claim_no, started_at, finished_at, parked, parked_at, instruction)
  SELECT id, run_id, phase, "phaseIndex", seq, "actionId", 1, label,
    '{"message": "Creatures gather at the gates of Yew", "creatures": 12}', 'PAUSE',
    left(encode(sha256(convert_to('run_' || run_id || '|step_' || id, 'UTF8')), 'hex'), 40), status,
    CASE WHEN worked THEN 1 ELSE 0 END, CASE WHEN worked THEN 1 ELSE 0 END,
    CASE WHEN worked THEN at + interval '1 min' END, CASE WHEN worked AND NOT parked THEN at + interval '2 min' END,
    parked, CASE WHEN parked THEN at + interval '1 min' END, CASE WHEN parked THEN 'Open the gates of Yew' END
  FROM (SELECT *, status NOT IN ('PENDING', 'CANCELLED') AS worked FROM chunk_steps) s ORDER BY n, "phaseIndex", seq`

const LINES = `INSERT INTO run_log (run_id, line, at, kind, phase, step_id, actor_kind, actor_name, detail, text)
  SELECT c.id, l.line, CASE WHEN l."afterMs" < 0 THEN c.created_at ELSE c.at + l."afterMs" * interval '1 ms' END, l.kind,
    l.phase, s.id, l."actorKind", l."actorName", l.detail, l.text
  FROM chunk c JOIN line_shapes l ON l.fate = c.fate
  LEFT JOIN chunk_steps s ON s.n = c.n AND s."phaseIndex" = l."phaseIndex" AND s.seq = l.seq
  ORDER BY c.n, l.line`

const GATES = `INSERT INTO gates (run_id, phase, phase_index, kind, trigger, tally, needed, entered_at, opened_at, opened_by)
  SELECT id, 'battle', 1, 'ON', 'shard.slain', CASE fate WHEN 'COMPLETED' THEN 2 ELSE 1 END, 2, at + interval '2 min',
    CASE WHEN fate = 'COMPLETED' THEN at + interval '5 min' END, CASE WHEN fate = 'COMPLETED' THEN 'TRIGGER'::gate_opened_by END
  FROM chunk WHERE fate IN ('COMPLETED', 'CANCELLED', 'WAITING')`

const RESOURCES = `INSERT INTO resources (id, run_id, step_id, module, kind, ref, status, created_at, revert_attempts, claim_no, last_error)
  SELECT uuidv7(at - clock_timestamp()), run_id, id, 'shard', 'spawn', 'spawn ' || n || '-' || piece,
    CASE WHEN litters AND piece = 1 THEN 'FAILED' WHEN fate IN ('WAITING') THEN 'ACTIVE' ELSE 'REVERTED' END::resource_status,
    at + interval '2 min', 1, 1, CASE WHEN litters AND piece = 1 THEN 'shard Yew does not answer' END
  FROM chunk_steps CROSS JOIN generate_series(1, 2) piece
  WHERE "phaseIndex" = 1 AND seq = 0 AND (spawns OR litters)`

const PARTICIPANTS = `INSERT INTO participants (run_id, member_key, score, rank, joined_at)
  SELECT id, 'member ' || m, m * 10, 6 - m, at + interval '3 min'
  FROM chunk CROSS JOIN generate_series(1, 5) m WHERE n % 5 = 0 AND fate = 'COMPLETED'`

const BUDGETS = `INSERT INTO budget_lines (run_id, dimension, consumed, cap, cap_from)
  SELECT id, 'creatures', 24, 100, 'shard.spawn' FROM chunk WHERE spawns`

/** Makes the runs from one number to another, with all that is theirs, in one transaction. */
export async function insertChunk(
  client: pg.Client,
  { from, to, era }: { from: number; to: number; era: Era },
): Promise<void> {
  const { now, past, everyMs, live, definitions } = era
  await client.query('BEGIN')
  await client.query(CHUNK, [from, to, now, past, everyMs, live, definitions])
  await client.query('ANALYZE chunk')
  await client.query(RUNS, [now])
  await client.query(STEPS)
  await client.query('ANALYZE chunk_steps')
  for (const statement of [INSERT_STEPS, LINES, GATES, RESOURCES, PARTICIPANTS, BUDGETS]) await client.query(statement)
  await client.query('COMMIT')
}
