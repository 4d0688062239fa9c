import type { Instant } from '../domain/picture.ts'
import type { RunStatus } from '../domain/run.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { readBacklog } from './claims.ts'

/** The statuses of a run that is not over. */
export const OPEN_STATUSES = ['SCHEDULED', 'STARTING', 'RUNNING', 'PAUSED', 'ENDING'] as const satisfies RunStatus[]
type OpenStatus = (typeof OPEN_STATUSES)[number]

/** How much is open in the database at a moment. */
export type Gauges = {
  runs: Record<OpenStatus, number>
  openCues: number
  dueRuns: number
  oldestDueAt: Instant | null
}

/** Counts what is open. Reads partial indexes that hold only that: runs that are over, however many, cost nothing. */
export async function readGauges(db: PrismaClient, now: Instant): Promise<Gauges> {
  const [counted, backlog] = await Promise.all([
    db.$queryRaw<{ of: OpenStatus | 'CUE'; count: number }[]>(Prisma.sql`
      SELECT 'SCHEDULED' AS of, count(*)::int AS count FROM runs WHERE status = 'SCHEDULED'
      UNION ALL
      SELECT status::text, count(*)::int FROM runs
      WHERE status IN ('STARTING', 'RUNNING', 'PAUSED', 'ENDING') GROUP BY status
      UNION ALL
      SELECT 'CUE', count(*)::int FROM steps WHERE parked`),
    readBacklog(db, now),
  ])
  const counts = new Map(counted.map(({ of, count }) => [of, count]))
  const countOf = (of: OpenStatus | 'CUE') => counts.get(of) ?? 0
  return {
    runs: {
      SCHEDULED: countOf('SCHEDULED'),
      STARTING: countOf('STARTING'),
      RUNNING: countOf('RUNNING'),
      PAUSED: countOf('PAUSED'),
      ENDING: countOf('ENDING'),
    },
    openCues: countOf('CUE'),
    ...backlog,
  }
}
