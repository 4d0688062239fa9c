import { beforeAll, expect, test } from 'vitest'
import { formatId } from '../../src/domain/ids.ts'
import { testDatabase } from '../support/database.ts'
import { Client, NOW } from './client.ts'
import { appendLines, type Event, insertEvent, insertRun, insertStep, parkedSince } from './fixtures.ts'

let client: Client
let invasion: Event
let tournament: Event
/** Runs of the invasion, newest occurrence first; the two newest share their instant. */
let runs: string[]
const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000)

beforeAll(async () => {
  const { db } = await testDatabase()
  client = new Client(db)
  invasion = await insertEvent(db, { slug: 'invasion', title: 'Invasion of Yew' })
  tournament = await insertEvent(db, { slug: 'tournament', title: '100 % pure_skill', state: 'ARCHIVED' })
  await insertEvent(db, { slug: 'bingo', title: 'Bingo' })
  const inserted: string[] = []
  for (const minute of [1, 2, 3, 4]) inserted.push(await insertRun(db, invasion, { at: minutes(minute) }))
  const twin = await insertRun(db, invasion, { at: minutes(4), scope: 'yew', source: 'SCHEDULE' })
  const newest = [inserted[3] ?? '', twin].sort().reverse()
  runs = [...newest, inserted[2] ?? '', inserted[1] ?? '', inserted[0] ?? ''].map((id) => formatId('Run', id))
  await insertRun(db, tournament, {
    at: minutes(9),
    rehearsal: true,
    status: 'COMPLETED',
    endedAt: minutes(10),
    health: 'DEGRADED',
  })
})

const PAGE = `query ($first: Int, $last: Int, $after: String, $before: String, $filter: RunFilter) {
  runs(first: $first, last: $last, after: $after, before: $before, filter: $filter) {
    totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor node { id } }
  }
}`
const ofInvasion = () => ({ filter: { definitionId: invasion.id } })

async function page(variables: { [name: string]: unknown }) {
  const data = await client.query(PAGE, variables)
  return {
    ids: data.at('runs', 'edges', 'node', 'id'),
    cursors: data.at('runs', 'edges', 'cursor') as string[],
    info: data.at('runs', 'pageInfo') as {
      hasNextPage: boolean
      hasPreviousPage: boolean
      endCursor: string
      startCursor: string
    },
    total: data.at('runs', 'totalCount'),
  }
}

test('runs come newest occurrence first, and all of them can be paged through from the front', async () => {
  const first = await page({ ...ofInvasion(), first: 2 })
  expect(first.ids).toEqual(runs.slice(0, 2))
  expect(first.total).toBe(5)
  expect(first.info).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
  const second = await page({ ...ofInvasion(), first: 2, after: first.info.endCursor })
  expect(second.ids).toEqual(runs.slice(2, 4))
  expect(second.info).toMatchObject({ hasNextPage: true, hasPreviousPage: true })
  const third = await page({ ...ofInvasion(), first: 2, after: second.info.endCursor })
  expect(third.ids).toEqual(runs.slice(4))
  expect(third.info.hasNextPage).toBe(false)
})

test('and from the end', async () => {
  const last = await page({ ...ofInvasion(), last: 2 })
  expect(last.ids).toEqual(runs.slice(3))
  expect(last.info).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
  const before = await page({ ...ofInvasion(), last: 3, before: last.info.startCursor })
  expect(before.ids).toEqual(runs.slice(0, 3))
  expect(before.info).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
})

test('a page lies between two cursors where both are given, also where two runs share an instant', async () => {
  const { cursors } = await page(ofInvasion())
  const between = await page({ ...ofInvasion(), after: cursors[0], before: cursors[3] })
  expect(between.ids).toEqual(runs.slice(1, 3))
})

test('an empty page has no cursors', async () => {
  const none = await page({ ...ofInvasion(), first: 0 })
  expect(none).toMatchObject({ ids: [], total: 5, info: { startCursor: null, endCursor: null, hasNextPage: true } })
})

test.each([
  [{ first: 501 }, 'first is from 0 to 500, not 501.'],
  [{ last: 501 }, 'last is from 0 to 500, not 501.'],
  [{ first: -1 }, 'first is from 0 to 500, not -1.'],
  [{ first: 1, last: 1 }, 'Give first or last, not both.'],
  [{ after: 'nonsense' }, 'after is no cursor of this list'],
  [{ before: '' }, 'before is no cursor of this list'],
  [{ after: Buffer.from('["definitions","x"]').toString('base64url') }, 'after is no cursor of this list'],
  [{ after: Buffer.from('["runs","x","y"]').toString('base64url') }, 'after is no cursor of this list'],
  [
    { after: Buffer.from('["runs",1e300,"00000000-0000-0000-0000-000000000000"]').toString('base64url') },
    'after is no cursor',
  ],
])('%j is BAD_USER_INPUT', async (variables, message) => {
  const error = await client.error(PAGE, variables)
  expect(error.extensions.code).toBe('BAD_USER_INPUT')
  expect(error.message).toContain(message)
  expect(client.faults).toEqual([])
})

test('a filter restricts runs by each of its fields', async () => {
  const { db } = client.control
  const waiting = await insertRun(db, tournament, { at: minutes(-10), status: 'PAUSED', cleanupStatus: 'INCOMPLETE' })
  await insertStep(db, waiting, parkedSince(NOW))
  const count = async (filter: object) => (await page({ filter: { ...filter } })).total
  const of = (filter: object) => count({ definitionId: tournament.id, ...filter })
  expect(await of({})).toBe(2)
  expect(await of({ status: ['PAUSED', 'RUNNING'] })).toBe(1)
  expect(await of({ status: [] })).toBe(0)
  expect(await of({ health: ['DEGRADED'] })).toBe(1)
  expect(await of({ cleanupStatus: ['INCOMPLETE'] })).toBe(1)
  expect(await of({ rehearsal: true })).toBe(1)
  expect(await of({ rehearsal: false })).toBe(1)
  expect(await of({ waiting: true })).toBe(1)
  expect(await of({ waiting: false })).toBe(1)
  expect(await count({ scope: 'yew' })).toBe(1)
  expect(await count({ scope: '\u0000' })).toBe(0)
  expect(await count({ source: 'SCHEDULE' })).toBe(1)
  expect(await count({ definitionId: 'def_nonsense' })).toBe(0)
  const scheduled = { scheduledFrom: minutes(2).toISOString(), scheduledTo: minutes(4).toISOString() }
  expect((await page({ filter: scheduled })).ids).toEqual([runs[2], runs[3]])
})

test('definitions come by slug, and are found by state and by text taken literally', async () => {
  const slugs = async (filter: object) =>
    (
      await client.query(
        'query ($filter: DefinitionFilter) { definitions(filter: $filter) { edges { node { slug } } } }',
        { filter },
      )
    ).at('definitions', 'edges', 'node', 'slug')
  expect(await slugs({})).toEqual(['bingo', 'invasion', 'tournament'])
  expect(await slugs({ search: 'YEW' })).toEqual(['invasion'])
  expect(await slugs({ search: '%' })).toEqual(['tournament'])
  expect(await slugs({ search: 'pure_skill' })).toEqual(['tournament'])
  expect(await slugs({ search: 'pure-skill' })).toEqual([])
  expect(await slugs({ search: '\\' })).toEqual([])
  expect(await slugs({ state: ['ARCHIVED'] })).toEqual(['tournament'])
})

test('the log is filtered by kind, phase, step and text, and paged by line', async () => {
  const { db } = client.control
  const runId = await insertRun(db, tournament, { at: minutes(-20) })
  const stepId = await insertStep(db, runId)
  await appendLines(db, runId, ['one', 'two', 'three', 'four'])
  await db.prisma.logLine.update({
    where: { runId_line: { runId, line: 2 } },
    data: { kind: 'phase.entered', phase: 'main', stepId },
  })
  const lines = async (args: string) =>
    (
      await client.query(
        `{ run(id: "${formatId('Run', runId)}") { log(${args}) { totalCount edges { node { line } } } } }`,
      )
    ).at('run', 'log')
  const listed = (...numbers: number[]) => ({
    totalCount: expect.any(Number),
    edges: numbers.map((line) => ({ node: { line } })),
  })
  expect(await lines('first: 2')).toEqual({ ...listed(1, 2), totalCount: 4 })
  expect(await lines('last: 1')).toEqual(listed(4))
  expect(await lines('filter: { kind: ["phase.entered"] }')).toEqual({ ...listed(2), totalCount: 1 })
  expect(await lines('filter: { phase: "main" }')).toEqual(listed(2))
  expect(await lines(`filter: { stepId: "${formatId('Step', stepId)}" }`)).toEqual(listed(2))
  expect(await lines('filter: { stepId: "step_nonsense" }')).toEqual(listed())
  expect(await lines('filter: { search: "O" }')).toEqual(listed(1, 2, 4))
})

test('totalCount is null above 10,000', async () => {
  const { db } = client.control
  const runId = await insertRun(db, tournament, { at: minutes(-30) })
  const count = async () =>
    (await client.query(`{ run(id: "${formatId('Run', runId)}") { log(first: 1) { totalCount } } }`)).at(
      'run',
      'log',
      'totalCount',
    )
  await db.prisma.$executeRaw`
    INSERT INTO run_log (run_id, line, at, kind, actor_kind, actor_name, detail, text)
    SELECT ${runId}::uuid, line, ${NOW}::timestamptz, 'step.message', 'SYSTEM', 'Cuelight', '{}', 'x'
    FROM generate_series(1, 10000) line`
  await db.prisma.run.update({ where: { id: runId }, data: { lastLine: 10_000 } })
  expect(await count()).toBe(10_000)
  await appendLines(db, runId, ['x'])
  expect(await count()).toBeNull()
})
