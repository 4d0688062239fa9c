import type { Instant } from '../domain/picture.ts'
import type { WaitingCleanup, WaitingStep } from '../domain/waiting.ts'
import { Prisma, type Run } from '../generated/prisma/client.ts'
import type { GateKind, StepStatus } from '../generated/prisma/enums.ts'
import type { Database } from './database.ts'
import { unresolved as isUnresolved } from './pictures.ts'
import { gateClosed, hasHeldStep } from './run-controls.ts'
import { furthest } from './step-controls.ts'

/** What of a run's own row moves while it waits and runs. */
export type Standing = Pick<
  Run,
  | 'status'
  | 'health'
  | 'stalledSince'
  | 'cleanupStatus'
  | 'currentPhase'
  | 'params'
  | 'timeZone'
  | 'concurrencyKey'
  | 'occurrenceAt'
  | 'scheduledFor'
  | 'startedAt'
  | 'endedAt'
  | 'endedBecause'
  | 'endedByKind'
  | 'endedByName'
  | 'missedReason'
  | 'lastError'
  | 'resultsPublishedAt'
  | 'holdUntil'
  | 'blockedBy'
>

/** How many steps of a run are in one status, and how many of those wait for a person. */
export type StepTally = { status: StepStatus; count: number; parked: number }

/** What is counted only where it is asked for, as a run may have ten thousand steps. */
export type Counted = { steps: boolean; resources: boolean }

/**
 * What a run is about right now: how it stands, the step that is to be worked next or is being worked, and what may hold
 * it up. All is of one reading: read apart, it may be of two instants and tell of neither.
 */
export type Situation = Standing & {
  runId: string
  /** Empty where steps were not to be counted. */
  stepCounts: StepTally[]
  /** How much of what it left in the world is still to be dealt with; 0 where that was not to be counted. */
  unresolvedResources: number
  schedulePaused: boolean
  /** A step of the current phase, or what follows the phase, is held until an instant that has not come. */
  held: boolean
  /** The open step of the current phase that is furthest to the front. */
  step: (WaitingStep & { id: string; label: string | null; status: StepStatus }) | null
  /** What is left to be taken back of a run that is being cleaned up. */
  cleanup: WaitingCleanup | null
  /** The gate of the current phase while it is not open. */
  gate: {
    kind: GateKind
    enteredAt: Date
    opensAt: Date | null
    trigger: string | null
    where: unknown
    tally: number | null
    needed: number | null
  } | null
}

/** What is of the step is null where `stepId` is, and what is of the gate where `kind` is. */
type Row = Standing &
  WaitingStep & {
    runId: string
    schedulePaused: boolean
    stepCounts: StepTally[] | null
    unresolvedResources: number
    runHeld: boolean
    stepId: string | null
    label: string | null
    stepStatus: StepStatus
    unresolved: number
    reverting: string | null
    revertAttempts: number | null
    revertDueAt: Date | null
    kind: GateKind | null
    enteredAt: Date
    opensAt: Date | null
    trigger: string | null
    where: unknown
    tally: number | null
    needed: number | null
  }

const NO_STEPS_COUNTED = Prisma.sql`LEFT JOIN LATERAL (SELECT NULL::json AS counts) t ON TRUE`
const STEPS_COUNTED = Prisma.sql`
    LEFT JOIN LATERAL (
      SELECT json_agg(json_build_object('status', c.status, 'count', c.count, 'parked', c.parked) ORDER BY c.status) AS counts
      FROM (
        SELECT status, count(*) AS count, count(*) FILTER (WHERE parked) AS parked
        FROM steps WHERE run_id = r.id GROUP BY status
      ) c
    ) t ON TRUE`
const RESOURCES_COUNTED = Prisma.sql`(
      SELECT count(*)::int FROM resources x WHERE x.run_id = r.id AND ${isUnresolved(Prisma.sql`x`)}
    )`

/** The situation of each run at an instant. */
export async function situationsOf(
  db: Pick<Database, 'standings'>,
  runIds: readonly string[],
  { now, counted }: { now: Instant; counted: Counted },
): Promise<Map<string, Situation>> {
  const rows = await db.standings.$queryRaw<Row[]>`
    SELECT r.id AS "runId", r.status::text AS status, r.health::text AS health, r.stalled_since AS "stalledSince",
      r.cleanup_status::text AS "cleanupStatus", r.current_phase AS "currentPhase", r.params, r.time_zone AS "timeZone",
      r.concurrency_key AS "concurrencyKey", r.occurrence_at AS "occurrenceAt", r.scheduled_for AS "scheduledFor",
      r.started_at AS "startedAt", r.ended_at AS "endedAt", r.ended_because AS "endedBecause",
      r.ended_by_kind::text AS "endedByKind", r.ended_by_name AS "endedByName", r.missed_reason::text AS "missedReason",
      r.last_error AS "lastError", r.results_published_at AS "resultsPublishedAt", r.hold_until AS "holdUntil",
      r.blocked_by AS "blockedBy", t.counts AS "stepCounts",
      ${counted.resources ? RESOURCES_COUNTED : Prisma.sql`0`} AS "unresolvedResources",
      d.schedule_paused AND r.source = 'SCHEDULE' AS "schedulePaused",
      coalesce(r.hold_until > ${new Date(now)}::timestamptz, false) OR ${hasHeldStep(Prisma.sql`r`, now)} AS "runHeld",
      s.id AS "stepId", s.action_id AS "actionId", s.label, s.status::text AS "stepStatus", s.parked, s.instruction,
      s.cue_claimed_by_name AS "claimedBy", s.due_at AS "dueAt", s.held, s.attempts,
      l.unresolved, l.reverting, l.attempts AS "revertAttempts", l.due_at AS "revertDueAt",
      g.kind::text AS kind, g.entered_at AS "enteredAt", g.opens_at AS "opensAt", g.trigger,
      g."where", g.tally, g.needed
    FROM runs r
    JOIN definitions d ON d.id = r.definition_id
    LEFT JOIN LATERAL (
      SELECT * FROM steps
      WHERE run_id = r.id AND phase_index = r.phase_index AND status IN ('PENDING', 'RUNNING')
      ORDER BY seq LIMIT 1
    ) s ON TRUE
    LEFT JOIN LATERAL (
      SELECT count(*)::int AS unresolved, min(CASE WHEN placeholder THEN 'what a step may have made' ELSE kind || ' ' || ref END)
          FILTER (WHERE status = 'REVERTING') AS reverting,
        max(revert_attempts) FILTER (WHERE status = 'REVERTING') AS attempts,
        min(coalesce(revert_due_at, ${new Date(now)}::timestamptz)) FILTER (WHERE status = 'ACTIVE') AS due_at
      FROM resources x WHERE r.cleanup_status = 'PENDING' AND x.run_id = r.id AND ${isUnresolved(Prisma.sql`x`)}
    ) l ON TRUE
    ${counted.steps ? STEPS_COUNTED : NO_STEPS_COUNTED}
    LEFT JOIN gates g ON g.run_id = r.id AND g.phase_index = r.phase_index AND ${gateClosed(now)}
    WHERE r.id = ANY(${[...runIds]}::uuid[])`
  return new Map(rows.map((row) => [row.runId, situation(row)]))
}

function situation(row: Row): Situation {
  const { stepCounts, unresolved, reverting, revertAttempts, revertDueAt, runHeld, stepId, stepStatus, kind, ...own } =
    row
  const { actionId, label, parked, instruction, claimedBy, dueAt, held, attempts, ...more } = own
  const { enteredAt, opensAt, trigger, where, tally, needed, ...standing } = more
  return {
    ...standing,
    stepCounts: stepCounts ?? [],
    held: runHeld,
    step:
      stepId === null
        ? null
        : { id: stepId, actionId, label, status: stepStatus, parked, instruction, claimedBy, dueAt, held, attempts },
    cleanup:
      standing.cleanupStatus === 'PENDING'
        ? { unresolved, reverting, attempts: revertAttempts ?? 0, dueAt: revertDueAt }
        : null,
    gate: kind === null ? null : { kind, enteredAt, opensAt, trigger, where, tally, needed },
  }
}

/** Whether each step belongs to its run's current phase with none behind it there that was ever worked. */
export async function furthestSteps(db: Database, stepIds: readonly string[]): Promise<Map<string, boolean>> {
  const rows = await db.prisma.$queryRaw<{ id: string; furthest: boolean }[]>`
    SELECT s.id, coalesce(${furthest}, false) AS furthest
    FROM steps s JOIN runs r ON r.id = s.run_id
    WHERE s.id = ANY(${[...stepIds]}::uuid[])`
  return new Map(rows.map(({ id, furthest: isFurthest }) => [id, isFurthest]))
}
