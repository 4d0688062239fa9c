import { storableData } from '../domain/storable.ts'
import { Prisma } from '../generated/prisma/client.ts'
import type { ActorKind, CleanupStatus, RunStatus } from '../generated/prisma/enums.ts'
import type { Database } from './database.ts'
import { bindInt, containing, type List } from './keyset.ts'

/** One line of the run log as it is kept. */
export type LogRow = {
  line: number
  at: Date
  kind: string
  phase: string | null
  stepId: string | null
  actorKind: ActorKind
  actorName: string
  detail: unknown
  text: string
}

export type LogFilter = {
  kind?: readonly string[] | null
  phase?: string | null
  stepId?: string | null
  search?: string | null
}

const LOG_COLUMNS = Prisma.sql`l.line, l.at, l.kind, l.phase, l.step_id AS "stepId",
  l.actor_kind::text AS "actorKind", l.actor_name AS "actorName", l.detail, l.text`

/** The log of each run, in order. A key is [line]. */
export function logList({ kind, phase, stepId, search }: LogFilter): List {
  const where = [
    kind == null ? null : Prisma.sql`l.kind = ANY(${kind.map(storableData)}::text[])`,
    phase == null ? null : Prisma.sql`l.phase = ${storableData(phase)}`,
    stepId == null ? null : Prisma.sql`l.step_id = ${stepId}::uuid`,
    search == null ? null : Prisma.sql`l.text ILIKE ${containing(storableData(search))}`,
  ].filter((part) => part !== null)
  return {
    table: Prisma.sql`run_log`,
    alias: Prisma.sql`l`,
    columns: LOG_COLUMNS,
    where: where.length === 0 ? Prisma.sql`TRUE` : Prisma.join(where, ' AND '),
    order: [{ column: Prisma.sql`l.line`, bind: bindInt }],
    descending: false,
    parentColumn: Prisma.sql`l.run_id`,
    parts: [],
  }
}

/**
 * The log of a run behind `after`, up to line `upTo` where it is given, in order: at most `limit` lines, and none behind
 * those that come to `size` bytes, roughly. The sizes are those that PostgreSQL knows without reading a large value.
 */
export const logAfter = (
  db: Database,
  runId: string,
  {
    after,
    upTo = LAST_LINE,
    limit,
    size = Number.MAX_SAFE_INTEGER,
  }: { after: number; upTo?: number; limit: number; size?: number },
) =>
  db.prisma.$queryRaw<LogRow[]>`
    SELECT ${LOG_COLUMNS} FROM (
      SELECT l.*, sum(2 * octet_length(l.text) + pg_column_size(l.detail)) OVER behind AS "sizeBefore" FROM run_log l
      WHERE l.run_id = ${runId}::uuid AND l.line > ${after}::int AND l.line <= ${upTo}::int
      WINDOW behind AS (ORDER BY l.line ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
      ORDER BY l.line LIMIT ${limit}
    ) l WHERE coalesce(l."sizeBefore", 0) < ${size}::bigint ORDER BY l.line`

/** No line has a higher number. */
const LAST_LINE = 2 ** 31 - 1

/** How far a run's log has got, and whether anything can still be added to it by the run's own life. */
export type LogHead = { lastLine: number; status: RunStatus; cleanupStatus: CleanupStatus; stepInFlight: boolean }

/** The head of a run's log; null when there is no such run. */
export async function logHead(db: Database, runId: string): Promise<LogHead | null> {
  const rows = await db.prisma.$queryRaw<LogHead[]>`
    SELECT r.last_line AS "lastLine", r.status::text AS status, r.cleanup_status::text AS "cleanupStatus",
      EXISTS (SELECT 1 FROM steps s WHERE s.run_id = r.id AND s.status = 'RUNNING' AND NOT s.parked) AS "stepInFlight"
    FROM runs r WHERE r.id = ${runId}::uuid`
  return rows[0] ?? null
}
