import type { CleanupStatus, RunStatus } from '../domain/run.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import type { ResourceStatus } from '../generated/prisma/enums.ts'
import { unresolved } from './pictures.ts'
import { type Control, type Controlled, controlIf } from './run-controls.ts'
import { at } from './sql.ts'

/** Something in a ledger as a control has to know it. */
export type ResourceForControl = {
  id: string
  kind: string
  ref: string
  status: ResourceStatus
  runId: string
  runStatus: RunStatus
  cleanupStatus: CleanupStatus
  step: { id: string; phase: string; label: string | null; actionId: string }
}

/** Reads something in a ledger for a control; null: there is none. */
export async function readResourceForControl(db: PrismaClient, resourceId: string): Promise<ResourceForControl | null> {
  const [row] = await db.$queryRaw<ResourceForControl[]>(Prisma.sql`
    SELECT p.id, p.kind, p.ref, p.status::text AS status, r.id AS "runId", r.status::text AS "runStatus",
      r.cleanup_status::text AS "cleanupStatus",
      jsonb_build_object('id', s.id, 'phase', s.phase, 'label', s.label, 'actionId', s.action_id) AS step
    FROM resources p JOIN runs r ON r.id = p.run_id JOIN steps s ON s.id = p.step_id WHERE p.id = ${resourceId}::uuid`)
  return row ?? null
}

/** The other run that holds the concurrency key of this one, so that it cannot take it again; null: nobody does. */
export async function readKeyHolder(
  db: PrismaClient,
  runId: string,
): Promise<{ runId: string; status: RunStatus; concurrencyKey: string } | null> {
  const [row] = await db.$queryRaw<{ runId: string; status: RunStatus; concurrencyKey: string }[]>(Prisma.sql`
    SELECT h.id AS "runId", h.status::text AS status, h.concurrency_key AS "concurrencyKey"
    FROM runs r JOIN runs h ON ${holdsKeyOf(Prisma.sql`r`)} WHERE r.id = ${runId}::uuid`)
  return row ?? null
}

const holdsKeyOf = (run: Prisma.Sql) => Prisma.sql`h.concurrency_key = ${run}.concurrency_key AND h.id <> ${run}.id
  AND NOT h.rehearsal AND NOT ${run}.rehearsal
  AND (h.status IN ('STARTING', 'RUNNING', 'PAUSED', 'ENDING') OR h.cleanup_status = 'PENDING')`

/**
 * What could not be taken back is tried again as if it had not been, if the cleanup is INCOMPLETE and nobody else holds
 * the run's concurrency key: it holds that again from now on.
 */
export function retryCleanupIfKeyIsFree(db: PrismaClient, control: Control): Promise<Controlled> {
  const { runId, now } = control
  return controlIf(db, {
    ...control,
    takesKey: true,
    cleanup: {
      query: Prisma.sql`SELECT 'PENDING'::cleanup_status AS becomes, count(*)::int AS unresolved
        FROM resources x WHERE x.run_id = ${runId}::uuid AND ${unresolved(Prisma.sql`x`)}`,
      from: 'INCOMPLETE',
    },
    set: Prisma.sql`cleanup_status = cleanup.becomes, ledger_at = ${at(now)}`,
    guard: Prisma.sql`AND r.cleanup_status = 'INCOMPLETE' AND NOT EXISTS (SELECT 1 FROM runs h WHERE ${holdsKeyOf(Prisma.sql`r`)})`,
    also: Prisma.sql`, again AS (
      UPDATE resources SET status = 'ACTIVE', revert_attempts = 0, revert_due_at = NULL, last_error = NULL
      WHERE run_id = (SELECT id FROM run) AND status = 'FAILED')`,
  })
}

/** Something that could not be taken back is left, if the cleanup is INCOMPLETE; the last one makes it CLEAN. */
export function abandonResourceIfFailed(
  db: PrismaClient,
  control: Control & { resourceId: string },
): Promise<Controlled> {
  const { runId, resourceId } = control
  return controlIf(db, {
    ...control,
    cleanup: {
      query: Prisma.sql`SELECT CASE WHEN count(*) = 0 THEN 'CLEAN'::cleanup_status END AS becomes, count(*)::int AS unresolved
        FROM resources x WHERE x.run_id = ${runId}::uuid AND x.id <> ${resourceId}::uuid AND ${unresolved(Prisma.sql`x`)}`,
      from: 'INCOMPLETE',
    },
    set: Prisma.sql`cleanup_status = coalesce(cleanup.becomes, r.cleanup_status)`,
    guard: Prisma.sql`AND r.cleanup_status = 'INCOMPLETE' AND EXISTS (
      SELECT 1 FROM resources p WHERE p.id = ${resourceId}::uuid AND p.run_id = r.id AND p.status = 'FAILED')`,
    also: Prisma.sql`, abandoned AS (
      UPDATE resources SET status = 'ABANDONED' WHERE id = ${resourceId}::uuid AND run_id = (SELECT id FROM run))`,
  })
}
