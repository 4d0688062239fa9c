import type { RunLine } from '../domain/log.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { logLines } from './sql.ts'

/** Appends lines that change nothing about the run, such as messages. Answers the number of the last one; null: no such run. */
export async function appendLines(db: PrismaClient, runId: string, lines: readonly RunLine[]): Promise<number | null> {
  const [row] = await db.$queryRaw<{ last_line: number }[]>(Prisma.sql`
    WITH run AS (
      UPDATE runs SET last_line = last_line + ${lines.length} WHERE id = ${runId}::uuid RETURNING id, last_line
    ), logged AS (
      ${logLines(Prisma.sql`SELECT id, last_line - ${lines.length}::int AS last_line FROM run`, lines)}
    )
    SELECT last_line FROM run`)
  return row?.last_line ?? null
}

/**
 * Deletes the log of runs that ended before the horizon, `limit` runs at most, and marks them as pruned. Answers how
 * many runs it pruned; fewer than `limit` means that nothing is left.
 */
export async function pruneLogs(
  db: PrismaClient,
  { endedBefore, now, limit }: { endedBefore: Date; now: Date; limit: number },
): Promise<number> {
  return db.$executeRaw(Prisma.sql`
    WITH old AS (
      SELECT id FROM runs WHERE ended_at < ${endedBefore.toISOString()}::timestamptz AND ended_at IS NOT NULL AND log_pruned_at IS NULL
        AND in_flight IS NULL AND cleanup_status <> 'PENDING'
      ORDER BY ended_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM run_log l USING old WHERE l.run_id = old.id
    )
    UPDATE runs r SET log_pruned_at = ${now.toISOString()}::timestamptz FROM old WHERE r.id = old.id`)
}
