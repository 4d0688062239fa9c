import type pg from 'pg'

const STEPS = 200
const DONE = 150

/** A run of 200 steps in its one phase, paused in the midst of them, with a log of so many lines. Answers its id. */
export async function insertLongRun(client: pg.Client, { now, lines }: { now: Date; lines: number }): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO runs (id, definition_id, version_id, source, time_zone, occurrence_key, occurrence_at, scheduled_for,
       grace_until, created_at, started_by_kind, started_by_name, status, current_phase, phase_index, phase_entered_at,
       started_at, last_line)
     SELECT uuidv7(), id, current_version_id, 'MANUAL', 'UTC', 'long', $1::timestamptz - interval '1 hour 7 ms',
       $1::timestamptz - interval '1 hour 7 ms', $1, $1, 'USER', 'Mira', 'PAUSED', 'battle', 1, $1, $1, $2
     FROM definitions WHERE slug = 'event-1' RETURNING id`,
    [now, lines],
  )
  const id = rows[0]?.id
  if (id === undefined) throw new Error('The long run was not made.')
  await client.query(
    `INSERT INTO steps (id, run_id, phase, phase_index, seq, action_id, action_version, label, params, on_failure,
       idempotency_key, status, attempts, claim_no, started_at, finished_at)
     SELECT uuidv7(), $1::uuid, 'battle', 1, n, 'shard.spawn', 1, 'Wave ' || n, '{"creatures": 12}', 'PAUSE', $1::uuid || '-' || n,
       CASE WHEN n < ${DONE} THEN 'DONE' ELSE 'PENDING' END::step_status, CASE WHEN n < ${DONE} THEN 1 ELSE 0 END,
       CASE WHEN n < ${DONE} THEN 1 ELSE 0 END, CASE WHEN n < ${DONE} THEN $2::timestamptz END,
       CASE WHEN n < ${DONE} THEN $2::timestamptz END
     FROM generate_series(0, ${STEPS - 1}) n`,
    [id, now],
  )
  await client.query(
    `INSERT INTO run_log (run_id, line, at, kind, phase, actor_kind, actor_name, detail, text)
     SELECT $1::uuid, n, $2::timestamptz, CASE WHEN n % 50 = 0 THEN 'step.status' ELSE 'step.message' END, 'battle', 'SYSTEM', 'runner',
       jsonb_build_object('message', n || ' creatures have come through', 'level', 'info'),
       n || ' creatures have come through' FROM generate_series(1, $3::int) n`,
    [id, now, lines],
  )
  return id
}

const MEMBERS = 500

/** A run that is over, with a ledger of so many and as many participants. Answers its id. */
export async function insertCrowdedRun(client: pg.Client, now: Date): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO runs (id, definition_id, version_id, source, time_zone, occurrence_key, occurrence_at, scheduled_for,
       grace_until, created_at, started_by_kind, started_by_name, status, cleanup_status, started_at, ended_at,
       results_published_at, last_line)
     SELECT uuidv7(), id, current_version_id, 'MANUAL', 'UTC', 'crowded', $1::timestamptz - interval '2 hours 7 ms',
       $1::timestamptz - interval '2 hours 7 ms', $1, $1, 'USER', 'Mira', 'COMPLETED', 'CLEAN', $1, $1, $1, 1
     FROM definitions WHERE slug = 'event-1' RETURNING id`,
    [now],
  )
  const id = rows[0]?.id
  if (id === undefined) throw new Error('The crowded run was not made.')
  await client.query(
    `WITH step AS (
       INSERT INTO steps (id, run_id, phase, phase_index, seq, action_id, action_version, label, params, on_failure,
         idempotency_key, status, attempts, claim_no, started_at, finished_at)
       VALUES (uuidv7(), $1::uuid, 'battle', 1, 0, 'shard.spawn', 1, 'The wave', '{"creatures": 500}', 'PAUSE', $1, 'DONE', 1,
         1, $2, $2)
       RETURNING id
     )
     INSERT INTO resources (id, run_id, step_id, module, kind, ref, status, created_at, revert_attempts, claim_no)
     SELECT uuidv7(), $1::uuid, step.id, 'shard', 'spawn', 'spawn ' || n, 'REVERTED', $2, 1, 1
     FROM step CROSS JOIN generate_series(1, ${MEMBERS}) n`,
    [id, now],
  )
  await client.query(
    `INSERT INTO participants (run_id, member_key, user_id, score, rank, joined_at)
     SELECT $1::uuid, 'member ' || n, 'user ' || n, ${MEMBERS} - n, n, $2 FROM generate_series(1, ${MEMBERS}) n`,
    [id, now],
  )
  await client.query(
    `INSERT INTO run_log (run_id, line, at, kind, actor_kind, actor_name, detail, text)
     VALUES ($1, 1, $2, 'run.created', 'USER', 'Mira', '{}', 'Created by Mira.')`,
    [id, now],
  )
  return id
}
