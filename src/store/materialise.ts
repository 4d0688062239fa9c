import type { RunLine } from '../domain/log.ts'
import type { Instant, Step } from '../domain/picture.ts'
import type { Occurrence } from '../domain/recurrence/occurrence.ts'
import type { Timetable } from '../domain/timetable.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { type SeededBudget, seedBudget } from './budget.ts'
import { stepIdBeginning } from './ids.ts'
import { toJsonb } from './json.ts'
import { PLANNED_VERSION, type PlannedVersion } from './planned-versions.ts'
import { at, lineRow, logOwnLine } from './sql.ts'
import { placeRow } from './transitions.ts'

/** A definition whose schedule is to be expanded, as it was read: what is written depends on its being still so. */
export type ToExpand = {
  definitionId: string
  /** The current version; `verifiedAt` null: its schedule is held. */
  version: PlannedVersion & { verifiedAt: Date | null }
  resumedAt: Date | null
  materialisedUntil: Date
}

/**
 * The definitions whose schedule has occurrences before `before` that are not made yet, the earliest first; without those
 * whose current version is among `except`.
 */
export async function readToExpand(
  db: PrismaClient,
  { before, limit, except }: { before: Instant; limit: number; except: readonly string[] },
): Promise<ToExpand[]> {
  const rows = await db.$queryRaw<(ToExpand & ToExpand['version'])[]>(Prisma.sql`
    WITH due AS MATERIALIZED (
      SELECT id, current_version_id, schedule_resumed_at, materialised_until FROM definitions
      WHERE state = 'READY' AND NOT schedule_paused AND materialised_until IS NOT NULL AND materialised_until < ${at(before)}
        AND current_version_id <> ALL (${[...except]}::uuid[])
      ORDER BY materialised_until LIMIT ${limit}
    )
    SELECT due.id AS "definitionId", due.schedule_resumed_at AS "resumedAt", due.materialised_until AS "materialisedUntil",
      ${PLANNED_VERSION}, v.verified_at AS "verifiedAt"
    FROM due JOIN versions v ON v.id = due.current_version_id`)
  return rows.map(({ definitionId, resumedAt, materialisedUntil, ...version }) => ({
    definitionId,
    resumedAt,
    materialisedUntil,
    version,
  }))
}

// Whoever expands, publishes, pauses or resumes first changes what the others' guard asks for.
const asItWasRead = ({ definitionId, version, resumedAt, materialisedUntil }: ToExpand) => Prisma.sql`
  id = ${definitionId}::uuid AND state = 'READY' AND NOT schedule_paused AND current_version_id = ${version.id}::uuid
  AND schedule_resumed_at IS NOT DISTINCT FROM ${resumedAt?.toISOString() ?? null}::timestamptz
  AND materialised_until = ${at(materialisedUntil.getTime())}`

/**
 * What a definition's upcoming runs are planned by once some are planned by `zoneData`: the oldest of them, until
 * `moveUpcomingIfUnchanged` has looked at all.
 */
export const oldestZoneData = (zoneData: string) => Prisma.sql`LEAST(zone_data, ${zoneData} COLLATE "C")`

/** An occurrence that becomes a run of its own: its id, and the line that says that it was made. */
export type NewOccurrence = {
  id: string
  occurrence: Occurrence
  instants: { occurrenceAt: Instant; scheduledFor: Instant; graceUntil: Instant }
  line: RunLine
}

/**
 * Makes runs of occurrences that are not there yet and notes how far the definition is expanded, if it is still as it was
 * read. Answers the ids of those made; null: somebody else expanded or changed it.
 */
export async function expandIfUnchanged(
  db: PrismaClient,
  {
    read,
    timetable,
    steps,
    budget,
    occurrences,
    until,
    zoneData,
    now,
  }: {
    read: ToExpand
    timetable: Timetable
    /** What the steps of each run are like but for their ids. */
    steps: readonly Step[]
    /** The caps of each, and the line that lists them; null: nothing is counted in them. */
    budget: SeededBudget | null
    occurrences: readonly NewOccurrence[]
    until: Instant | null
    zoneData: string
    now: Instant
  },
): Promise<string[] | null> {
  const rows = occurrences.map(({ id, occurrence, instants, line }) => ({
    id,
    key: occurrence.key,
    occurrence_at: iso(instants.occurrenceAt),
    scheduled_for: iso(instants.scheduledFor),
    grace_until: iso(instants.graceUntil),
    adjusted: occurrence.adjusted ?? null,
    shift_minutes: occurrence.shiftMinutes ?? null,
    line: lineRow(line),
  }))
  const { versionId, timeZone, concurrencyKey, params } = timetable
  const [row] = await db.$queryRaw<{ ids: string[] }[]>(Prisma.sql`
    WITH definition AS (
      UPDATE definitions SET materialised_until = ${until === null ? null : iso(until)}::timestamptz,
        zone_data = ${oldestZoneData(zoneData)}
      WHERE ${asItWasRead(read)} RETURNING id
    ), x AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${toJsonb(rows)}::jsonb) AS x(id uuid, key text, occurrence_at timestamptz,
        scheduled_for timestamptz, grace_until timestamptz, adjusted dst_adjustment, shift_minutes int, line jsonb)
    ), run AS (
      INSERT INTO runs (id, definition_id, version_id, source, params, time_zone, concurrency_key, occurrence_key,
        occurrence_at, scheduled_for, grace_until, adjusted, shift_minutes, wake_at, created_at, started_by_kind,
        started_by_name, last_line)
      SELECT x.id, definition.id, ${versionId}::uuid, 'SCHEDULE', ${toJsonb(params)}::jsonb, ${timeZone}, ${concurrencyKey},
        x.key, x.occurrence_at, x.scheduled_for, x.grace_until, x.adjusted, x.shift_minutes, x.scheduled_for, ${at(now)},
        (x.line->>'actor_kind')::actor_kind, x.line->>'actor_name', ${budget === null ? 1 : 2}::int
      FROM definition CROSS JOIN x
      ON CONFLICT DO NOTHING
      RETURNING id
    ), made AS (
      ${insertFirstSteps(Prisma.sql`run`, steps)}
    ), logged AS (${logOwnLine(Prisma.sql`SELECT run.id, 1 AS last_line, x.line FROM run JOIN x ON x.id = run.id`)})
    ${budget === null ? Prisma.empty : seedBudget(Prisma.sql`SELECT id, 1 AS last_line FROM run`, budget)}
    SELECT (SELECT coalesce(array_agg(id), '{}') FROM run) AS ids FROM definition`)
  return row?.ids ?? null
}

/**
 * Says of a definition that nothing is to be made of it until its version is verified, or it is published or resumed, if
 * it is as it was read and its version still unverified.
 */
export async function stopExpandingIfUnverified(db: PrismaClient, read: ToExpand): Promise<boolean> {
  // Verifying leaves `materialised_until` at the epoch where it is there already, and the version is another row: it is
  // looked at once nobody can be verifying.
  const [, changed] = await db.$transaction([
    db.$queryRaw(Prisma.sql`SELECT 1 FROM definitions WHERE id = ${read.definitionId}::uuid FOR UPDATE`),
    db.$executeRaw(Prisma.sql`
      UPDATE definitions SET materialised_until = NULL WHERE ${asItWasRead(read)}
        AND EXISTS (SELECT 1 FROM versions v WHERE v.id = current_version_id AND v.verified_at IS NULL)`),
  ])
  return changed > 0
}

/**
 * Inserts the first phase's steps of each of `runs`, a FROM clause with `run.id`. What they are like is the same for all,
 * so that it is sent once; their ids and keys are made where the rows are, since making tens of thousands of them here
 * would keep the process from everything else for seconds.
 */
export function insertFirstSteps(runs: Prisma.Sql, steps: readonly Step[]): Prisma.Sql {
  // What is volatile in a subquery's columns is calculated once for each of its rows.
  return Prisma.sql`
    INSERT INTO steps (id, run_id, phase, phase_index, seq, action_id, action_version, label, params, on_failure, idempotency_key)
    SELECT i.id, i.run_id, i.phase, i.phase_index, i.seq, i.action_id, i.action_version, i.label, i.params, i.on_failure,
      ${KEY_OF_STEP}
    FROM (
      SELECT run.id AS run_id, overlay(gen_random_uuid()::text placing ${stepIdBeginning()}::text from 1)::uuid AS id, s.*
      FROM ${runs} CROSS JOIN jsonb_to_recordset(${toJsonb(steps.map(placeRow))}::jsonb) AS s(
        phase text, phase_index int, seq int, action_id text, action_version int, label text, params jsonb,
        on_failure on_failure)
    ) i`
}

/** As `idempotencyKeyOf` makes it. */
const KEY_OF_STEP = Prisma.sql`left(encode(sha256(convert_to('run_' || i.run_id || '|step_' || i.id, 'UTF8')), 'hex'), 40)`

const iso = (instant: Instant) => new Date(instant).toISOString()
