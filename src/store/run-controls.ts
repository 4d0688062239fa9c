import { cleanupStatus, type RunLine } from '../domain/log.ts'
import type { Instant } from '../domain/picture.ts'
import type { CleanupStatus, RunStatus } from '../domain/run.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { lockKeys } from './claims.ts'
import { toJsonb } from './json.ts'
import { unresolved } from './pictures.ts'
import { lockRun } from './runs.ts'
import { at, lineRow, logLines, logOwnLine } from './sql.ts'

/** A run as a control has to know it. */
export type RunForControl = {
  id: string
  status: RunStatus
  cleanupStatus: CleanupStatus
  currentPhase: string | null
  enteredPhase: boolean
  graceSeconds: number
  held: boolean
  /** The current phase's gate, if it is not open. */
  gate: { phase: string; enteredAt: Date } | null
}

/** Reads a run for a control; null: there is none. An `after` gate whose instant has come counts as open. */
export async function readRunForControl(db: PrismaClient, runId: string, now: Instant): Promise<RunForControl | null> {
  const [row] = await db.$queryRaw<
    (Omit<RunForControl, 'gate'> & { gatePhase: string | null; gateEnteredAt: Date | null })[]
  >(Prisma.sql`
    SELECT r.id, r.status::text AS status, r.cleanup_status::text AS "cleanupStatus", r.current_phase AS "currentPhase",
      r.phase_index IS NOT NULL AS "enteredPhase", v.grace_seconds AS "graceSeconds",
      (coalesce(r.hold_until > ${at(now)}, false) OR ${hasHeldStep(Prisma.sql`r`, now)}) AS held,
      g.phase AS "gatePhase", g.entered_at AS "gateEnteredAt"
    FROM runs r JOIN versions v ON v.id = r.version_id
      LEFT JOIN gates g ON g.run_id = r.id AND g.phase_index = r.phase_index AND ${gateClosed(now)}
    WHERE r.id = ${runId}::uuid`)
  if (row === undefined) return null
  const { gatePhase, gateEnteredAt, ...run } = row
  return {
    ...run,
    gate: gatePhase === null || gateEnteredAt === null ? null : { phase: gatePhase, enteredAt: gateEnteredAt },
  }
}

/** Whether a gate `g` is closed. */
export const gateClosed = (now: Instant) =>
  Prisma.sql`g.opened_at IS NULL AND (g.opens_at IS NULL OR g.opens_at > ${at(now)})`

/** Whether a step of the current phase of a run is held. By EXISTS, a plan made while the table was small reads all of it. */
export const hasHeldStep = (run: Prisma.Sql, now: Instant) => Prisma.sql`coalesce((
  SELECT true FROM steps s WHERE s.run_id = ${run}.id AND s.phase_index = ${run}.phase_index AND s.status = 'PENDING'
    AND s.held AND s.due_at > ${at(now)} LIMIT 1), false)`

export type Control = {
  runId: string
  now: Instant
  from: RunStatus
  line: RunLine
}

/** The run's last line after a control; null: the run was not any more as the control needs it, and nothing changed. */
export type Controlled = number | null

type Change = Control & {
  set: Prisma.Sql
  guard?: Prisma.Sql
  /** Statements (`, name AS (…)`) that go with it; they see the changed run as `run`. */
  also?: Prisma.Sql
  addToDetail?: Prisma.Sql
  /**
   * What becomes of the cleanup, which then has a line of its own. `query` answers one row, which `set` sees as `cleanup`:
   * `becomes`, PENDING or CLEAN, null where it stays, and `unresolved`, how much is left to be dealt with.
   */
  cleanup?: { query: Prisma.Sql; from: CleanupStatus }
  /** It lets a run hold its concurrency key again, so that no other may take it meanwhile. */
  takesKey?: boolean
}

const NO_CLEANUP = {
  query: Prisma.sql`SELECT NULL::cleanup_status AS becomes, 0 AS unresolved`,
  from: 'NOT_REQUIRED',
} as const

/** Every control is one conditional update of the run's row from the status that it was told of, with its line. */
export async function controlIf(db: PrismaClient, change: Change): Promise<Controlled> {
  const { runId, from, line } = change
  const { query, from: cleanupFrom } = change.cleanup ?? NO_CLEANUP
  const cleanupLine = (to: CleanupStatus) =>
    Prisma.sql`${toJsonb(lineRow(cleanupStatus({ at: change.now, phase: line.phase }, { from: cleanupFrom, to })))}::jsonb`
  const write = db.$queryRaw<{ last_line: number }[]>(Prisma.sql`
    WITH cleanup AS MATERIALIZED (
      SELECT becomes, unresolved, (becomes IS NOT NULL)::int AS lines FROM (${query}) found
    ), run AS (
      UPDATE runs r SET ${change.set}, fence = r.fence + 1, last_line = r.last_line + 1 + cleanup.lines, log_pruned_at = NULL
      FROM cleanup
      WHERE r.id = ${runId}::uuid AND r.status = ${from}::run_status ${change.guard ?? Prisma.empty}
      RETURNING r.*
    ) ${change.also ?? Prisma.empty}, logged AS (
      ${logLines(Prisma.sql`SELECT id, last_line - 1 - cleanup.lines AS last_line FROM run, cleanup`, [line], change.addToDetail)}
    ), logged_cleanup AS (
      ${logOwnLine(
        Prisma.sql`SELECT id, last_line, CASE becomes WHEN 'PENDING' THEN ${cleanupLine('PENDING')} ELSE ${cleanupLine('CLEAN')} END AS line
          FROM run, cleanup WHERE becomes IS NOT NULL`,
        Prisma.sql`|| jsonb_build_object('unresolved', (SELECT unresolved FROM cleanup))`,
      )}
    )
    SELECT last_line FROM run`)
  if (!change.takesKey) return lastLine(await db.$transaction([lockRun(db, runId), write]))
  const [, ...rest] = await db.$transaction([lockKeys(db), lockRun(db, runId), write])
  return lastLine(rest)
}

const lastLine = ([, rows]: [unknown, { last_line: number }[]]): Controlled => rows[0]?.last_line ?? null

/** PAUSED, before the next dispatch: whoever works the run finds its fence moved. */
export function pauseRunIfActive(db: PrismaClient, control: Control): Promise<Controlled> {
  return controlIf(db, { ...control, set: Prisma.sql`status = 'PAUSED', wake_at = NULL` })
}

/** Back to RUNNING, or to STARTING where no phase was entered, and due at once. */
export function resumeRunIfPaused(
  db: PrismaClient,
  control: Control & { to: 'RUNNING' | 'STARTING' },
): Promise<Controlled> {
  return controlIf(db, {
    ...control,
    set: Prisma.sql`status = ${control.to}::run_status, last_error = NULL, wake_at = ${at(control.now)}`,
    guard: Prisma.sql`AND (r.phase_index IS NULL) = ${control.to === 'STARTING'}`,
  })
}

// What the cleanup of a run becomes that ends now; one that ends in ENDING has begun with it.
const cleanupOfEnded = (runId: string) => Prisma.sql`
  SELECT CASE WHEN l.total = 0 OR e.cleanup_status <> 'NOT_REQUIRED' THEN NULL WHEN l.unresolved > 0 THEN 'PENDING'
    ELSE 'CLEAN' END::cleanup_status AS becomes, l.unresolved
  FROM runs e CROSS JOIN LATERAL (
    SELECT count(*) AS total, count(*) FILTER (WHERE ${unresolved(Prisma.sql`x`)})::int AS unresolved
    FROM resources x WHERE x.run_id = e.id
  ) l WHERE e.id = ${runId}::uuid`

/** CANCELLED, with what is pending or waits for a person; a step in flight keeps its claim until it answers. */
export function cancelRunIfLive(db: PrismaClient, control: Control & { because: string }): Promise<Controlled> {
  const { now, line, runId } = control
  return controlIf(db, {
    ...control,
    cleanup: { query: cleanupOfEnded(runId), from: 'NOT_REQUIRED' },
    set: Prisma.sql`cleanup_status = coalesce(cleanup.becomes, r.cleanup_status),
      ledger_at = CASE WHEN cleanup.becomes = 'PENDING' AND r.ledger_owner IS NULL THEN ${at(now)} ELSE r.ledger_at END,
      status = 'CANCELLED', ended_at = ${at(now)}, ended_because = ${control.because},
      ended_by_kind = ${line.actor.kind}::actor_kind, ended_by_name = ${line.actor.name}, wake_at = NULL, hold_until = NULL,
      stalled_since = NULL, blocked_by = NULL,
      last_error = CASE WHEN r.status = 'SCHEDULED' THEN NULL ELSE r.last_error END,
      claimed_by = CASE WHEN r.in_flight IS NULL THEN NULL ELSE r.claimed_by END,
      lease_until = CASE WHEN r.in_flight IS NULL THEN NULL ELSE r.lease_until END`,
    also: Prisma.sql`, cancelled AS (
      UPDATE steps SET status = 'CANCELLED', parked = false, finished_at = ${at(now)}, due_at = NULL, held = false
      WHERE run_id = (SELECT id FROM run) AND (status = 'PENDING' OR parked) RETURNING id)`,
    addToDetail: Prisma.sql`|| jsonb_build_object('cancelledSteps', (SELECT count(*) FROM cancelled))`,
  })
}

/** Moves the start; the occurrence keeps its identity. */
export function rescheduleRunIfScheduled(
  db: PrismaClient,
  control: Control & { scheduledFor: Instant; graceUntil: Instant },
): Promise<Controlled> {
  return controlIf(db, {
    ...control,
    set: Prisma.sql`scheduled_for = ${at(control.scheduledFor)}, grace_until = ${at(control.graceUntil)},
      wake_at = ${at(control.scheduledFor)}, moved = true, blocked_by = NULL, last_error = NULL`,
  })
}

/** What was held in the current phase, or for the next, goes on now. */
export function endHoldIfHeld(db: PrismaClient, control: Control): Promise<Controlled> {
  const { now, runId } = control
  return controlIf(db, {
    ...control,
    set: Prisma.sql`hold_until = NULL, wake_at = CASE WHEN r.status = 'RUNNING' THEN ${at(now)} ELSE r.wake_at END`,
    guard: Prisma.sql`AND (r.hold_until > ${at(now)} OR ${hasHeldStep(Prisma.sql`r`, now)})`,
    also: Prisma.sql`, released AS (
      UPDATE steps s SET due_at = NULL, held = false FROM run
      WHERE s.run_id = ${runId}::uuid AND s.phase_index = run.phase_index AND s.status = 'PENDING' AND s.held)`,
  })
}

/** Opens the gate of the current phase, if that is `phase` and its gate is not open. */
export function forceGateIfClosed(
  db: PrismaClient,
  control: Control & { phase: string; reason: string },
): Promise<Controlled> {
  const { now, line } = control
  return controlIf(db, {
    ...control,
    set: Prisma.sql`stalled_since = NULL, wake_at = CASE WHEN r.status = 'RUNNING' THEN ${at(now)} ELSE r.wake_at END`,
    guard: Prisma.sql`AND r.current_phase = ${control.phase} AND EXISTS (
      SELECT 1 FROM gates g WHERE g.run_id = r.id AND g.phase_index = r.phase_index AND ${gateClosed(now)})`,
    also: Prisma.sql`, opened AS (
      UPDATE gates g SET opened_at = ${at(now)}, opened_by = 'FORCED', opened_by_kind = ${line.actor.kind}::actor_kind,
        opened_by_name = ${line.actor.name}, reason = ${control.reason}
      FROM run WHERE g.run_id = run.id AND g.phase_index = run.phase_index)`,
  })
}
