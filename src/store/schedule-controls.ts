import type { Instant } from '../domain/picture.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { type AuditEntry, auditIf } from './audit.ts'
import { at } from './sql.ts'

type ScheduleControl = { definitionId: string; audit: AuditEntry }

const turned = (now: Instant) =>
  Prisma.sql`schedule_turns = schedule_turns + 1, schedule_turned_at = GREATEST(schedule_turned_at, ${at(now)})`

/** From here on the schedule makes no runs, and those it made do not start; answers whether it was READY and not paused. */
export async function pauseScheduleIfActive(
  db: PrismaClient,
  { definitionId, audit }: ScheduleControl,
): Promise<boolean> {
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH paused AS (
      UPDATE definitions SET schedule_paused = true, ${turned(audit.at)}
      WHERE id = ${definitionId}::uuid AND state = 'READY' AND NOT schedule_paused RETURNING id
    ), audited AS (${auditIf(Prisma.sql`paused`, audit)})
    SELECT id FROM paused`)
  return rows.length > 0
}

/**
 * The schedule goes on from `now`, if it is paused and none of its runs whose instant came in the pause waits any more:
 * those are missed first, so that nothing of the pause is made up for. Answers whether it did.
 */
export async function resumeScheduleIfSwept(
  db: PrismaClient,
  { definitionId, audit, now }: ScheduleControl & { now: Instant },
): Promise<boolean> {
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH resumed AS (
      UPDATE definitions d SET schedule_paused = false, schedule_resumed_at = ${at(now)}, ${turned(now)}
      WHERE id = ${definitionId}::uuid AND state = 'READY' AND schedule_paused AND NOT EXISTS (
        SELECT 1 FROM runs WHERE definition_id = d.id AND status = 'SCHEDULED' AND source = 'SCHEDULE'
          AND scheduled_for <= ${at(now)})
      RETURNING id
    ), audited AS (${auditIf(Prisma.sql`resumed`, audit)})
    SELECT id FROM resumed`)
  return rows.length > 0
}
