import { type Missed, type MissedReason, missed } from '../domain/missed.ts'
import type { Instant } from '../domain/picture.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { toJsonb } from './json.ts'
import { at, countOfRun, lineRow, logOwnLine } from './sql.ts'

/** Whose start comes by the schedule while that is paused: it does not start. */
export const isPausedStart = (run: Prisma.Sql) => Prisma.sql`(${run}.source = 'SCHEDULE' AND ${run}.status = 'SCHEDULED'
  AND ${run}.definition_id IN (SELECT id FROM definitions WHERE schedule_paused))`

/** The same for a run `w`. */
export const startIsPaused = isPausedStart(Prisma.sql`w`)

/** SCHEDULED runs whose grace window passed; where their concurrency key was held, by whom their log says. */
export async function readOverdue(
  db: PrismaClient,
  { now, limit }: { now: Instant; limit: number },
): Promise<Missed[]> {
  const rows = await db.$queryRaw<{ runId: string; heldBy: string | null }[]>(Prisma.sql`
    SELECT w.id AS "runId", (SELECT h.id FROM runs h WHERE h.id = w.blocked_by
      AND (h.status IN ('STARTING', 'RUNNING', 'PAUSED', 'ENDING') OR h.cleanup_status = 'PENDING')) AS "heldBy"
    FROM runs w WHERE w.status = 'SCHEDULED' AND w.grace_until < ${at(now)} ORDER BY w.grace_until LIMIT ${limit}`)
  return rows.map(({ runId, heldBy }) =>
    heldBy === null ? { runId, reason: 'NOT_RUNNING' } : { runId, reason: 'KEY_HELD', heldBy },
  )
}

/** Schedule-made runs whose instant came while their schedule was paused; of one definition, or of all. */
export async function readPausedStarts(
  db: PrismaClient,
  { now, limit, definitionId }: { now: Instant; limit: number; definitionId?: string },
): Promise<Missed[]> {
  const which = definitionId === undefined ? Prisma.empty : Prisma.sql`AND d.id = ${definitionId}::uuid`
  const rows = await db.$queryRaw<{ runId: string }[]>(Prisma.sql`
    SELECT w.id AS "runId" FROM definitions d JOIN runs w ON w.definition_id = d.id
      AND w.status = 'SCHEDULED' AND w.source = 'SCHEDULE' AND w.scheduled_for <= ${at(now)}
    WHERE d.schedule_paused ${which} ORDER BY w.scheduled_for LIMIT ${limit}`)
  return rows.map(({ runId }) => ({ runId, reason: 'SCHEDULE_PAUSED' }))
}

/**
 * Makes runs MISSED that still wait for their start and for whom the reason still holds, and cancels their steps. Answers
 * the runs with their last lines and why they were missed.
 */
export async function missIfWaiting(
  db: PrismaClient,
  { runs, now }: { runs: readonly Missed[]; now: Instant },
): Promise<{ runId: string; line: number; reason: MissedReason }[]> {
  if (runs.length === 0) return []
  const rows = runs.map((run) => {
    const { because, line } = missed(run, now)
    return { id: run.runId, reason: run.reason, because, line: lineRow(line) }
  })
  // Taken first, in the order of all who take several, so that what the second statement reads of steps is not older.
  const [, missedRuns] = await db.$transaction([
    db.$queryRaw(Prisma.sql`
      SELECT count(*) FROM (
        SELECT 1 FROM runs WHERE id = ANY (${runs.map(({ runId }) => runId)}::uuid[]) ORDER BY id FOR UPDATE
      ) locked`),
    db.$queryRaw<{ runId: string; line: number; reason: MissedReason }[]>(Prisma.sql`
      WITH x AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(${toJsonb(rows)}::jsonb) AS x(id uuid, reason missed_reason, because text, line jsonb)
      ), own AS MATERIALIZED (
        -- Each by its id, where the planner would walk all that is scheduled for each of them.
        SELECT x.* FROM x CROSS JOIN LATERAL (
          SELECT FROM runs w WHERE w.id = x.id AND coalesce(w.status = 'SCHEDULED' AND CASE x.reason
            WHEN 'SCHEDULE_PAUSED' THEN ${startIsPaused} AND w.scheduled_for <= ${at(now)}
            ELSE w.grace_until < ${at(now)} END, false)
          FOR UPDATE OF w) w
      ), run AS (
        UPDATE runs w SET status = 'MISSED', missed_reason = x.reason, ended_at = ${at(now)}, ended_because = x.because,
          wake_at = NULL, last_error = NULL, blocked_by = NULL, fence = fence + 1, last_line = last_line + 1
        FROM own x WHERE w.id = x.id
        RETURNING w.id, w.last_line, w.missed_reason, x.line
      ), cancelled AS (
        UPDATE steps SET status = 'CANCELLED', finished_at = ${at(now)}
        WHERE run_id = ANY (ARRAY(SELECT id FROM run)) AND status = 'PENDING' RETURNING run_id
      ), logged AS (
        ${logOwnLine(
          Prisma.sql`SELECT id, last_line, line FROM run`,
          Prisma.sql`|| jsonb_build_object('cancelledSteps', ${countOfRun(Prisma.sql`cancelled`, Prisma.sql`o.id`)})`,
        )}
      )
      SELECT id AS "runId", last_line AS line, missed_reason::text AS reason FROM run`),
  ])
  return missedRuns
}
