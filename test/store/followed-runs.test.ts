import { beforeAll, expect, test } from 'vitest'
import { followedLists, followedPage, runNews } from '../../src/store/followed-runs.ts'
import type { RunFilter } from '../../src/store/run-reads.ts'
import { NOW } from '../graphql/client.ts'
import { type Event, insertEvent } from '../graphql/fixtures.ts'
import { testDatabase } from '../support/database.ts'
import { walking } from '../support/walking.ts'

const { db } = await testDatabase()
/** Runs that are over; and of each of the others so many. */
const OVER = 20_000
const SOME = 40
const endedSince = NOW
let event: Event
let live: { id: string }[]

beforeAll(async () => {
  event = await insertEvent(db)
  await db.prisma.$executeRaw`
    INSERT INTO runs (id, definition_id, version_id, source, time_zone, occurrence_key, occurrence_at, scheduled_for,
      grace_until, created_at, started_by_kind, started_by_name, status, ended_at, last_line, scope)
    SELECT gen_random_uuid(), ${event.definitionId}::uuid, ${event.versionId}::uuid, 'SCHEDULE', 'UTC', 'key ' || n, starts,
      starts, starts, ${NOW}::timestamptz, 'USER', 'Mira', status::run_status,
      CASE status WHEN 'COMPLETED' THEN ${NOW}::timestamptz + (${SOME} - n) * interval '1 min' END, 2000, 'scope ' || n % 4
    FROM generate_series(1, ${OVER + 2 * SOME}) n, LATERAL (SELECT
      ${NOW}::timestamptz + (n * 7919 % 1000003) * interval '1 s' AS starts,
      CASE WHEN n <= ${OVER} THEN 'COMPLETED' WHEN n <= ${OVER + SOME} THEN 'RUNNING' ELSE 'SCHEDULED' END AS status) x`
  await db.prisma.$executeRaw`
    INSERT INTO steps (id, run_id, phase, phase_index, seq, action_id, action_version, params, on_failure, idempotency_key)
    SELECT gen_random_uuid(), id, 'one', 0, seq, 'core.log', 1, '{}', 'SKIP', '' FROM runs, generate_series(0, 1) seq`
  live = await db.prisma.run.findMany({ where: { status: 'RUNNING' }, select: { id: true } })
  await db.prisma.$executeRaw`
    INSERT INTO run_log (run_id, line, at, kind, actor_kind, actor_name, detail, text)
    SELECT id, line, ${NOW}::timestamptz, 'step.message', 'SYSTEM', 'Cuelight', '{}', ''
    FROM runs, generate_series(1, 2000) line WHERE status = 'RUNNING'`
  await db.prisma.$executeRaw`ANALYZE runs, steps, run_log`
})

const filters: [string, RunFilter, number][] = [
  ['nothing', {}, SOME + SOME],
  ['a status', { status: ['SCHEDULED', 'RUNNING'] }, SOME + SOME],
  ['SCHEDULED alone', { status: ['SCHEDULED'] }, SOME],
  ['how it ended', { status: ['COMPLETED', 'FAILED'] }, SOME],
  ['a scope', { scope: 'scope 1' }, SOME / 2],
  ['a health', { health: ['STALLED'] }, 0],
  ['a cue that waits', { waiting: true }, 0],
  ['no cue', { waiting: false }, SOME + SOME],
  ['rehearsals', { rehearsal: true }, 0],
  ['a cleanup', { cleanupStatus: ['PENDING'] }, 0],
]

test.each(filters)(
  'of runs by %s no more are walked over than live, wait or have just ended',
  async (_, filter, found) => {
    const { db: explaining, walked } = walking(db)
    const ids = new Set<string>()
    for (const list of followedLists(filter, { endedSince })) {
      const page = await followedPage(explaining, list, { after: null, take: 1_000 })
      expect(page.next).toBeNull()
      for (const { id } of page.runs) ids.add(id)
    }
    expect(ids.size).toBe(found)
    expect(walked.get('runs')).toBeLessThanOrEqual(3 * SOME)
    expect(walked.get('steps') ?? 0).toBeLessThanOrEqual(3 * SOME * 2)
  },
)

test('of a definition no more either', async () => {
  const { db: explaining, walked } = walking(db)
  const { definitionId } = event
  for (const list of followedLists({ definitionId }, { endedSince }))
    await followedPage(explaining, list, { after: null, take: 1_000 })
  expect(walked.get('runs')).toBe(2 * SOME)
})

test('pages hold each run once, whatever their size', async () => {
  const filter: RunFilter = { status: ['RUNNING', 'SCHEDULED', 'COMPLETED'] }
  for (const list of followedLists(filter, { endedSince })) {
    const whole = await followedPage(db, list, { after: null, take: 1_000 })
    const ids: string[] = []
    let after: Parameters<typeof followedPage>[2]['after'] = null
    do {
      const page = await followedPage(db, list, { after, take: 7 })
      ids.push(...page.runs.map(({ id }) => id))
      after = page.next
    } while (after !== null)
    expect(ids).toEqual(whole.runs.map(({ id }) => id))
    expect(ids).toHaveLength(SOME)
  }
})

test('what is new of runs is looked up by their ids, and among their new lines', async () => {
  const { db: explaining, walked } = walking(db)
  const known = live.map(({ id }) => ({ id, mark: { lastLine: 1_997, inFlight: null } }))
  const news = await runNews(explaining, known, {})
  expect([...news.values()].filter(({ changed }) => changed)).toEqual([])
  expect(news.size).toBe(SOME)
  expect(walked.get('runs')).toBe(SOME)
  expect(walked.get('run_log')).toBe(3 * SOME)
})
