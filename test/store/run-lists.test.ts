import { beforeAll, describe, expect, test } from 'vitest'
import { countsOf, pagesOf, type Slice } from '../../src/store/keyset.ts'
import { type RunFilter, runList } from '../../src/store/run-reads.ts'
import { NOW } from '../graphql/client.ts'
import { insertEvent } from '../graphql/fixtures.ts'
import { testDatabase } from '../support/database.ts'
import { walking } from '../support/walking.ts'

const { db } = await testDatabase()
/** Runs that are over and well, hours apart, as many that wait; and a few of everything else, spread among them. */
const MANY = 10_000
const PAGE = 5
const HOUR_MS = 3_600_000
const hours = (count: number) => new Date(NOW.getTime() + count * HOUR_MS)
const slice: Slice = { take: PAGE, backward: false, after: null, before: null }

const event = await insertEvent(db)
const other = await insertEvent(db)

beforeAll(async () => {
  // Of every 2,500 one is of each rare kind, and every 400th that waits was moved by half a year.
  await db.prisma.$executeRaw`
    INSERT INTO runs (id, definition_id, version_id, source, time_zone, occurrence_key, occurrence_at, scheduled_for,
      grace_until, created_at, started_by_kind, started_by_name, status, health, cleanup_status, scope, rehearsal, moved, ended_at)
    SELECT gen_random_uuid(), ${event.definitionId}::uuid, ${event.versionId}::uuid, 'SCHEDULE', 'UTC', 'key ' || n, at,
      starts, starts, ${NOW}::timestamptz, 'USER', 'Mira', status::run_status,
      CASE WHEN n % 2500 = 3 THEN 'STALLED' WHEN n % 2500 = 4 THEN 'DEGRADED' ELSE 'OK' END::run_health,
      CASE WHEN n % 2500 = 4 THEN 'INCOMPLETE' WHEN n % 2500 = 5 THEN 'PENDING' ELSE 'CLEAN' END::cleanup_status,
      CASE WHEN n % 2500 = 6 THEN 'Yew' ELSE '' END, n % 2500 = 7, starts <> at,
      CASE WHEN status IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN at END
    FROM generate_series(${-MANY}::int, ${MANY}::int) n, LATERAL (SELECT
      ${NOW}::timestamptz + n * interval '1 hour' AS at,
      ${NOW}::timestamptz + CASE WHEN n > 0 AND n % 400 = 0 THEN n - 4380 ELSE n END * interval '1 hour' AS starts,
      CASE WHEN n % 2500 = -1 THEN 'FAILED' WHEN n % 2500 = -2 THEN 'CANCELLED' WHEN n % 2500 IN (-3, -4) THEN 'RUNNING'
        WHEN n <= 0 THEN 'COMPLETED' ELSE 'SCHEDULED' END AS status) x`
  // Of another event as many, all of them later or earlier than any of the first: of no scope, and no rehearsals.
  await db.prisma.$executeRaw`
    INSERT INTO runs (id, definition_id, version_id, source, time_zone, occurrence_key, occurrence_at, scheduled_for,
      grace_until, created_at, started_by_kind, started_by_name, status, ended_at)
    SELECT gen_random_uuid(), ${other.definitionId}::uuid, ${other.versionId}::uuid, 'SCHEDULE', 'UTC', 'key ' || n, at,
      at, at, ${NOW}::timestamptz, 'USER', 'Mira', (CASE WHEN n < 0 THEN 'COMPLETED' ELSE 'SCHEDULED' END)::run_status,
      CASE WHEN n < 0 THEN at END
    FROM generate_series(${-MANY}::int, ${MANY}::int) n,
      LATERAL (SELECT ${NOW}::timestamptz + (n + sign(n) * ${MANY}) * interval '1 hour' AS at) x WHERE n <> 0`
  await db.prisma.$executeRaw`ANALYZE runs`
})

type Ends = readonly boolean[]
const [FRONT, END]: [Ends, Ends] = [[false], [true]]
const BOTH: Ends = [false, true]

/** And from which ends a page of them walks over no others. */
const filters: [string, RunFilter, Ends?][] = [
  ['nothing', {}],
  ['what is ahead', { status: ['SCHEDULED'] }],
  ['what is over', { status: ['COMPLETED', 'CANCELLED', 'FAILED', 'MISSED'] }],
  ['what is under way', { status: ['STARTING', 'RUNNING', 'PAUSED', 'ENDING'] }],
  ['what failed', { status: ['FAILED'] }],
  ['a status that there is not', { status: ['MISSED'] }],
  ['every status', { status: ['RUNNING', 'SCHEDULED', 'COMPLETED', 'FAILED', 'CANCELLED'] }],
  ['no status', { status: [] }],
  ['a health', { health: ['STALLED'] }],
  ['both bad healths', { health: ['STALLED', 'DEGRADED'] }],
  ['good health', { health: ['OK'] }],
  ['what is left to clean up', { cleanupStatus: ['INCOMPLETE'] }],
  ['what is not cleaned up', { cleanupStatus: ['PENDING', 'INCOMPLETE'] }],
  ['a scope', { scope: 'Yew' }],
  ['a scope that there is not', { scope: 'Britain' }],
  ['rehearsals', { rehearsal: true }],
  ['a day long past', { scheduledFrom: hours(-5000), scheduledTo: hours(-4976) }],
  ['a day far ahead', { scheduledFrom: hours(5000), scheduledTo: hours(5024) }],
  ['what starts before', { scheduledTo: hours(-4000) }],
  ['what starts later', { scheduledFrom: hours(4000) }],
  ['a day and a status', { scheduledFrom: hours(-48), scheduledTo: hours(48), status: ['SCHEDULED', 'COMPLETED'] }],
  ['an event and what of it is ahead', { definitionId: event.definitionId, status: ['SCHEDULED'] }, FRONT],
  ['an event and what of it is over', { definitionId: event.definitionId, status: ['COMPLETED', 'FAILED'] }, END],
  ['an event and what of it failed', { definitionId: event.definitionId, status: ['FAILED', 'CANCELLED'] }],
  ['an event and what is under way', { definitionId: event.definitionId, status: ['RUNNING', 'PAUSED'] }],
  ['an event of which nothing failed', { definitionId: other.definitionId, status: ['FAILED'] }],
  ['a scope and a status', { scope: 'Yew', status: ['SCHEDULED'] }],
  ['rehearsals and a status', { rehearsal: true, status: ['COMPLETED'] }],
  ['a health, a cleanup and a status', { health: ['DEGRADED'], cleanupStatus: ['INCOMPLETE'], status: ['COMPLETED'] }],
]

describe.each(filters)('runs by %s', (_, filter, ends = BOTH) => {
  const list = runList(filter, { ofDefinitions: false })

  test('are those that the filter takes, in order, page by page and from either end', async () => {
    const { definitionId, status, health, cleanupStatus, scope, rehearsal, scheduledFrom, scheduledTo } = filter
    const expected = await db.prisma.run.findMany({
      where: {
        ...(definitionId == null ? {} : { definitionId }),
        ...(status ? { status: { in: [...status] } } : {}),
        ...(health ? { health: { in: [...health] } } : {}),
        ...(cleanupStatus ? { cleanupStatus: { in: [...cleanupStatus] } } : {}),
        ...(scope == null ? {} : { scope }),
        ...(rehearsal == null ? {} : { rehearsal }),
        scheduledFor: { ...(scheduledFrom ? { gte: scheduledFrom } : {}), ...(scheduledTo ? { lt: scheduledTo } : {}) },
      },
      orderBy: [{ occurrenceAt: 'desc' }, { id: 'desc' }],
      select: { id: true, occurrenceAt: true },
    })
    const page = async (over: Partial<Slice>) =>
      (await pagesOf<{ id: string }>(db, [''], { list, slice: { ...slice, ...over } })).get('')
    const ids = expected.map(({ id }) => id)
    const idsOf = (found: Awaited<ReturnType<typeof page>>) => found?.rows.map(({ id }) => id)
    const first = await page({})
    expect(idsOf(first)).toEqual(ids.slice(0, PAGE))
    expect(first?.more).toBe(ids.length > PAGE)
    expect(idsOf(await page({ backward: true }))).toEqual(ids.slice(-PAGE))
    const middle = expected[Math.floor(expected.length / 2)]
    if (middle !== undefined) {
      const behind = ids.indexOf(middle.id) + 1
      const next = await page({ after: [middle.occurrenceAt.getTime(), middle.id] })
      expect(idsOf(next)).toEqual(ids.slice(behind, behind + PAGE))
    }
    const counts = await countsOf(db, [''], list)
    expect(counts.get('')).toBe(ids.length > 10_000 ? null : ids.length)
  })

  test.each(ends)('are found without walking over others (from the end: %s)', async (backward) => {
    const { db: explaining, walked } = walking(db)
    await pagesOf(explaining, [''], { list, slice: { ...slice, backward } })
    // What was moved is few, and looked through for an instant.
    expect(walked.get('runs') ?? 0).toBeLessThanOrEqual(100)
  })
})
