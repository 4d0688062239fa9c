import { beforeAll, expect, test } from 'vitest'
import { formatId } from '../../src/domain/ids.ts'
import { openLog } from '../../src/graphql/subscriptions/run-log.ts'
import { Changes } from '../../src/store/changes.ts'
import type { Database } from '../../src/store/database.ts'
import { mintId } from '../../src/store/ids.ts'
import { logAfter } from '../../src/store/log-reads.ts'
import { testDatabase } from '../support/database.ts'
import { Client, Data, NOW } from './client.ts'
import { appendLines, type Event, insertEvent, insertRun, insertStep } from './fixtures.ts'

let db: Database
let client: Client
let event: Event
const changes = new Changes()
let minute = 0
beforeAll(async () => {
  ;({ db } = await testDatabase())
  client = new Client(db, { changes })
  event = await insertEvent(db)
})

const newRun = (run = {}) =>
  insertRun(db, event, { at: new Date(NOW.getTime() + minute++ * 60_000), status: 'RUNNING', ...run })
const finish = (id: string, data = {}) =>
  db.prisma.run.update({ where: { id }, data: { status: 'COMPLETED', endedAt: NOW, ...data } })
const publish = (runId: string, line = 0) => changes.publish({ runId, line, cues: false })

const RUN_LOG =
  'subscription ($runId: ID!, $after: Int) { runLog(runId: $runId, after: $after) { cursor entries { line text } } }'
const NEVER = 2 ** 30

/** All lines that a subscription brings until it ends by itself. */
async function linesOf(events: AsyncIterableIterator<{ data?: unknown; errors?: unknown }>): Promise<unknown[]> {
  const lines: unknown[] = []
  for await (const { data, errors } of events) {
    expect(errors).toBeUndefined()
    const entries = new Data(data).at('runLog', 'entries', 'line')
    if (Array.isArray(entries)) lines.push(...entries)
    expect(new Data(data).at('runLog', 'cursor')).toBe(lines.at(-1))
  }
  return lines
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Where no look may fail. */
const onOutage = (error: unknown) => {
  throw error
}

test('the log of a run that is over is replayed in parts, in order, and ends', async () => {
  const runId = await newRun()
  await appendLines(db, runId, upTo(1203).map(String))
  await finish(runId)
  const events = await client.events(RUN_LOG, { runId: formatId('Run', runId) })
  expect(await linesOf(events)).toEqual(upTo(1203))
})

test('it begins behind `after`, and ends at once where nothing is left', async () => {
  const runId = await newRun()
  await appendLines(db, runId, ['one', 'two', 'three'])
  await finish(runId)
  const from = async (after: number) => linesOf(await client.events(RUN_LOG, { runId: formatId('Run', runId), after }))
  expect(await from(1)).toEqual([2, 3])
  expect(await from(3)).toEqual([])
  expect(await from(2_000_000_000)).toEqual([])
})

test('it goes on live, without a gap or a repeat, until the run is over', async () => {
  const runId = await newRun()
  await appendLines(db, runId, ['one'])
  const lines = linesOf(await client.events(RUN_LOG, { runId: formatId('Run', runId) }))
  for (let round = 0; round < 20; round++) publish(runId, await appendLines(db, runId, ['a', 'b']))
  await finish(runId)
  publish(runId)
  expect(await lines).toEqual(upTo(41))
})

test('with notifications unplugged nothing is lost, only later', async () => {
  const runId = await newRun()
  const unplugged = new Changes()
  const feed = (await openLog({ db, changes: unplugged }, { runId, after: 0, onOutage, pollMs: 5 }))[
    Symbol.asyncIterator
  ]()
  const first = feed.next()
  await appendLines(db, runId, ['one', 'two'])
  expect((await first).value?.cursor).toBeGreaterThan(0)
  await appendLines(db, runId, ['three'])
  await finish(runId)
  let cursor = 0
  for await (const batch of feed) cursor = batch.cursor
  expect(cursor).toBe(3)
})

test.each([
  ['its cleanup is pending', { cleanupStatus: 'PENDING' as const }, { cleanupStatus: 'CLEAN' as const }],
  ['it is paused', { status: 'PAUSED' as const, endedAt: null }, { status: 'CANCELLED' as const, endedAt: NOW }],
])('it does not end while %s', async (_, data, over) => {
  const runId = await newRun()
  const feed = (await openLog({ db, changes }, { runId, after: 0, onOutage, pollMs: NEVER }))[Symbol.asyncIterator]()
  await finish(runId, data)
  publish(runId, await appendLines(db, runId, ['one']))
  expect((await feed.next()).value?.cursor).toBe(1)
  const next = feed.next()
  publish(runId, await appendLines(db, runId, ['two']))
  expect((await next).value?.cursor).toBe(2)
  const last = feed.next()
  await db.prisma.run.update({ where: { id: runId }, data: over })
  publish(runId)
  expect(await last).toEqual({ done: true, value: undefined })
})

test('it does not end while a step is in flight, and one that waits for a person is none', async () => {
  const runId = await newRun()
  const stepId = await insertStep(db, runId, { status: 'RUNNING', attempts: 1, claimNo: 1, startedAt: NOW })
  await finish(runId, { status: 'FAILED' })
  const feed = (await openLog({ db, changes }, { runId, after: 0, onOutage, pollMs: NEVER }))[Symbol.asyncIterator]()
  const next = feed.next()
  publish(runId, await appendLines(db, runId, ['late']))
  expect((await next).value?.cursor).toBe(1)
  await db.prisma.step.update({ where: { id: stepId }, data: { status: 'DONE', finishedAt: NOW } })
  expect((await feed.next()).done).toBe(true)
})

test('a run that is not there is NOT_FOUND, and a negative `after` is BAD_USER_INPUT', async () => {
  const codeOf = async (variables: object) => {
    const refused = await client.subscribe(RUN_LOG, { ...variables })
    return new Data(refused).at('errors', 0, 'extensions', 'code')
  }
  expect(await codeOf({ runId: formatId('Run', mintId()) })).toBe('NOT_FOUND')
  expect(await codeOf({ runId: 'nonsense' })).toBe('NOT_FOUND')
  expect(await codeOf({ runId: formatId('Run', await newRun()), after: -1 })).toBe('BAD_USER_INPUT')
})

test('lines that are large come in small events, and one that is larger than that comes alone', async () => {
  const runId = await newRun()
  const large = 'x'.repeat(50_000)
  await appendLines(db, runId, [large, 'small', 'y'.repeat(400_000), 'small'])
  await finish(runId)
  const sizes: number[] = []
  for await (const { entries } of await openLog({ db, changes }, { runId, after: 0, onOutage }))
    sizes.push(entries.length)
  expect(sizes).toEqual([2, 1, 1])
})

test('no more is read from the database than about an event, however large its lines are', async () => {
  const runId = await newRun()
  await appendLines(db, runId, ['first', ...upTo(10).map(() => 'x'.repeat(100_000)), 'last'])
  const read = async (after: number, size: number) =>
    (await logAfter(db, runId, { after, limit: 500, size })).map(({ line }) => line)
  expect(await read(0, 128 * 1024)).toEqual([1, 2])
  expect(await read(1, 128 * 1024)).toEqual([2])
  expect(await read(1, 1)).toEqual([2])
  expect(await read(9, 10_000_000)).toEqual([10, 11, 12])
})

test('a client that goes away leaves no listener behind', async () => {
  const runId = await newRun()
  const listening: string[] = []
  const watched = new Changes()
  watched.onRun = (id) => {
    listening.push(id)
    return () => listening.splice(listening.indexOf(id), 1)
  }
  const other = new Client(db, { changes: watched })
  const events = await other.events(RUN_LOG, { runId: formatId('Run', runId) })
  const next = events.next()
  expect(listening).toEqual([runId])
  await events.return?.()
  expect(await next).toEqual({ done: true, value: undefined })
  expect(listening).toEqual([])
})
