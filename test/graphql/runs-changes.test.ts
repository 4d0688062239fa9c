import { describe, expect, test } from 'vitest'
import type { Prisma } from '../../src/generated/prisma/client.ts'
import { REST_MS } from '../../src/graphql/subscriptions/follow.ts'
import { mintId } from '../../src/store/ids.ts'
import type { RunFilter } from '../../src/store/run-reads.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { NOW } from './client.ts'
import { appendLines, insertEvent, insertStep, parkedSince } from './fixtures.ts'
import {
  change,
  changed,
  changes,
  db,
  ended,
  event,
  expectNothing,
  expectNothingNew,
  feedOf,
  inPhase,
  later,
  newRun,
  next,
  nextOnes,
  startingAt,
  tell,
} from './run-feed.ts'

const other = await insertEvent(db)

test('SCHEDULED runs come first too where the filter names that status, after those that have started, by their start', async () => {
  const [far, near] = [await newRun({ status: 'SCHEDULED', at: later(9e5) }), await newRun({ status: 'SCHEDULED' })]
  const [old, running] = [await newRun({ ...ended('COMPLETED'), endedAt: later(-1) }), await newRun()]
  const feed = feedOf({ status: ['SCHEDULED', 'RUNNING', 'COMPLETED'] })
  expect(await nextOnes(feed, 3)).toMatchObject([{ id: running }, { id: near }, { id: far }])
  // What had ended before is none of them, and comes when it changes.
  await changed(old, { cleanupStatus: 'CLEAN' })
  expect(await next(feed)).toMatchObject({ id: old, matches: true })
})

describe('each part of the filter restricts what comes first and what comes later', () => {
  const taken: [string, () => RunFilter, Partial<Prisma.RunUncheckedCreateInput>, { elsewhere?: true; cue?: true }][] =
    [
      ['definitionId', () => ({ definitionId: other.definitionId }), {}, { elsewhere: true }],
      ['status', () => ({ status: ['PAUSED'] }), { status: 'PAUSED' }, {}],
      ['health', () => ({ health: ['STALLED', 'DEGRADED'] }), { health: 'STALLED' }, {}],
      ['scope', () => ({ scope: 'yew' }), { scope: 'yew' }, {}],
      ['scheduledFrom', () => ({ scheduledFrom: later(9e6) }), startingAt(later(9e6)), {}],
      ['scheduledTo', () => ({ scheduledTo: later(-9e6) }), startingAt(later(-9e6 - 1)), {}],
      ['waiting', () => ({ waiting: true }), {}, { cue: true }],
      ['cleanupStatus', () => ({ cleanupStatus: ['PENDING'] }), { status: 'ENDING', cleanupStatus: 'PENDING' }, {}],
      ['rehearsal', () => ({ rehearsal: true }), { rehearsal: true }, {}],
      ['source', () => ({ source: 'SCHEDULE' }), { source: 'SCHEDULE' }, {}],
    ]
  test.each(taken)('%s', async (_name, filter, run, { elsewhere, cue }) => {
    const make = async () => {
      const id = await newRun(run, elsewhere ? other : event)
      if (cue) await insertStep(db, id, parkedSince(NOW))
      return id
    }
    const [without, within] = [await newRun(), await make()]
    const feed = feedOf(filter())
    expect(await next(feed)).toMatchObject({ id: within, matches: true })
    await changed(without)
    await expectNothing(feed, within)
    await changed(await newRun())
    const entering = await make()
    await changed(entering)
    expect(await next(feed)).toMatchObject({ id: entering, matches: true })
  })
})

test('a run enters the filter, leaves it once, and may enter it again', async () => {
  const [sentinel, id] = [await newRun(), await newRun({ status: 'SCHEDULED' })]
  const feed = feedOf({ status: ['RUNNING'] })
  expect(await next(feed)).toMatchObject({ id: sentinel })
  await expectNothing(feed, sentinel)
  await changed(id, { status: 'RUNNING' })
  expect(await next(feed)).toEqual({ id, status: 'RUNNING', matches: true })
  await changed(id, { status: 'PAUSED' })
  expect(await next(feed)).toEqual({ id, status: 'PAUSED', matches: false })
  await changed(id, { health: 'DEGRADED' })
  await expectNothingNew(feed, sentinel)
  await changed(id, { status: 'RUNNING' })
  expect(await next(feed)).toEqual({ id, status: 'RUNNING', matches: true })
  await changed(id, ended('CANCELLED'))
  expect(await next(feed)).toEqual({ id, status: 'CANCELLED', matches: false })
  await expectNothing(feed, sentinel)
})

test('without a filter by status a run that ends is told once, and never leaves', async () => {
  const [sentinel, id] = [await newRun(), await newRun()]
  const feed = feedOf()
  await nextOnes(feed, 2)
  await changed(id, ended('COMPLETED'))
  expect(await next(feed)).toEqual({ id, status: 'COMPLETED', matches: true })
  for (let sweep = 0; sweep < 3; sweep++) {
    await appendLines(db, id, ['late'])
    tell(id)
    await expectNothingNew(feed, sentinel)
  }
})

test('one that ended long ago is not told again either, until it changes', async () => {
  const [sentinel, id] = [await newRun(), await newRun()]
  const clock = new FakeClock(NOW.getTime())
  const feed = feedOf({}, { clock })
  await nextOnes(feed, 2)
  await changed(id, ended('COMPLETED'))
  expect(await next(feed)).toMatchObject({ id, status: 'COMPLETED' })
  for (let sweep = 0; sweep < 4; sweep++) {
    clock.moveBy(60_000)
    await expectNothingNew(feed, sentinel)
    // A message is heard of, and is no change while the run is remembered.
    if (sweep === 0) await appendLines(db, id, ['late'])
    if (sweep === 0) tell(id)
  }
  await changed(id, { cleanupStatus: 'CLEAN' })
  expect(await next(feed)).toMatchObject({ id, matches: true })
  // It is not remembered any more: whatever is heard of it is told.
  for (let sweep = 0; sweep < 3; sweep++) {
    clock.moveBy(60_000)
    await expectNothingNew(feed, sentinel)
  }
  await appendLines(db, id, ['later'])
  tell(id)
  expect(await next(feed)).toMatchObject({ id, matches: true })
})

test('a run that ended long ago and is not cleaned up yet is told when it leaves, although nobody said so', async () => {
  const [sentinel, id] = [await newRun(), await newRun()]
  const clock = new FakeClock(NOW.getTime())
  const feed = feedOf({ cleanupStatus: ['INCOMPLETE', 'NOT_REQUIRED'] }, { clock })
  await nextOnes(feed, 2)
  await changed(id, { ...ended('COMPLETED'), cleanupStatus: 'INCOMPLETE' })
  await next(feed)
  for (let sweep = 0; sweep < 4; sweep++) {
    clock.moveBy(60_000)
    await expectNothingNew(feed, sentinel)
  }
  await change(id, { cleanupStatus: 'CLEAN' })
  changes.missedSome()
  expect(await next(feed)).toMatchObject({ id, matches: false })
})

test('a SCHEDULED run that the filter does not name is told when it changes, and when it is moved out', async () => {
  const [sentinel, id] = [await newRun(), await newRun({ status: 'SCHEDULED' })]
  const feed = feedOf({ scheduledTo: later(9e6) })
  expect(await next(feed)).toMatchObject({ id: sentinel })
  await changed(id)
  expect(await next(feed)).toMatchObject({ id, matches: true })
  await expectNothingNew(feed, sentinel)
  await change(id, startingAt(later(9e6)))
  changes.missedSome()
  expect(await next(feed)).toEqual({ id, status: 'SCHEDULED', matches: false })
})

test('what happened to a run while nobody read is one event, with the run as it is then', async () => {
  const [sentinel, id] = [await newRun(), await newRun()]
  const feed = feedOf()
  await nextOnes(feed, 2)
  for (let round = 0; round < 50; round++) await changed(id, inPhase(`phase ${round}`))
  const { value } = await feed.next()
  expect(value).toMatchObject({ run: { id, currentPhase: 'phase 49' }, matches: true })
  await expectNothing(feed, sentinel)
})

test('a run that changes after it was read for a reader who has not got it comes as it is then', async () => {
  const [older, newer] = [await newRun(), await newRun()]
  const feed = feedOf()
  expect(await next(feed)).toMatchObject({ id: newer })
  await changed(older, { status: 'PAUSED' })
  expect(await next(feed)).toEqual({ id: older, status: 'PAUSED', matches: true })
  await expectNothing(feed, newer)
})

test('runs that change again whenever they are read are told of all the same, each in its turn', async () => {
  const ids = [await newRun(), await newRun(), await newRun()]
  let reads = 0
  const run = new Proxy(db.prisma.run, {
    get: (target, name) => {
      if (name !== 'findMany') return Reflect.get(target, name)
      return async (args: Prisma.RunFindManyArgs) => {
        const rows = await target.findMany(args)
        // They come to rest in the end, so that a feed that waits for that is found out, and not waited for.
        if (++reads < 40) for (const id of ids) await changed(id)
        return rows
      }
    },
  })
  const prisma = new Proxy(db.prisma, { get: (target, name) => (name === 'run' ? run : Reflect.get(target, name)) })
  const feed = feedOf({}, { from: { ...db, prisma }, restMs: REST_MS })
  await nextOnes(feed, 3)
  expect(reads).toBeLessThan(20)
  const told = await nextOnes(feed, 9)
  expect(reads).toBeLessThan(20)
  for (const id of ids) expect(told.filter((event) => event.id === id).length).toBeGreaterThan(1)
})

test('messages in the log are no change; a step that is being called is', async () => {
  const [sentinel, id] = [await newRun(), await newRun()]
  const feed = feedOf()
  await nextOnes(feed, 2)
  await appendLines(db, id, ['one', 'two'])
  tell(id)
  await expectNothing(feed, sentinel)
  await appendLines(db, id, ['three'])
  await expectNothingNew(feed, sentinel)
  await appendLines(db, id, ['four'])
  await changed(id)
  expect(await next(feed)).toMatchObject({ id })
  await db.prisma.run.update({ where: { id }, data: { inFlight: mintId() } })
  tell(id)
  expect(await next(feed)).toMatchObject({ id })
  // A claim is not.
  await db.prisma.run.update({
    where: { id },
    data: { fence: { increment: 1 }, claimedBy: 'other#1', leaseUntil: later(30) },
  })
  tell(id)
  await expectNothing(feed, sentinel)
})

test('what is said of a run is of one moment, also where it changes while it is read', async () => {
  const id = await newRun()
  let happens = async () => {
    happens = async () => {}
    await change(id, { status: 'PAUSED' })
  }
  const run = new Proxy(db.prisma.run, {
    get: (target, name) => {
      if (name !== 'findMany') return Reflect.get(target, name)
      return async (args: Prisma.RunFindManyArgs) => {
        await happens()
        return target.findMany(args)
      }
    },
  })
  const prisma = new Proxy(db.prisma, { get: (target, name) => (name === 'run' ? run : Reflect.get(target, name)) })
  const feed = feedOf({ status: ['RUNNING'] }, { from: { ...db, prisma } })
  const first = next(feed)
  const sentinel = await newRun()
  await changed(sentinel)
  // It left before anything was said of it.
  expect(await first).toEqual({ id: sentinel, status: 'RUNNING', matches: true })
})

test('a run that is deleted is forgotten', async () => {
  const [id, sentinel] = [await newRun(), await newRun()]
  const feed = feedOf()
  await nextOnes(feed, 2)
  await db.prisma.run.delete({ where: { id } })
  tell(id)
  await expectNothingNew(feed, sentinel)
})
