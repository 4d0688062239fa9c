import type { Actor } from '../domain/actor.ts'
import type { Instant, Step } from '../domain/picture.ts'
import type { Timetable } from '../domain/timetable.ts'
import type { OtherRun, UpcomingChange, UpcomingRun } from '../domain/upcoming.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { type SeededBudget, seedBudget } from './budget.ts'
import { sqlState } from './faults.ts'
import { toJsonb } from './json.ts'
import { firstStepRows, insertFirstSteps } from './materialise.ts'
import { at, lineRow, logOwnLine } from './sql.ts'

/** The upcoming runs of a definition that its schedule made, and the other runs whose instants they must not take. */
export type Upcoming = { runs: UpcomingRun[]; others: OtherRun[] }

// Compared as text, so that the planner looks up the runs that are named and does not walk all that are scheduled.
const isScheduled = Prisma.sql`r.status::text = 'SCHEDULED'`

const UNIQUE_VIOLATION = '23505'
/** Further than this no zone's clocks were ever set, so that no occurrence moves further. */
const FURTHEST_MOVE = '2 days'

/** Reads what publishing and new zone data may change. */
export async function readUpcoming(
  db: PrismaClient,
  { definitionId, now }: { definitionId: string; now: Instant },
): Promise<Upcoming> {
  const [row] = await db.$queryRaw<Upcoming[]>(Prisma.sql`
    WITH upcoming AS MATERIALIZED (
      SELECT r.id AS "runId", v.id AS "versionId", v.version, v.grace_seconds AS "graceSeconds",
        r.occurrence_key AS "occurrenceKey", ${milliseconds(Prisma.sql`r.occurrence_at`)} AS "occurrenceAt",
        ${milliseconds(Prisma.sql`r.scheduled_for`)} AS "scheduledFor", r.moved, r.adjusted, r.shift_minutes AS "shiftMinutes",
        r.fence, EXISTS (SELECT 1 FROM steps s WHERE s.run_id = r.id AND s.status = 'SKIPPED') AS "hasSkippedStep"
      FROM runs r JOIN versions v ON v.id = r.version_id
      WHERE r.definition_id = ${definitionId}::uuid AND r.status = 'SCHEDULED' AND r.source = 'SCHEDULE'
      ORDER BY r.scheduled_for
    )
    SELECT (SELECT coalesce(json_agg(upcoming), '[]') FROM upcoming) AS runs, (
      SELECT coalesce(json_agg(json_build_object('occurrenceKey', occurrence_key,
        'occurrenceAt', ${milliseconds(Prisma.sql`occurrence_at`)})), '[]') FROM runs
      WHERE definition_id = ${definitionId}::uuid AND scope = '' AND NOT rehearsal AND superseded_by_id IS NULL
        AND NOT (status = 'SCHEDULED' AND source = 'SCHEDULE')
        AND occurrence_at >= least(${at(now)}, (SELECT to_timestamp(min("occurrenceAt") / 1000.0) FROM upcoming))
          - ${FURTHEST_MOVE}::interval
    ) AS others`)
  if (row === undefined) throw new Error('Reading the upcoming runs answered nothing')
  return row
}

const milliseconds = (instant: Prisma.Sql) => Prisma.sql`(extract(epoch FROM ${instant}) * 1000)::bigint`

/** How many upcoming runs are planned before others have their turn: some milliseconds' work. */
export const RUNS_IN_ONE_GO = 200

/** What is to become of a definition's upcoming runs. */
export type UpcomingPlan = {
  definitionId: string
  /** The current version from then on; runs are marked with it while their instants change places. */
  versionId: string
  /** How far the definition was expanded, as it was read before the upcoming runs were. */
  watermark: Date | null
  read: readonly UpcomingRun[]
  changes: readonly UpcomingChange[]
  /** What REPIN pins runs to, and what their first steps are like; null where nothing is re-pinned. */
  timetable: Omit<Timetable, 'schedule'> | null
  steps: readonly Step[]
  /** What REPIN gives runs for a budget; null: nothing is counted in them. */
  budget: SeededBudget | null
  /** The version of the zone data that the changes were planned by. */
  zoneData: string
  now: Instant
  actor: Actor
}

/** Guard of the change of a definition that upcoming runs go along with: the upcoming runs are those that were read, as they were read. */
export const UNCHANGED = Prisma.sql`EXISTS (SELECT 1 FROM unchanged)`

/**
 * Makes a change of a definition and takes its upcoming runs along, in one transaction. `change` are CTEs of which the
 * last, `done (id)`, has a row if and only if the change was made; it has to ask for `UNCHANGED`. Null: the definition or
 * its upcoming runs are not as they were read, or another run took an instant of theirs, and nothing was changed; else
 * the runs whose logs grew, with their last lines. `db` is one that prepares: planned anew for its values, the
 * statement takes longer to plan than to do.
 */
export async function changeWithUpcoming(
  db: PrismaClient,
  change: Prisma.Sql,
  plan: UpcomingPlan,
): Promise<{ runId: string; line: number }[] | null> {
  try {
    return await changeAll(db, change, plan)
  } catch (error) {
    if (sqlState(error) === UNIQUE_VIOLATION) return null
    throw error
  }
}

async function changeAll(
  db: PrismaClient,
  change: Prisma.Sql,
  plan: UpcomingPlan,
): Promise<{ runId: string; line: number }[] | null> {
  const { definitionId, watermark, changes, versionId } = plan
  const read = plan.read.map(({ runId, fence }) => ({ id: runId, fence }))
  const repinned = changes.filter(({ kind }) => kind === 'REPIN').map(({ run }) => run.runId)
  // LATERAL and `coalesce` leave the planner nothing but to look each run up by its id, where it would walk all that were
  // read for each of them; and to lock the definition first, as whoever makes runs of it does. What is locked is looked at
  // as it is then; the count of all is older, but whoever makes runs moves the watermark, and whoever changes one moves
  // its fence.
  const changeIfUnchanged = Prisma.sql`
    read AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(read)}::jsonb) AS x(id uuid, fence int)
    ), definition AS MATERIALIZED (
      SELECT id FROM definitions
      WHERE id = ${definitionId}::uuid AND materialised_until IS NOT DISTINCT FROM ${watermark?.toISOString() ?? null}::timestamptz
      FOR UPDATE
    ), locked AS MATERIALIZED (
      SELECT r.id FROM definition CROSS JOIN (SELECT * FROM read ORDER BY id) read CROSS JOIN LATERAL (
        SELECT r.id FROM runs r WHERE r.id = read.id AND coalesce(
          r.definition_id = definition.id AND r.fence = read.fence AND ${isScheduled}, false)
        FOR UPDATE OF r) r
    ), unchanged AS (
      SELECT 1 FROM definition WHERE ${read.length} = (SELECT count(*) FROM locked)
        AND ${read.length} = (SELECT count(*) FROM runs
          WHERE definition_id = ${definitionId}::uuid AND status = 'SCHEDULED' AND source = 'SCHEDULE')
    ), ${change}, cleared AS (
      DELETE FROM steps USING done WHERE run_id = ANY (${repinned}::uuid[]) RETURNING run_id
    ), uncounted AS (
      DELETE FROM budget_lines USING done WHERE run_id = ANY (${repinned}::uuid[]) RETURNING run_id
    )`
  if (!changes.some(movesOccurrence)) {
    const rows = await db.$queryRaw<{ runId: string | null; line: number }[]>(Prisma.sql`
      WITH ${changeIfUnchanged}, ${placeRuns(plan, Prisma.sql`EXISTS (SELECT 1 FROM done)`)}
      SELECT run.id AS "runId", run.last_line AS line FROM done LEFT JOIN run ON true`)
    return rows.length === 0 ? null : rows.flatMap(({ runId, line }) => (runId === null ? [] : { runId, line }))
  }
  // Instants may change places among the runs, which the unique keys forbid even for a moment: the runs leave the keys
  // (as superseded ones are outside them) in one statement and come back in the next.
  const [done, logged] = await db.$transaction([
    db.$queryRaw<{ id: string }[]>(Prisma.sql`
      WITH ${changeIfUnchanged}, parked AS (
        UPDATE runs SET superseded_by_id = ${versionId}::uuid FROM done
        WHERE runs.id = ANY (${changes.map(({ run }) => run.runId)}::uuid[])
      )
      SELECT id FROM done`),
    db.$queryRaw<{ runId: string; line: number }[]>(Prisma.sql`
      WITH cleared AS (SELECT NULL WHERE false), uncounted AS (SELECT NULL WHERE false), ${placeRuns(plan, Prisma.sql`r.superseded_by_id = ${versionId}::uuid`)}
      SELECT id AS "runId", last_line AS line FROM run`),
  ])
  return done.length === 0 ? null : logged
}

const movesOccurrence = (change: UpcomingChange) =>
  change.kind !== 'SUPERSEDE' && change.occurrenceAt !== change.run.occurrenceAt

/** CTEs up to `run`, the runs that are changed with their last lines; `cleared` and `uncounted` are the steps and budgets that they had. */
function placeRuns(
  { changes, timetable, steps, budget, versionId, actor, now }: UpcomingPlan,
  changed: Prisma.Sql,
): Prisma.Sql {
  // A run that gets a budget logs it in a line of its own, after the line of its change.
  const budgetLines = budget === null ? 0 : 1
  const budgeted = Prisma.sql`
    SELECT id, last_line - 1 AS last_line FROM placed WHERE kind = 'REPIN' AND (SELECT count(*) FROM uncounted) >= 0`
  const rows = changes.map((each) => ({
    id: each.run.runId,
    kind: each.kind,
    line: each.line === null ? null : lineRow(each.line),
    ...(each.kind === 'SUPERSEDE'
      ? { because: each.because }
      : {
          occurrence_at: iso(each.occurrenceAt),
          scheduled_for: iso(each.scheduledFor),
          grace_until: iso(each.graceUntil),
          adjusted: each.adjusted,
          shift_minutes: each.shiftMinutes,
        }),
  }))
  return Prisma.sql`
      x AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(${toJsonb(rows)}::jsonb) AS x(id uuid, kind text, because text, line jsonb,
          occurrence_at timestamptz, scheduled_for timestamptz, grace_until timestamptz, adjusted dst_adjustment,
          shift_minutes int)
      ), placed AS (
        UPDATE runs r SET superseded_by_id = NULL, occurrence_at = x.occurrence_at, scheduled_for = x.scheduled_for,
          grace_until = x.grace_until, wake_at = x.scheduled_for, adjusted = x.adjusted, shift_minutes = x.shift_minutes,
          fence = r.fence + 1, last_line = r.last_line + CASE WHEN x.line IS NULL THEN 0 ELSE 1 END
            + CASE WHEN x.kind = 'REPIN' THEN ${budgetLines}::int ELSE 0 END
          ${timetable === null ? Prisma.empty : pinTo(timetable)}
        FROM x WHERE r.id = x.id AND x.kind <> 'SUPERSEDE' AND coalesce(${isScheduled} AND ${changed}, false)
        RETURNING r.id, r.last_line, x.line, x.kind
      ), cancelled AS (
        UPDATE runs r SET superseded_by_id = ${versionId}::uuid, status = 'CANCELLED', ended_at = ${at(now)},
          ended_because = x.because, ended_by_kind = ${actor.kind}::actor_kind, ended_by_name = ${actor.name},
          wake_at = NULL, last_error = NULL, blocked_by = NULL, fence = r.fence + 1, last_line = r.last_line + 1
        FROM x WHERE r.id = x.id AND x.kind = 'SUPERSEDE' AND coalesce(${isScheduled} AND ${changed}, false)
        RETURNING r.id, r.last_line, x.line, x.kind
      ), cancelled_steps AS (
        UPDATE steps SET status = 'CANCELLED', finished_at = ${at(now)}
        FROM cancelled WHERE run_id = cancelled.id AND steps.status = 'PENDING'
      ), run AS (
        SELECT * FROM placed UNION ALL SELECT * FROM cancelled
      ), seeded AS (
        ${insertFirstSteps(Prisma.sql`(SELECT id FROM placed WHERE kind = 'REPIN' AND (SELECT count(*) FROM cleared) >= 0) run`, firstStepRows(steps))}
      ), logged AS (${logOwnLine(Prisma.sql`
        SELECT id, last_line - CASE WHEN kind = 'REPIN' THEN ${budgetLines}::int ELSE 0 END AS last_line, line
        FROM run WHERE line IS NOT NULL`)})
      ${budget === null ? Prisma.empty : seedBudget(budgeted, budget)}`
}

const pinTo = ({ versionId, timeZone, concurrencyKey, params }: NonNullable<UpcomingPlan['timetable']>) => Prisma.sql`,
  version_id = ${versionId}::uuid, time_zone = ${timeZone}, concurrency_key = ${concurrencyKey},
  params = ${toJsonb(params)}::jsonb,
  blocked_by = CASE WHEN r.concurrency_key IS DISTINCT FROM ${concurrencyKey} THEN NULL ELSE r.blocked_by END,
  last_error = CASE WHEN r.concurrency_key IS DISTINCT FROM ${concurrencyKey} THEN NULL ELSE r.last_error END`

const iso = (instant: Instant) => new Date(instant).toISOString()
