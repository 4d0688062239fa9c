import type { Instant } from '../domain/picture.ts'
import type { WaitingCleanup, WaitingStep } from '../domain/waiting.ts'
import { Prisma } from '../generated/prisma/client.ts'
import type { CleanupStatus, GateKind, RunStatus, StepStatus } from '../generated/prisma/enums.ts'
import type { Database } from './database.ts'
import { unresolved as isUnresolved } from './pictures.ts'
import { gateClosed, heldSteps } from './run-controls.ts'
import { furthest } from './step-controls.ts'

/** How a run stands, read together with its step and gate: read apart, they may be of two instants and tell of neither. */
type Standing = {
  status: RunStatus
  cleanupStatus: CleanupStatus
  scheduledFor: Date
  blockedBy: string | null
  lastError: string | null
  holdUntil: Date | null
}

/** What a run is about right now: the step that is to be worked next or is being worked, and what may hold it up. */
export type Situation = Standing & {
  runId: string
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

/** The situation of each run at an instant. */
export async function situationsOf(
  db: Database,
  runIds: readonly string[],
  now: Instant,
): Promise<Map<string, Situation>> {
  const rows = await db.prisma.$queryRaw<Row[]>`
    SELECT r.id AS "runId", r.status::text AS status, r.cleanup_status::text AS "cleanupStatus",
      r.scheduled_for AS "scheduledFor", r.blocked_by AS "blockedBy", r.last_error AS "lastError",
      r.hold_until AS "holdUntil", d.schedule_paused AND r.source = 'SCHEDULE' AS "schedulePaused",
      coalesce(r.hold_until > ${new Date(now)}::timestamptz, false) OR EXISTS (${heldSteps(Prisma.sql`r`, now)}) AS "runHeld",
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
    LEFT JOIN gates g ON g.run_id = r.id AND g.phase_index = r.phase_index AND ${gateClosed(now)}
    WHERE r.id = ANY(${[...runIds]}::uuid[])`
  return new Map(rows.map((row) => [row.runId, situation(row)]))
}

function situation({ runId, schedulePaused, runHeld, stepId, kind, ...row }: Row): Situation {
  const { unresolved, reverting, revertAttempts, revertDueAt } = row
  const { status, cleanupStatus, scheduledFor, blockedBy, lastError, holdUntil } = row
  const { actionId, label, stepStatus, parked, instruction, claimedBy, dueAt, held, attempts } = row
  const { enteredAt, opensAt, trigger, where, tally, needed } = row
  return {
    runId,
    status,
    cleanupStatus,
    scheduledFor,
    blockedBy,
    lastError,
    holdUntil,
    schedulePaused,
    held: runHeld,
    step:
      stepId === null
        ? null
        : { id: stepId, actionId, label, status: stepStatus, parked, instruction, claimedBy, dueAt, held, attempts },
    cleanup:
      cleanupStatus === 'PENDING' ? { unresolved, reverting, attempts: revertAttempts ?? 0, dueAt: revertDueAt } : null,
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
