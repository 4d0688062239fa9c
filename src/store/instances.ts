import type { Instant } from '../domain/picture.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import type { Database } from './database.ts'
import { at } from './sql.ts'

/** A process that runs a runner, as it last said of itself. */
export type InstanceRow = { id: string; host: string; pid: number; startedAt: Date; lastSeenAt: Date; working: number }

export type Beat = {
  id: string
  host: string
  pid: number
  startedAt: Instant
  now: Instant
  working: number
  /** Others that were last seen before this are forgotten. */
  deadBefore: Instant
}

/** Says that the process lives, and forgets others that have not said so for long. */
export async function recordBeat(db: PrismaClient, beat: Beat): Promise<void> {
  const { id, host, pid, startedAt, now, working, deadBefore } = beat
  await db.$executeRaw(Prisma.sql`
    WITH dead AS (DELETE FROM instances WHERE last_seen_at < ${at(deadBefore)} AND id <> ${id})
    INSERT INTO instances (id, host, pid, started_at, last_seen_at, working)
    VALUES (${id}, ${host}, ${pid}, ${at(startedAt)}, ${at(now)}, ${working})
    ON CONFLICT (id) DO UPDATE SET last_seen_at = excluded.last_seen_at, working = excluded.working`)
}

/** Forgets a process that ends. */
export async function forgetInstance(db: PrismaClient, id: string): Promise<void> {
  await db.$executeRaw(Prisma.sql`DELETE FROM instances WHERE id = ${id}`)
}

/**
 * The processes that are not forgotten, the oldest first; at most 1,000. Of one that was last seen before `silentBefore`
 * only what its claims still hold counts as in hand: what it said of itself may be for ever.
 */
export function readInstances(
  db: Database,
  { now, silentBefore }: { now: Instant; silentBefore: Instant },
): Promise<InstanceRow[]> {
  return db.prisma.$queryRaw<InstanceRow[]>`
    SELECT i.id, i.host, i.pid, i.started_at AS "startedAt", i.last_seen_at AS "lastSeenAt",
      CASE WHEN i.last_seen_at >= ${at(silentBefore)} THEN i.working ELSE least(i.working, (
        SELECT count(*)::int FROM runs r
        WHERE r.claimed_by IS NOT NULL AND r.lease_until > ${at(now)} AND starts_with(r.claimed_by, i.id || '#')
      ) + (
        SELECT count(*)::int FROM runs r WHERE r.ledger_at > ${at(now)} AND starts_with(r.ledger_owner, i.id || '#')
      )) END AS working
    FROM instances i ORDER BY i.started_at, i.id LIMIT 1000`
}
