import type { Prisma } from '../generated/prisma/client.ts'
import type { Database } from './database.ts'

type ParticipantQuery = Pick<Prisma.ParticipantDefaultArgs, 'select' | 'include'>

/** By rank and then member key; those without a rank last. */
export const byRank = [
  { rank: { sort: 'asc', nulls: 'last' } },
  { memberKey: 'asc' },
] satisfies Prisma.ParticipantOrderByWithRelationInput[]

/** Who takes part in a run. */
export const participantsOf = (db: Database, runId: string) =>
  db.prisma.participant.findMany({ where: { runId }, orderBy: byRank })

export type ParticipantRow = Awaited<ReturnType<typeof participantsOf>>[number]

/** How many participants each run has; runs without any are left out. */
export async function participantCounts(db: Database, runIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.prisma.$queryRaw<{ runId: string; count: number }[]>`
    SELECT run_id AS "runId", count(*)::int AS count
    FROM participants WHERE run_id = ANY(${[...runIds]}::uuid[]) GROUP BY run_id`
  return new Map(rows.map(({ runId, count }) => [runId, count]))
}

/** The first of a run's published results; null where none are published, or there is no such run. */
export async function publishedResults(
  db: Database,
  runId: string,
  { first, query }: { first: number; query: ParticipantQuery },
) {
  const published = await db.prisma.run.findFirst({
    where: { id: runId, resultsPublishedAt: { not: null } },
    select: { id: true },
  })
  if (published === null) return null
  return db.prisma.participant.findMany({ ...query, where: { runId }, orderBy: byRank, take: first })
}
