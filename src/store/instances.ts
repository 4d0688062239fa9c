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

/** The processes that are not forgotten, the oldest first. */
export function readInstances(db: Database): Promise<InstanceRow[]> {
  return db.prisma.instance.findMany({ orderBy: [{ startedAt: 'asc' }, { id: 'asc' }], take: 1_000 })
}
