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
  /** How often its schedule was paused or resumed; 0 for a run that no schedule made. */
  turns: number
  /**
   * When its log had its last line, the run's own instants where that was pruned, or when its schedule was paused or
   * resumed while it waited for its start.
   */
  modifiedAt: Date
  waitingCues: number
  /** Upcoming, and of a schedule that is paused. */
  held: boolean
}

/** `latestFirst`: from the end of the window; else from its beginning. */
export type FeedWindow = { from: Date; to: Date; definitionId: string | null; limit: number; latestFirst: boolean }

/** Runs that start in a window, without rehearsals and those that are of no schedule any more: the first `limit`. */
function runsWithin({ from, to, definitionId, limit, latestFirst }: FeedWindow): Prisma.Sql {
  const direction = latestFirst ? Prisma.sql`DESC` : Prisma.sql`ASC`
  const rows = (start: Prisma.Sql, condition: Prisma.Sql) => Prisma.sql`
    SELECT r.* FROM runs r
    WHERE NOT r.rehearsal AND r.superseded_by_id IS NULL AND ${condition} AND ${start} >= ${from} AND ${start} < ${to}
      ${definitionId === null ? Prisma.empty : Prisma.sql`AND r.definition_id = ${definitionId}::uuid`}
    ORDER BY ${start} ${direction}, r.id ${direction} LIMIT ${limit}`
  // What was not moved starts at its occurrence's instant, so that one index has it in order.
  return Prisma.sql`
    (${rows(Prisma.sql`r.occurrence_at`, Prisma.sql`NOT r.moved`)})
    UNION ALL
    (${rows(Prisma.sql`r.scheduled_for`, Prisma.sql`r.moved`)})
    ORDER BY scheduled_for ${direction}, id ${direction} LIMIT ${limit}`
}

/** The first `limit` runs of a window, without rehearsals and superseded ones. */
export function feedRuns(db: Database, window: FeedWindow): Promise<FeedRunRow[]> {
  return db.prisma.$queryRaw<FeedRunRow[]>`
    WITH found AS (${runsWithin(window)})
    SELECT r.id AS "runId", r.definition_id AS "definitionId", r.scope, r.occurrence_key AS "occurrenceKey",
      r.scheduled_for AS "scheduledFor", r.time_zone AS "timeZone", r.status::text AS status, r.started_at AS "startedAt",
      r.ended_at AS "endedAt", v.version, r.last_line AS "lastLine",
      CASE WHEN r.scope = '' THEN d.schedule_turns ELSE 0 END AS turns,
      GREATEST(COALESCE(l.at, r.ended_at, r.started_at, r.created_at),
        CASE WHEN r.status = 'SCHEDULED' AND r.source = 'SCHEDULE' THEN d.schedule_turned_at END) AS "modifiedAt",
      CASE WHEN r.status IN ('STARTING', 'RUNNING', 'PAUSED', 'ENDING')
        THEN (SELECT count(*)::int FROM steps s WHERE s.run_id = r.id AND s.parked) ELSE 0 END AS "waitingCues",
      r.status = 'SCHEDULED' AND r.source = 'SCHEDULE' AND d.schedule_paused AS held
    FROM found r JOIN definitions d ON d.id = r.definition_id JOIN versions v ON v.id = r.version_id
      LEFT JOIN run_log l ON l.run_id = r.id AND l.line = r.last_line`
}

export type FeedDefinitionRow = { slug: string; title: string; description: string | null; updatedAt: Date }

/** What the calendar feed says of definitions, by their ids; no more of their descriptions than it needs to show so much. */
export async function feedDefinitions(
  db: Database,
  ids: readonly string[],
  { shown }: { shown: number },
): Promise<Map<string, FeedDefinitionRow>> {
  const rows = await db.prisma.$queryRaw<(FeedDefinitionRow & { id: string })[]>`
    SELECT id, slug, title, left(description, ${shown + 1}::int) AS description, updated_at AS "updatedAt"
    FROM definitions WHERE id = ANY (${[...ids]}::uuid[])`
  return new Map(rows.map(({ id, ...row }) => [id, row]))
}
