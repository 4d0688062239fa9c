import { isTerminal } from '../domain/run.ts'
import { Prisma, type Run } from '../generated/prisma/client.ts'
import { RunStatus } from '../generated/prisma/enums.ts'
import type { Database } from './database.ts'
import { toJsonb } from './json.ts'
import { bindInstant, bindUuid, type Key, type List, literals, type Part, pagesOf } from './keyset.ts'
import { type RunFilter, runList } from './run-reads.ts'

/**
 * How far a run is, as far as it tells whether the run has changed: every change is a line of its log, but for a step
 * that is being called, which is logged when it ends.
 */
export type RunMark = { lastLine: number; inFlight: string | null }
export const isSameMark = (one: RunMark, other: RunMark): boolean =>
  one.lastLine === other.lastLine && one.inFlight === other.inFlight

/** A run in a list; `at` and `id` are its place in that. */
export type FollowedRun = RunMark & { id: string; at: Date }

/** What became of a run since it was last looked at. */
export type RunNews = RunMark & {
  id: string
  /** The filter takes it. */
  matches: boolean
  /** More than messages in its log is new; true where there was no mark. */
  changed: boolean
  /** It is over and cleaned up: nothing about it changes any more. */
  settled: boolean
}

const STATUSES = Object.values(RunStatus)
const LIVE = STATUSES.filter((status) => status !== 'SCHEDULED' && !isTerminal(status))

/**
 * The runs that the filter takes and that are worth looking at again: those that have started and are not terminal,
 * newest occurrence first; the SCHEDULED ones where the filter names that status, first those that start or are missed
 * first; and, oldest first, those that have ended since an instant. A list that the filter leaves nothing of is left out.
 */
export function followedLists(filter: RunFilter, { endedSince }: { endedSince: Date }): List[] {
  const { where } = runList(filter, { ofDefinitions: false })
  const wanted: readonly RunStatus[] = filter.status ?? STATUSES
  const listOf = (
    at: Prisma.Sql,
    { only, parts = [], descending = false }: { only: Prisma.Sql; parts?: Part[]; descending?: boolean },
  ): List => ({
    table: Prisma.sql`runs`,
    alias: Prisma.sql`r`,
    columns: Prisma.sql`r.id, ${at} AS at, r.last_line AS "lastLine", r.in_flight AS "inFlight"`,
    where: Prisma.sql`${where} AND ${only}`,
    order: [
      { column: at, bind: bindInstant },
      { column: Prisma.sql`r.id`, bind: bindUuid },
    ],
    descending,
    parentColumn: null,
    parts,
  })
  // Each is restricted by what its index is restricted by, which the planner has to see.
  const live = Prisma.sql`r.status IN (${literals(LIVE, STATUSES)})`
  const inEach = LIVE.map((status) => ({ lead: Prisma.sql`r.status`, value: literals([status], STATUSES) }))
  const ended = Prisma.sql`r.ended_at >= ${endedSince}::timestamptz AND r.ended_at IS NOT NULL AND r.log_pruned_at IS NULL`
  return [
    ...(wanted.some((status) => LIVE.includes(status))
      ? [listOf(Prisma.sql`r.occurrence_at`, { only: live, parts: inEach, descending: true })]
      : []),
    ...(filter.status?.includes('SCHEDULED')
      ? [listOf(Prisma.sql`r.grace_until`, { only: Prisma.sql`r.status = 'SCHEDULED'` })]
      : []),
    ...(wanted.some(isTerminal) ? [listOf(Prisma.sql`r.ended_at`, { only: ended })] : []),
  ]
}

/** A page of such a list, and where the next begins; null: nowhere. */
export async function followedPage(
  db: Database,
  list: List,
  { after, take }: { after: Key | null; take: number },
): Promise<{ runs: FollowedRun[]; next: Key | null }> {
  const slice = { take, backward: false, after, before: null }
  const page = (await pagesOf<FollowedRun>(db, [''], { list, slice })).get('')
  const runs = page?.rows ?? []
  const last = runs.at(-1)
  return { runs, next: page?.more && last ? [last.at.getTime(), last.id] : null }
}

/** What is new of runs since their marks (null: they have none), by id. One that does not exist is left out. */
export async function runNews(
  db: Database,
  known: readonly { id: string; mark: RunMark | null }[],
  filter: RunFilter,
): Promise<Map<string, RunNews>> {
  const rows = known.map(({ id, mark }) => ({ id, last_line: mark?.lastLine, in_flight: mark?.inFlight }))
  const news = await db.prisma.$queryRaw<RunNews[]>(Prisma.sql`
    SELECT r.id, r.last_line AS "lastLine", r.in_flight AS "inFlight",
      (${runList(filter, { ofDefinitions: false }).where}) AS matches,
      k.last_line IS NULL OR r.in_flight IS DISTINCT FROM k.in_flight OR (r.last_line > k.last_line AND (
        r.log_pruned_at IS NOT NULL OR EXISTS (
          SELECT 1 FROM run_log l WHERE l.run_id = r.id AND l.line > k.last_line AND l.kind <> 'step.message'
        ))) AS changed,
      r.ended_at IS NOT NULL AND r.in_flight IS NULL AND r.cleanup_status IN ('NOT_REQUIRED', 'CLEAN') AS settled
    FROM jsonb_to_recordset(${toJsonb(rows)}::jsonb) AS k(id uuid, last_line int, in_flight uuid)
    JOIN runs r ON r.id = k.id`)
  return new Map(news.map((row) => [row.id, row]))
}

/** Runs with all that is shown of them, and whether the filter takes them, all of one moment, by id. */
export async function runsAgainst(
  { prisma }: Database,
  ids: readonly string[],
  filter: RunFilter,
): Promise<Map<string, { run: Run; matches: boolean }>> {
  const [taken, runs] = await prisma.$transaction(
    [
      prisma.$queryRaw<{ id: string }[]>(Prisma.sql`
        SELECT r.id FROM runs r
        WHERE r.id = ANY(${[...ids]}::uuid[]) AND (${runList(filter, { ofDefinitions: false }).where})`),
      prisma.run.findMany({ where: { id: { in: [...ids] } } }),
    ],
    { isolationLevel: 'RepeatableRead' },
  )
  const matching = new Set(taken.map(({ id }) => id))
  return new Map(runs.map((run) => [run.id, { run, matches: matching.has(run.id) }]))
}
