import { Prisma } from '../generated/prisma/client.ts'
import type { RunStatus } from '../generated/prisma/enums.ts'
import type { Database } from './database.ts'

/** A run as the calendar feed tells of it. */
export type FeedRunRow = {
  runId: string
  definitionId: string
  scope: string
  occurrenceKey: string
  scheduledFor: Date
  timeZone: string
  status: RunStatus
  startedAt: Date | null
  endedAt: Date | null
  version: number
  lastLine: number
  /** When its log had its last line; the run's own instants where that was pruned. */
  modifiedAt: Date
  waitingCues: number
  /** Upcoming, and of a schedule that is paused. */
  held: boolean
}

export type FeedWindow = { from: Date; to: Date; definitionId: string | null; limit: number }

/** Runs that start in a window, without rehearsals and those that are of no schedule any more; no more than `limit`, in no order. */
function runsWithin({ from, to, definitionId, limit }: FeedWindow, columns: Prisma.Sql): Prisma.Sql {
  const rows = (condition: Prisma.Sql) => Prisma.sql`
    SELECT ${columns} FROM runs r WHERE NOT r.rehearsal AND r.superseded_by_id IS NULL AND ${condition}
      ${definitionId === null ? Prisma.empty : Prisma.sql`AND r.definition_id = ${definitionId}::uuid`} LIMIT ${limit}`
  // What was not moved starts at its occurrence's instant, so that one index finds it.
  return Prisma.sql`
    (${rows(Prisma.sql`NOT r.moved AND r.occurrence_at >= ${from} AND r.occurrence_at < ${to}`)})
    UNION ALL
    (${rows(Prisma.sql`r.moved AND r.scheduled_for >= ${from} AND r.scheduled_for < ${to}`)})
    LIMIT ${limit}`
}

/** How many there are in a window, up to `limit`. */
export async function countFeedRuns(db: Database, window: FeedWindow): Promise<number> {
  const [row] = await db.prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (${runsWithin(window, Prisma.sql`r.id`)}) r`
  return row?.count ?? 0
}

/** The runs that start in a window, without rehearsals and superseded ones; no more than `limit`, in no order. */
export function feedRuns(db: Database, window: FeedWindow): Promise<FeedRunRow[]> {
  return db.prisma.$queryRaw<FeedRunRow[]>`
    WITH found AS (${runsWithin(window, Prisma.sql`r.*`)})
    SELECT r.id AS "runId", r.definition_id AS "definitionId", r.scope, r.occurrence_key AS "occurrenceKey",
      r.scheduled_for AS "scheduledFor", r.time_zone AS "timeZone", r.status::text AS status, r.started_at AS "startedAt",
      r.ended_at AS "endedAt", v.version, r.last_line AS "lastLine",
      COALESCE(l.at, r.ended_at, r.started_at, r.created_at) AS "modifiedAt",
      CASE WHEN r.status IN ('STARTING', 'RUNNING', 'PAUSED', 'ENDING')
        THEN (SELECT count(*)::int FROM steps s WHERE s.run_id = r.id AND s.parked) ELSE 0 END AS "waitingCues",
      r.status = 'SCHEDULED' AND r.source = 'SCHEDULE' AND d.schedule_paused AS held
    FROM found r JOIN definitions d ON d.id = r.definition_id JOIN versions v ON v.id = r.version_id
      LEFT JOIN run_log l ON l.run_id = r.id AND l.line = r.last_line`
}

/** What the calendar feed says of definitions, by their ids. */
export async function feedDefinitions(db: Database, ids: readonly string[]) {
  const select = { id: true, slug: true, title: true, description: true, updatedAt: true }
  const rows = await db.prisma.definition.findMany({ where: { id: { in: [...ids] } }, select })
  return new Map(rows.map((row) => [row.id, row]))
}
