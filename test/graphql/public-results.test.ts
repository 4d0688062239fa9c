import { beforeAll, expect, test } from 'vitest'
import type { Role } from '../../src/domain/access.ts'
import { formatId } from '../../src/domain/ids.ts'
import type { Database } from '../../src/store/database.ts'
import { mintId } from '../../src/store/ids.ts'
import { testDatabase } from '../support/database.ts'
import { Client, NOW } from './client.ts'
import { type Event, insertEvent, insertRun } from './fixtures.ts'

let db: Database
let client: Client
let event: Event
beforeAll(async () => {
  db = (await testDatabase()).db
  client = new Client(db)
  event = await insertEvent(db)
})

let runs = 0
async function insertResults(publishedAt: Date | null, participants: { memberKey: string; rank?: number }[]) {
  runs += 1
  const at = new Date(NOW.getTime() + runs * 60_000)
  const runId = await insertRun(db, event, { at, resultsPublishedAt: publishedAt })
  const score = ({ rank }: { rank?: number }) => (rank === undefined ? null : 100 - rank)
  await db.prisma.participant.createMany({
    data: participants.map((participant) => ({ runId, ...participant, score: score(participant) })),
  })
  return formatId('Run', runId)
}

const RESULTS = 'query ($id: ID!, $first: Int) { publicResults(runId: $id, first: $first) { memberKey rank score } }'
const keysOf = async (id: string, first?: number) =>
  (await client.query(RESULTS, first === undefined ? { id } : { id, first })).at('publicResults', 'memberKey')

const board = [{ memberKey: 'zoe', rank: 1 }, { memberKey: 'away' }, { memberKey: 'bert', rank: 2 }]
const RANKED = ['zoe', 'bert', 'away']

test.each<[Role | null]>([[null], ['VIEWER'], ['EMITTER'], ['MODERATOR'], ['ADMIN']])(
  'for %s: published results are there, unpublished ones null; participants are for staff',
  async (role) => {
    const [open, closed] = [await insertResults(NOW, board), await insertResults(null, board)]
    client.role = role
    try {
      expect((await client.query(RESULTS, { id: open })).at('publicResults', 'memberKey')).toEqual(RANKED)
      expect((await client.query(RESULTS, { id: closed })).at('publicResults')).toBeNull()
      const staff = await client.execute('query ($id: ID!) { run(id: $id) { participants { memberKey } } }', {
        id: closed,
      })
      const code = staff.errors?.[0]?.extensions.code ?? 'OK'
      expect(code).toBe(role === null ? 'UNAUTHENTICATED' : role === 'EMITTER' ? 'FORBIDDEN' : 'OK')
    } finally {
      client.role = 'ADMIN'
    }
  },
)

test('they come by rank and then member key, the unranked last, as many as asked for', async () => {
  const id = await insertResults(NOW, [
    { memberKey: 'tail' },
    { memberKey: 'cora', rank: 2 },
    { memberKey: 'last' },
    { memberKey: 'dora', rank: 4 },
    { memberKey: 'bert', rank: 2 },
    { memberKey: 'anna', rank: 1 },
  ])
  const expected = ['anna', 'bert', 'cora', 'dora', 'last', 'tail']
  expect(await keysOf(id)).toEqual(expected)
  expect(await keysOf(id, 3)).toEqual(expected.slice(0, 3))
  expect(await keysOf(id, 0)).toEqual([])
  expect((await client.error(RESULTS, { id, first: 501 })).extensions.code).toBe('BAD_USER_INPUT')
  const data = await client.query(
    'query ($id: ID!) { run(id: $id) { participants { memberKey } participantCount resultsPublishedAt } }',
    { id },
  )
  expect(data.at('run', 'participants', 'memberKey')).toEqual(expected)
  expect(data.at('run', 'participantCount')).toBe(6)
  expect(data.at('run', 'resultsPublishedAt')).toBe(NOW.toISOString())
})

test('more than 500 participants are the first 500', async () => {
  const crowd = Array.from({ length: 600 }, (_, nth) => ({ memberKey: `member ${nth}`, rank: nth + 1 }))
  const id = await insertResults(NOW, crowd)
  expect(await keysOf(id)).toEqual(crowd.slice(0, 500).map(({ memberKey }) => memberKey))
})

test('what the world said of a participant is shown', async () => {
  const id = await insertResults(NOW, [])
  const told = { userId: 'u-1', joinedAt: NOW, meta: { guild: 'Yew' } }
  await db.prisma.participant.create({
    data: { runId: id.replace('run_', ''), memberKey: 'anna', score: 1.5, rank: 1, ...told },
  })
  const data = await client.query(
    'query ($id: ID!) { publicResults(runId: $id) { memberKey userId score rank joinedAt meta } }',
    { id },
  )
  expect(data.at('publicResults')).toEqual([
    { memberKey: 'anna', score: 1.5, rank: 1, ...told, joinedAt: NOW.toISOString() },
  ])
})

test('nobody took part: published is an empty list', async () => {
  expect(await keysOf(await insertResults(NOW, []))).toEqual([])
})

test.each([formatId('Run', mintId()), formatId('Step', mintId()), 'run_x', '', '\u0000'])(
  'there is no run %j, and nothing but null',
  async (id) => {
    expect((await client.query(RESULTS, { id })).at('publicResults')).toBeNull()
  },
)
