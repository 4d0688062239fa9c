import type { RunLine } from '../domain/log.ts'
import type { Instant } from '../domain/picture.ts'
import type { RunStatus } from '../domain/run.ts'
import type { StepStatus } from '../domain/step.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import type { ActorKind } from '../generated/prisma/enums.ts'
import type { Controlled } from './run-controls.ts'
import { lockRun } from './runs.ts'
import { at, logLines } from './sql.ts'

/** A step as a control has to know it. */
export type StepForControl = {
  id: string
  runId: string
  runStatus: RunStatus
  phase: string
  label: string | null
  actionId: string
  status: StepStatus
  parked: boolean
  attempts: number
  claimedByKind: ActorKind | null
  claimedByName: string | null
  furthest: boolean
}

/** A step `s` of a run `r` is the furthest that the current phase got if none behind it was ever worked. */
export const furthest = Prisma.sql`(s.phase_index = r.phase_index AND NOT EXISTS (
  SELECT 1 FROM steps later WHERE later.run_id = s.run_id AND later.phase_index = s.phase_index AND later.seq > s.seq
    AND later.started_at IS NOT NULL))`

/** Reads a step for a control; null: there is none. */
export async function readStepForControl(db: PrismaClient, stepId: string): Promise<StepForControl | null> {
  const [row] = await db.$queryRaw<StepForControl[]>(Prisma.sql`
    SELECT s.id, s.run_id AS "runId", r.status::text AS "runStatus", s.phase, s.label, s.action_id AS "actionId",
      s.status::text AS status, s.parked, s.attempts, s.cue_claimed_by_kind::text AS "claimedByKind",
      s.cue_claimed_by_name AS "claimedByName", coalesce(${furthest}, false) AS furthest
    FROM steps s JOIN runs r ON r.id = s.run_id WHERE s.id = ${stepId}::uuid`)
  return row ?? null
}

type Control = { runId: string; stepId: string; now: Instant; line: RunLine }

type Change = Control & {
  /** What the step and its run (`s`, `r`) have to be like. */
  guard: Prisma.Sql
  /** What becomes of the step. */
  set: Prisma.Sql
  /** What becomes of the run besides; it sees the step as it was as `step`. */
  setRun?: Prisma.Sql
  also?: Prisma.Sql
}

const runIn = (...statuses: RunStatus[]) =>
  Prisma.sql`r.status IN (${Prisma.join(statuses.map((status) => Prisma.sql`${status}::run_status`))})`

// Every control is one conditional update of the step, under its run's lock, with its line.
async function controlIf(db: PrismaClient, change: Change): Promise<Controlled> {
  const { runId, stepId, line } = change
  const [, rows] = await db.$transaction([
    lockRun(db, runId),
    db.$queryRaw<{ last_line: number }[]>(Prisma.sql`
      WITH step AS MATERIALIZED (
        SELECT s.* FROM steps s JOIN runs r ON r.id = s.run_id WHERE s.id = ${stepId}::uuid AND ${change.guard}
      ), changed AS (
        UPDATE steps s SET ${change.set} FROM step WHERE s.id = step.id
      ) ${change.also ?? Prisma.empty}, run AS (
        UPDATE runs r SET fence = r.fence + 1, last_line = r.last_line + 1
          ${change.setRun ?? Prisma.empty}
        FROM step WHERE r.id = step.run_id
        RETURNING r.id, r.last_line
      ), logged AS (
        ${logLines(Prisma.sql`SELECT id, last_line - 1 AS last_line FROM run`, [line])}
      )
      SELECT last_line FROM run`),
  ])
  return rows[0]?.last_line ?? null
}

const wakeIfRunning = (now: Instant) =>
  Prisma.sql`, wake_at = CASE WHEN r.status = 'RUNNING' THEN ${at(now)} ELSE r.wake_at END`

/** "I have it": names the person, if the cue waits and is still claimed by whom the caller saw (nobody: null). */
export function claimCueIfStillHeldBy(
  db: PrismaClient,
  control: Control & { seen: { kind: ActorKind | null; name: string } | null },
): Promise<Controlled> {
  const { now, line } = control
  return controlIf(db, {
    ...control,
    guard: Prisma.sql`s.parked AND ${runIn('RUNNING', 'PAUSED')} AND s.cue_claimed_by_name IS NOT DISTINCT FROM ${control.seen?.name ?? null}
      AND s.cue_claimed_by_kind::text IS NOT DISTINCT FROM ${control.seen?.kind ?? null}`,
    set: Prisma.sql`cue_claimed_by_kind = ${line.actor.kind}::actor_kind, cue_claimed_by_name = ${line.actor.name},
      cue_claimed_at = ${at(now)}`,
  })
}

/** DONE, with a note, if the cue waits for a person. */
export function confirmCueIfParked(db: PrismaClient, control: Control & { note: string | null }): Promise<Controlled> {
  const { now } = control
  return controlIf(db, {
    ...control,
    guard: Prisma.sql`s.parked AND ${runIn('RUNNING', 'PAUSED')}`,
    set: Prisma.sql`status = 'DONE', parked = false, finished_at = ${at(now)}, note = ${control.note}`,
    setRun: wakeIfRunning(now),
  })
}

/** SKIPPED, if it is pending or waits for a person. A hold on it goes to what comes next; a retry's backoff does not. */
export function skipStepIfOpen(db: PrismaClient, control: Control & { reason: string }): Promise<Controlled> {
  const { now } = control
  return controlIf(db, {
    ...control,
    guard: Prisma.sql`(s.status = 'PENDING' OR s.parked) AND ${runIn('SCHEDULED', 'STARTING', 'RUNNING', 'PAUSED')}`,
    set: Prisma.sql`status = 'SKIPPED', parked = false, finished_at = ${at(now)}, due_at = NULL, held = false, note = ${control.reason}`,
    also: Prisma.sql`, next AS (
      SELECT n.id FROM steps n, step WHERE n.run_id = step.run_id AND n.phase_index = step.phase_index
        AND n.id <> step.id AND n.status = 'PENDING' AND step.held AND step.due_at > ${at(now)}
      ORDER BY n.seq LIMIT 1
    ), handed_on AS (
      UPDATE steps n SET due_at = step.due_at, held = true FROM step, next WHERE n.id = next.id)`,
    setRun: Prisma.sql`${wakeIfRunning(now)}, hold_until = CASE
      WHEN step.held AND step.due_at > ${at(now)} AND NOT EXISTS (SELECT 1 FROM next) THEN step.due_at ELSE r.hold_until END`,
  })
}

/** PENDING with no attempts counted, if it failed and is the furthest the current phase of a PAUSED run got. */
export function retryStepIfFurthest(db: PrismaClient, control: Control): Promise<Controlled> {
  return controlIf(db, {
    ...control,
    guard: Prisma.sql`s.status IN ('FAILED', 'REFUSED') AND ${runIn('PAUSED')} AND ${furthest}`,
    set: Prisma.sql`status = 'PENDING', attempts = 0, due_at = NULL, held = false, finished_at = NULL, last_error = NULL`,
    // Its gate is not what is waited for any more.
    setRun: Prisma.sql`, stalled_since = NULL`,
  })
}
