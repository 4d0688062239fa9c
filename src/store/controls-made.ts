import type { Actor } from '../domain/actor.ts'
import type { Instant } from '../domain/picture.ts'
import type { RunStatus } from '../domain/run.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import type { ActorKind } from '../generated/prisma/enums.ts'
import { at } from './sql.ts'

/** What somebody did to a run, or to something in it, as the run's log has it; or what the run did by itself. */
export type MadeControl = {
  line: number
  actor: Actor
  action: string
  at: Date
}

/** The same where it moved the run from a status to another. */
export type StatusChange = MadeControl & { from: RunStatus; to: RunStatus }

/** Who was first is looked for among so many. */
const LOOKED_AT = 500

// What archiving and publishing do to runs is to cancel them; `run.superseded` has instants as its `from` and `to`.
const COLUMNS = Prisma.sql`l.line, l.at, l.actor_kind::text AS "actorKind", l.actor_name AS "actorName",
  CASE l.kind WHEN 'resource.abandoned' THEN 'ABANDON_RESOURCE' ELSE coalesce(l.detail ->> 'control', 'CANCEL') END
    AS action,
  CASE l.kind WHEN 'run.superseded' THEN 'SCHEDULED' ELSE l.detail ->> 'from' END AS "from",
  CASE l.kind WHEN 'run.superseded' THEN 'CANCELLED' ELSE l.detail ->> 'to' END AS "to"`

/** The lines of a run's log for which that is so, newest first. */
async function read(db: PrismaClient, runId: string, which: Prisma.Sql, limit = LOOKED_AT): Promise<StatusChange[]> {
  const rows = await db.$queryRaw<(Omit<StatusChange, 'actor'> & { actorKind: ActorKind; actorName: string })[]>(
    Prisma.sql`SELECT ${COLUMNS} FROM run_log l WHERE l.run_id = ${runId}::uuid AND (${which})
      ORDER BY l.line DESC LIMIT ${limit}`,
  )
  return rows.map(({ actorKind, actorName, ...row }) => ({ ...row, actor: { kind: actorKind, name: actorName } }))
}

async function readLast(db: PrismaClient, runId: string, which: Prisma.Sql): Promise<MadeControl | null> {
  const [last] = await read(db, runId, which, 1)
  return last ?? null
}

/** What moved a run from status to status, newest first. */
export const readStatusChanges = (db: PrismaClient, runId: string): Promise<StatusChange[]> =>
  read(
    db,
    runId,
    Prisma.sql`(l.kind IN ('run.status', 'run.control') AND l.detail ->> 'from' <> l.detail ->> 'to')
      OR (l.kind = 'run.superseded' AND l.detail ->> 'cancelled' = 'true')`,
  )

/** The controls of a step, newest first. */
export const readControlsOfStep = (
  db: PrismaClient,
  { runId, stepId }: { runId: string; stepId: string },
): Promise<MadeControl[]> => read(db, runId, Prisma.sql`l.step_id = ${stepId}::uuid AND l.kind = 'step.control'`)

/** Who ended a hold last, if nothing was held anew since. */
export const readEndOfHold = (db: PrismaClient, runId: string): Promise<MadeControl | null> =>
  readLast(
    db,
    runId,
    Prisma.sql`l.kind = 'run.control' AND l.detail ->> 'control' = 'END_HOLD' AND NOT EXISTS (
      SELECT 1 FROM run_log h WHERE h.run_id = ${runId}::uuid AND h.line > l.line AND jsonb_exists(h.detail, 'holdUntil'))`,
  )

const IS_RETRY = Prisma.sql`l.kind = 'run.control' AND l.detail ->> 'control' = 'RETRY_CLEANUP'`

/** Who retried a cleanup last, or abandoned something of the ledger since. */
export const readLastOfCleanup = (db: PrismaClient, runId: string): Promise<MadeControl | null> =>
  readLast(db, runId, Prisma.sql`(${IS_RETRY}) OR l.kind = 'resource.abandoned'`)

/** Who abandoned something of a ledger; `resourceId` as the API shows it. */
export const readAbandonment = (
  db: PrismaClient,
  { runId, resourceId }: { runId: string; resourceId: string },
): Promise<MadeControl | null> =>
  readLast(db, runId, Prisma.sql`l.kind = 'resource.abandoned' AND l.detail ->> 'resourceId' = ${resourceId}`)

/**
 * Who retried the cleanup for the sake of something of the ledger that could not be taken back: the first to do so since
 * it failed last, or else the last. `resourceId` as the API shows it.
 */
export async function readRetryOf(
  db: PrismaClient,
  { runId, resourceId }: { runId: string; resourceId: string },
): Promise<MadeControl | null> {
  const isFailure = Prisma.sql`l.kind = 'resource.failed' AND l.detail ->> 'resourceId' = ${resourceId}`
  const failed = await readLast(db, runId, isFailure)
  if (failed === null) return null
  const retries = await read(db, runId, IS_RETRY)
  return retries.findLast(({ line }) => line > failed.line) ?? retries[0] ?? null
}

/** What opened the gate of a phase; `at` in milliseconds since the epoch. */
export type Opening = { phase: string; at: Instant } & (
  | { by: 'ELAPSED' }
  | { by: 'TRIGGER'; trigger: string }
  | { by: 'FORCED'; actor: Actor }
)

/** What opened the gate of a phase of a run, before it ended; null: nothing did. */
export async function readOpening(
  db: PrismaClient,
  { runId, phase, now }: { runId: string; phase: string; now: Instant },
): Promise<Opening | null> {
  const [row] = await db.$queryRaw<
    { by: Opening['by']; at: Date; trigger: string; kind: ActorKind; name: string }[]
  >(Prisma.sql`
    SELECT coalesce(g.opened_by::text, 'ELAPSED') AS by, coalesce(g.opened_at, g.opens_at) AS at, g.trigger,
      g.opened_by_kind::text AS kind, g.opened_by_name AS name
    FROM gates g JOIN runs r ON r.id = g.run_id
    WHERE g.run_id = ${runId}::uuid AND g.phase = ${phase}
      AND (g.opened_at IS NOT NULL OR g.opens_at <= least(${at(now)}, r.ended_at))`)
  if (row === undefined) return null
  const { by, trigger, kind, name } = row
  const opened = { phase, at: row.at.getTime() }
  if (by === 'FORCED') return { ...opened, by, actor: { kind, name } }
  return by === 'TRIGGER' ? { ...opened, by, trigger } : { ...opened, by }
}
