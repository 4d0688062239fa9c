import { SYSTEM } from '../domain/actor.ts'
import type { RunLine } from '../domain/log.ts'
import type { Instant, Step } from '../domain/picture.ts'
import type { Occurrence } from '../domain/recurrence/occurrence.ts'
import type { Timetable } from '../domain/timetable.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { budgetRow, type SeededBudget } from './budget.ts'
import { stepIdBeginning } from './ids.ts'
import { toJsonb } from './json.ts'
import { PLANNED_VERSION, type PlannedVersion } from './planned-versions.ts'
import { at, lineRow, logOwnLine } from './sql.ts'
import { placeRow } from './transition-rows.ts'

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
const asItWasRead = (read: Prisma.Sql) => Prisma.sql`
  d.id = ${read}.definition_id AND d.state = 'READY' AND NOT d.schedule_paused AND d.current_version_id = ${read}.version_id
  AND d.schedule_resumed_at IS NOT DISTINCT FROM ${read}.resumed_at AND d.materialised_until = ${read}.materialised_until`

/** The columns that `asItWasRead` asks for. */
const AS_READ = Prisma.sql`definition_id uuid, version_id uuid, resumed_at timestamptz, materialised_until timestamptz`

function readRow({ definitionId, version, resumedAt, materialisedUntil }: ToExpand) {
  return {
    definition_id: definitionId,
    version_id: version.id,
    resumed_at: resumedAt?.toISOString() ?? null,
    materialised_until: materialisedUntil.toISOString(),
  }
}

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

/** What is to be made of a definition's schedule. */
export type Expansion = {
  read: ToExpand
  timetable: Omit<Timetable, 'schedule'>
  /** What the steps of each run are like but for their ids. */
  steps: readonly Step[]
  /** The caps of each, and the line that lists them; null: nothing is counted in them. */
  budget: SeededBudget | null
  occurrences: readonly NewOccurrence[]
  /** How far the schedule is expanded then; null: there is nothing left to make of it. */
  until: Instant | null
}

/**
 * Makes runs of occurrences that are not there yet and notes how far each definition is expanded, where it is still as it
 * was read; the definitions are different ones. Answers for each, in their order, the ids of the runs that were made;
 * null: somebody else expanded or changed it.
 */
export async function expandIfUnchanged(
  db: PrismaClient,
  expansions: readonly Expansion[],
  { zoneData, now }: { zoneData: string; now: Instant },
): Promise<(string[] | null)[]> {
  // The definitions are locked in id order, as everywhere; starting a run of one takes a lock on it as well. The hot
  // path's sessions join nothing by hash: what a run gets of its definition is looked up in one object, not joined.
  const rows = await db.$queryRaw<{ definitionId: string; ids: string[] }[]>(Prisma.sql`
    WITH asked AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${toJsonb(expansions.map(expansionRow))}::jsonb) AS x(${AS_READ},
        until timestamptz, time_zone text, concurrency_key text, params jsonb, steps jsonb, caps jsonb, budget_line jsonb,
        occurrences jsonb, lines jsonb)
    ), definition AS MATERIALIZED (
      SELECT asked.* FROM (SELECT * FROM asked ORDER BY definition_id) asked CROSS JOIN LATERAL (
        SELECT FROM definitions d WHERE d.id = asked.definition_id AND coalesce(${asItWasRead(Prisma.sql`asked`)}, false)
        FOR NO KEY UPDATE OF d) d
    ), expanded AS (
      UPDATE definitions d SET materialised_until = definition.until, zone_data = ${oldestZoneData(zoneData)}
      FROM definition WHERE d.id = definition.definition_id
    ), created AS (
      INSERT INTO runs (id, definition_id, version_id, source, params, time_zone, concurrency_key, occurrence_key,
        occurrence_at, scheduled_for, grace_until, adjusted, shift_minutes, wake_at, created_at, started_by_kind,
        started_by_name, last_line)
      SELECT o.id, d.definition_id, d.version_id, 'SCHEDULE', d.params, d.time_zone, d.concurrency_key, o.key,
        o.occurrence_at, o.scheduled_for, o.grace_until, o.adjusted, o.shift_minutes, o.scheduled_for, ${at(now)},
        ${SYSTEM.kind}::actor_kind, ${SYSTEM.name}, CASE WHEN d.budget_line IS NULL THEN 1 ELSE 2 END
      FROM definition d CROSS JOIN LATERAL jsonb_to_recordset(d.occurrences) AS o(id uuid, key text,
        occurrence_at timestamptz, scheduled_for timestamptz, grace_until timestamptz, adjusted dst_adjustment,
        shift_minutes int)
      ON CONFLICT DO NOTHING
      RETURNING id, definition_id
    ), what AS MATERIALIZED (
      SELECT jsonb_object_agg(definition_id, jsonb_build_object('steps', steps, 'caps', caps, 'budget_line', budget_line,
        'lines', lines)) AS of_definition FROM definition
    ), run AS MATERIALIZED (
      SELECT created.id, created.definition_id, d.what -> 'steps' AS steps, nullif(d.what -> 'caps', 'null') AS caps,
        nullif(d.what -> 'budget_line', 'null') AS budget_line, d.what -> 'lines' -> created.id::text AS line
      FROM what CROSS JOIN created
      CROSS JOIN LATERAL (SELECT what.of_definition -> created.definition_id::text AS what) d
    ), made AS (${insertFirstSteps(Prisma.sql`run`, Prisma.sql`run.steps`)}
    ), logged AS (${logOwnLine(Prisma.sql`
      SELECT id, 1 AS last_line, line FROM run
      UNION ALL SELECT id, 2, budget_line FROM run WHERE budget_line IS NOT NULL`)}
    ), budgeted AS (
      INSERT INTO budget_lines (run_id, dimension, cap, cap_from)
      SELECT run.id, b.dimension, b.cap, b.cap_from FROM run CROSS JOIN LATERAL jsonb_to_recordset(run.caps)
        AS b(dimension text, cap float8, cap_from text)
    )
    SELECT definition_id AS "definitionId", coalesce(made_of.ids -> definition_id::text, '[]') AS ids
    FROM definition CROSS JOIN (
      SELECT jsonb_object_agg(definition_id, ids) AS ids
      FROM (SELECT definition_id, jsonb_agg(id) AS ids FROM run GROUP BY definition_id) of_each
    ) made_of`)
  const made = new Map(rows.map(({ definitionId, ids }) => [definitionId, ids]))
  return expansions.map(({ read }) => made.get(read.definitionId) ?? null)
}

function expansionRow({ read, timetable, steps, budget, occurrences, until }: Expansion) {
  const { timeZone, concurrencyKey, params } = timetable
  return {
    ...readRow(read),
    until: until === null ? null : iso(until),
    time_zone: timeZone,
    concurrency_key: concurrencyKey,
    params,
    steps: steps.map(placeRow),
    ...(budget === null ? {} : { caps: budget.caps.map(budgetRow), budget_line: lineRow(budget.line) }),
    occurrences: occurrences.map(({ id, occurrence, instants }) => ({
      id,
      key: occurrence.key,
      occurrence_at: iso(instants.occurrenceAt),
      scheduled_for: iso(instants.scheduledFor),
      grace_until: iso(instants.graceUntil),
      adjusted: occurrence.adjusted ?? null,
      shift_minutes: occurrence.shiftMinutes ?? null,
    })),
    lines: Object.fromEntries(occurrences.map(({ id, line }) => [id, lineRow(line)])),
  }
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
      UPDATE definitions d SET materialised_until = NULL
      FROM jsonb_to_recordset(${toJsonb([readRow(read)])}::jsonb) AS x(${AS_READ})
      WHERE ${asItWasRead(Prisma.sql`x`)}
        AND EXISTS (SELECT 1 FROM versions v WHERE v.id = d.current_version_id AND v.verified_at IS NULL)`),
  ])
  return changed > 0
}

/** What first steps are like, as `insertFirstSteps` reads it. */
export const firstStepRows = (steps: readonly Step[]) => Prisma.sql`${toJsonb(steps.map(placeRow))}::jsonb`

/**
 * Inserts the first phase's steps of each of `runs`, a FROM clause with `run.id`. What they are like, `steps`, is the same
 * for all runs of a version, so that it is sent once; their ids and keys are made where the rows are, since making tens
 * of thousands of them here would keep the process from everything else for seconds.
 */
export function insertFirstSteps(runs: Prisma.Sql, steps: Prisma.Sql): Prisma.Sql {
  // What is volatile in a subquery's columns is calculated once for each of its rows.
  return Prisma.sql`
    INSERT INTO steps (id, run_id, phase, phase_index, seq, action_id, action_version, label, params, on_failure, idempotency_key)
    SELECT i.id, i.run_id, i.phase, i.phase_index, i.seq, i.action_id, i.action_version, i.label, i.params, i.on_failure,
      ${KEY_OF_STEP}
    FROM (
      SELECT run.id AS run_id, overlay(gen_random_uuid()::text placing ${stepIdBeginning()}::text from 1)::uuid AS id, s.*
      FROM ${runs} CROSS JOIN LATERAL jsonb_to_recordset(${steps}) AS s(
        phase text, phase_index int, seq int, action_id text, action_version int, label text, params jsonb,
        on_failure on_failure)
    ) i`
}

/** As `idempotencyKeyOf` makes it. */
const KEY_OF_STEP = Prisma.sql`left(encode(sha256(convert_to('run_' || i.run_id || '|step_' || i.id, 'UTF8')), 'hex'), 40)`

const iso = (instant: Instant) => new Date(instant).toISOString()
