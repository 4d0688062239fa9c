import { Prisma } from '../generated/prisma/client.ts'
import type { RunStatus } from '../generated/prisma/enums.ts'
import type { Database } from './database.ts'

/** A run as the calendar shows it. */
export type CalendarRun = {
  runId: string
  definitionId: string
  scope: string
  rehearsal: boolean
  status: RunStatus
  timeZone: string
  occurrenceKey: string
  occurrenceAt: Date
  scheduledFor: Date
  graceUntil: Date
  moved: boolean
  adjusted: 'GAP' | 'OVERLAP' | null
  shiftMinutes: number | null
  concurrencyKey: string | null
  /** Made by a schedule that is paused: it will not start. */
  paused: boolean
}

const CALENDAR_RUN = Prisma.sql`r.id AS "runId", r.definition_id AS "definitionId", r.scope, r.rehearsal,
  r.status::text AS status, r.time_zone AS "timeZone", r.occurrence_key AS "occurrenceKey",
  r.occurrence_at AS "occurrenceAt", r.scheduled_for AS "scheduledFor", r.grace_until AS "graceUntil", r.moved,
  r.adjusted::text AS adjusted, r.shift_minutes AS "shiftMinutes", r.concurrency_key AS "concurrencyKey",
  r.source = 'SCHEDULE' AND d.schedule_paused AS paused`

type Window = { from: Date; to: Date }

/** Runs that start, or are the occurrence of an instant, in a window; superseded ones are of no schedule any more. */
export function calendarRuns(
  db: Database,
  { from, to, definitionId, scope, limit }: Window & { definitionId?: string; scope?: string; limit: number },
): Promise<CalendarRun[]> {
  const where = Prisma.sql`r.superseded_by_id IS NULL
    ${definitionId === undefined ? Prisma.empty : Prisma.sql`AND r.definition_id = ${definitionId}::uuid`}
    ${scope === undefined ? Prisma.empty : Prisma.sql`AND r.scope = ${scope}`}`
  const rows = (condition: Prisma.Sql) => Prisma.sql`
    SELECT ${CALENDAR_RUN} FROM runs r JOIN definitions d ON d.id = r.definition_id WHERE ${where} AND ${condition} LIMIT ${limit}`
  // What was not moved starts at its occurrence's instant, so that one index finds it.
  return db.prisma.$queryRaw<CalendarRun[]>`
    (${rows(Prisma.sql`r.occurrence_at >= ${from} AND r.occurrence_at < ${to}`)})
    UNION
    (${rows(Prisma.sql`r.moved AND r.scheduled_for >= ${from} AND r.scheduled_for < ${to}`)})
    LIMIT ${limit}`
}

/** Runs that wait for one of these concurrency keys, or hold it, with their start in a window. */
export function contendingRuns(
  db: Database,
  { from, to, keys, limit }: Window & { keys: readonly string[]; limit: number },
): Promise<CalendarRun[]> {
  const rows = (status: Prisma.Sql) => Prisma.sql`
    SELECT ${CALENDAR_RUN} FROM runs r JOIN definitions d ON d.id = r.definition_id
    WHERE r.concurrency_key = ANY (${[...keys]}::text[]) AND NOT r.rehearsal AND ${status}
      AND r.scheduled_for >= ${from} AND r.scheduled_for < ${to} LIMIT ${limit}`
  return db.prisma.$queryRaw<CalendarRun[]>`
    (${rows(Prisma.sql`r.status = 'SCHEDULED'`)})
    UNION ALL
    (${rows(Prisma.sql`r.status IN ('STARTING', 'RUNNING', 'PAUSED', 'ENDING')`)})`
}

/** A definition whose schedule may make runs: READY and not paused. */
export type ScheduledDefinition = {
  definitionId: string
  versionId: string
  verified: boolean
  /** The last time that its version was published or verified. */
  settledAt: Date
  resumedAt: Date | null
  /** How often its schedule was paused or resumed. */
  turns: number
  materialisedUntil: Date | null
}

/**
 * All; or those of the ids, those that need a concurrency key, those of which runs are still to be made that start before
 * an instant. In the order of their ids.
 */
export function scheduledDefinitions(
  db: Database,
  { ids, keyed = false, unmadeBefore }: { ids?: readonly string[]; keyed?: boolean; unmadeBefore?: Date },
): Promise<ScheduledDefinition[]> {
  const which = [
    ids === undefined ? Prisma.empty : Prisma.sql`AND d.id = ANY (${[...ids]}::uuid[])`,
    keyed ? Prisma.sql`AND v.concurrency_key IS NOT NULL` : Prisma.empty,
    // One that is expanded to its end has nothing left to make, unless it waits for its verification.
    unmadeBefore === undefined
      ? Prisma.empty
      : Prisma.sql`AND (d.materialised_until < ${unmadeBefore}::timestamptz
          OR (d.materialised_until IS NULL AND v.verified_at IS NULL))`,
  ]
  return db.prisma.$queryRaw<ScheduledDefinition[]>`
    SELECT d.id AS "definitionId", v.id AS "versionId", v.verified_at IS NOT NULL AS verified,
      GREATEST(v.published_at, v.verified_at) AS "settledAt", d.schedule_resumed_at AS "resumedAt",
      d.schedule_turns AS turns,
      d.materialised_until AS "materialisedUntil"
    FROM definitions d JOIN versions v ON v.id = d.current_version_id
    WHERE d.state = 'READY' AND NOT d.schedule_paused ${Prisma.join(which, ' ')}
    ORDER BY d.id`
}

/** The occurrences of definitions that there are runs of, whatever became of these, in a window. */
export function occurrencesMade(
  db: Database,
  { from, to, definitionIds }: Window & { definitionIds: readonly string[] },
): Promise<{ definitionId: string; occurrenceKey: string; occurrenceAt: Date }[]> {
  return db.prisma.$queryRaw`
    SELECT definition_id AS "definitionId", occurrence_key AS "occurrenceKey", occurrence_at AS "occurrenceAt" FROM runs
    WHERE occurrence_at >= ${from} AND occurrence_at < ${to} AND scope = '' AND NOT rehearsal AND superseded_by_id IS NULL
      AND definition_id = ANY (${[...definitionIds]}::uuid[])`
}
