import { Prisma } from '../generated/prisma/client.ts'
import type { Database } from './database.ts'

/** A run that waits for its start. */
export type NextRun = {
  definitionId: string
  runId: string
  scope: string
  timeZone: string
  occurrenceKey: string
  occurrenceAt: Date
  scheduledFor: Date
  moved: boolean
  adjusted: 'GAP' | 'OVERLAP' | null
  shiftMinutes: number | null
}

/**
 * The runs of each definition that start next, earliest first, at most `limit` of each. Rehearsals are left out, and what
 * a paused schedule keeps from starting, as `isPausedStart` has it: asked once of each definition, where asking it of
 * each run would walk all that wait.
 */
export function nextRuns(
  db: Database,
  { definitionIds, limit }: { definitionIds: readonly string[]; limit: number },
): Promise<NextRun[]> {
  const first = (source: Prisma.Sql) => Prisma.sql`
    (SELECT * FROM runs WHERE definition_id = d.id AND status = 'SCHEDULED' AND ${source}
      ORDER BY scheduled_for, id LIMIT ${limit})`
  return db.prisma.$queryRaw<NextRun[]>`
    SELECT r.definition_id AS "definitionId", r.id AS "runId", r.scope, r.time_zone AS "timeZone",
      r.occurrence_key AS "occurrenceKey", r.occurrence_at AS "occurrenceAt", r.scheduled_for AS "scheduledFor", r.moved,
      r.adjusted::text AS adjusted, r.shift_minutes AS "shiftMinutes"
    FROM definitions d CROSS JOIN LATERAL (
      ${first(Prisma.sql`source = 'SCHEDULE' AND NOT d.schedule_paused`)}
      UNION ALL
      ${first(Prisma.sql`source = 'MANUAL' AND NOT rehearsal`)}
      ORDER BY scheduled_for, id LIMIT ${limit}
    ) r
    WHERE d.id = ANY (${[...definitionIds]}::uuid[])
    ORDER BY r.scheduled_for, r.id`
}

/** An occurrence of a schedule, by either of what a run of it is known by. */
type PlannedOccurrence = { definitionId: string; key: string; at: number }

/** The places among these occurrences of those that there is a run of, whatever became of it. */
export async function placesMade(db: Database, occurrences: readonly PlannedOccurrence[]): Promise<Set<number>> {
  // Each by itself and by its unique index, however far apart they are.
  const run = (identity: Prisma.Sql) => Prisma.sql`
    (SELECT 1 FROM runs WHERE definition_id = o.definition_id AND scope = '' AND ${identity} AND NOT rehearsal
      AND superseded_by_id IS NULL LIMIT 1)`
  const rows = await db.prisma.$queryRaw<{ place: number }[]>`
    SELECT o.place::int AS place
    FROM unnest(${occurrences.map(({ definitionId }) => definitionId)}::uuid[], ${occurrences.map(({ key }) => key)}::text[],
      ${occurrences.map(({ at }) => new Date(at))}::timestamptz[]) WITH ORDINALITY AS o(definition_id, key, at, place)
    CROSS JOIN LATERAL (
      ${run(Prisma.sql`occurrence_key = o.key`)} UNION ALL ${run(Prisma.sql`occurrence_at = o.at`)} LIMIT 1
    ) made`
  return new Set(rows.map(({ place }) => place - 1))
}
