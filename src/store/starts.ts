import type { Instant, Picture } from '../domain/picture.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { isPausedStart } from './missed.ts'
import { PICTURE_COLUMNS, type PictureRow, pictureOf } from './pictures.ts'
import { at } from './sql.ts'
import type { Transition } from './transition-rows.ts'
import { type Written, writeWhere } from './transitions.ts'

/** A run that can be started by one statement. Those with a concurrency key start one after the other, under a lock. */
const canBePrepared = (run: Prisma.Sql) => Prisma.sql`
  (${run}.concurrency_key IS NULL OR ${run}.rehearsal) AND ${run}.blocked_by IS NULL`

/** The runs that are to start after `after` and until `until`, and may at `until`, as they are now: the earliest first, `limit` at most. */
export async function readStarts(
  db: PrismaClient,
  { after, until, limit }: { after: Instant; until: Instant; limit: number },
): Promise<Picture[]> {
  // The status compared as text, so that the planner walks what is due and not all that are scheduled.
  const rows = await db.$queryRaw<PictureRow[]>(Prisma.sql`
    SELECT ${PICTURE_COLUMNS} FROM runs r
    WHERE r.claimed_by IS NULL AND r.wake_at > ${at(after)} AND r.wake_at <= ${at(until)}
      AND r.status::text = 'SCHEDULED' AND r.grace_until >= ${at(until)}
      AND ${canBePrepared(Prisma.sql`r`)} AND NOT ${isPausedStart(Prisma.sql`r`)}
    ORDER BY r.wake_at LIMIT ${limit}`)
  return rows.map(pictureOf)
}

/**
 * Claims runs that wait for their start and are due at `now`, and makes their first transitions, where nobody changed
 * the run since the draft's picture: all that `claimDue` asks for holds, or nothing is written for that run.
 */
export function startIfWaiting(db: PrismaClient, starts: Transition[], now: Instant): Promise<Written[]> {
  return writeWhere(db, starts, {
    where: Prisma.sql`r.claimed_by IS NULL AND r.status = 'SCHEDULED' AND r.wake_at <= ${at(now)}
      AND r.grace_until >= ${at(now)} AND ${canBePrepared(Prisma.sql`r`)} AND NOT ${isPausedStart(Prisma.sql`r`)}`,
    lock: Prisma.sql`SKIP LOCKED`,
  })
}
