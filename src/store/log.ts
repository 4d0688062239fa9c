import type { RunLine } from '../domain/log.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { logLines } from './sql.ts'

/** Appends lines that change nothing about the run, such as messages. Answers the number of the last one; null: no such run. */
export async function appendLines(db: PrismaClient, runId: string, lines: readonly RunLine[]): Promise<number | null> {
  const [row] = await db.$queryRaw<{ last_line: number }[]>(Prisma.sql`
    WITH run AS (
      UPDATE runs SET last_line = last_line + ${lines.length}, log_pruned_at = NULL WHERE id = ${runId}::uuid RETURNING id, last_line
    ), logged AS (
      ${logLines(Prisma.sql`SELECT id, last_line - ${lines.length}::int AS last_line FROM run`, lines)}
    )
    SELECT last_line FROM run`)
  return row?.last_line ?? null
}

/** Runs whose logs one statement deletes at most. */
const RUNS_PRUNED = 2_000

/**
 * Deletes some of the log of runs that ended before the horizon, the longest over first, and marks as pruned those of
 * which nothing is left: at most `lines` lines from the front of each, and about as many of all. Answers how many runs it
 * marked, and whether there may be more.
 */
export async function pruneLogs(
  db: PrismaClient,
  { endedBefore, now, lines }: { endedBefore: Date; now: Date; lines: number },
): Promise<{ pruned: number; more: boolean }> {
  const isOld = Prisma.sql`r.ended_at < ${endedBefore.toISOString()}::timestamptz AND r.ended_at IS NOT NULL
    AND r.log_pruned_at IS NULL AND r.in_flight IS NULL AND r.cleanup_status <> 'PENDING'`
  const [row] = await db.$queryRaw<{ pruned: number; more: boolean }[]>(Prisma.sql`
    WITH old AS MATERIALIZED (
      -- A long log of which much is gone counts as all of it: then this statement deletes less, and the next the rest.
      SELECT id, last_line, sum(last_line) OVER (ORDER BY ended_at, id) - last_line AS before
      FROM (SELECT id, last_line, ended_at FROM runs r WHERE ${isOld} ORDER BY ended_at LIMIT ${RUNS_PRUNED}) r
    ), chosen AS MATERIALIZED (
      -- Only these are locked, and looked at again, each by its id and not among all: one that got a line since then is
      -- another statement's, as this one does not see the line.
      SELECT r.id, r.last_line, CASE WHEN r.last_line <= ${lines} THEN r.last_line ELSE coalesce(
        (SELECT min(line) FROM run_log l WHERE l.run_id = r.id) + ${lines}::int - 1, r.last_line) END AS upto
      FROM old CROSS JOIN LATERAL (
        SELECT r.id, r.last_line FROM runs r
        WHERE r.id = old.id AND r.last_line = old.last_line AND coalesce(${isOld}, false)
        FOR UPDATE OF r SKIP LOCKED) r
      WHERE old.before < ${lines}
    ), gone AS (
      DELETE FROM run_log l USING chosen WHERE l.run_id = chosen.id AND l.line <= chosen.upto
    ), done AS (
      UPDATE runs r SET log_pruned_at = ${now.toISOString()}::timestamptz FROM chosen
      WHERE r.id = chosen.id AND chosen.last_line <= chosen.upto RETURNING r.id
    )
    SELECT (SELECT count(*)::int FROM done) AS pruned, EXISTS (SELECT 1 FROM chosen) AS more`)
  return row ?? { pruned: 0, more: false }
}
