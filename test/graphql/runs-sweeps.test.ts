import { beforeEach, describe, expect, test } from 'vitest'
import { Changes } from '../../src/store/changes.ts'
import { mintId } from '../../src/store/ids.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { newStage } from '../support/stage.ts'
import { NOW } from './client.ts'
import { followRuns } from './pulled.ts'
import {
  change,
  changed,
  changes,
  counting,
  db,
  ended,
  expectNothing,
  expectNothingNew,
  feedOf,
  inPhase,
  insertMany,
  later,
  NEVER,
  newRun,
  next,
  nextOnes,
  onOutage,
  tell,
} from './run-feed.ts'

test('with notifications unplugged changes, entering and leaving are found all the same', async () => {
  const [id, scheduled] = [await newRun(), await newRun({ status: 'SCHEDULED' })]
  const unplugged = { of: new Changes(), pollMs: 5 }
  const feed = feedOf({ status: ['RUNNING'] }, unplugged)
  expect(await next(feed)).toMatchObject({ id, matches: true })
  for (const data of [{ health: 'DEGRADED' as const }, inPhase('main')]) {
    const following = feed.next()
    await change(id, data)
    expect((await following).value).toMatchObject({ run: { id, ...data }, matches: true })
  }
  const entering = next(feed)
  await change(scheduled, { status: 'RUNNING' })
  expect(await entering).toMatchObject({ id: scheduled, matches: true })
  const leaving = next(feed)
  await change(id, ended('COMPLETED'))
  expect(await leaving).toEqual({ id, status: 'COMPLETED', matches: false })
})

test('so is the end of a run that the reader had not heard of, once', async () => {
  const old = await newRun({ ...ended('FAILED'), endedAt: later(-1) })
  const [failing, missed] = [await newRun(), await newRun({ status: 'SCHEDULED' })]
  const feed = feedOf({ status: ['FAILED', 'MISSED'] }, { of: new Changes(), pollMs: 5 })
  const first = next(feed)
  await change(failing, ended('FAILED'))
  expect(await first).toEqual({ id: failing, status: 'FAILED', matches: true })
  const second = next(feed)
  await change(missed, ended('MISSED'))
  expect(await second).toEqual({ id: missed, status: 'MISSED', matches: true })
  const third = next(feed)
  await change(failing, { cleanupStatus: 'INCOMPLETE' })
  expect(await third).toEqual({ id: failing, status: 'FAILED', matches: true })
  expect(old).not.toBe(failing)
})

test('when anything may have changed everything is looked at again', async () => {
  const [id, leaving, staying] = [await newRun(), await newRun(), await newRun()]
  const feed = feedOf({ status: ['RUNNING'] })
  await nextOnes(feed, 3)
  const following = nextOnes(feed, 3)
  await change(id, { health: 'STALLED' })
  await change(leaving, { status: 'PAUSED' })
  const entering = await newRun()
  changes.missedSome()
  const events = await following
  expect(events).toHaveLength(3)
  expect(events).toEqual(
    expect.arrayContaining([
      { id, status: 'RUNNING', matches: true },
      { id: entering, status: 'RUNNING', matches: true },
      { id: leaving, status: 'PAUSED', matches: false },
    ]),
  )
  await expectNothing(feed, staying)
})

test.each([
  ['told of', false],
  ['not told of', true],
])('a run that stalls by time alone is found where it is %s', async (_case, unplugged) => {
  const stage = await newStage()
  const phases = [{ key: 'fight', steps: [], advance: { trigger: { on: 'test.slain' } } }]
  const runId = await stage.play(phases)
  const feed = followRuns(
    { ...stage.ctx, ...(unplugged ? { changes: new Changes() } : {}) },
    { filter: { health: ['STALLED'] }, onOutage, pollMs: unplugged ? 5 : NEVER },
  )
  const stalled = feed.next()
  await stage.letPass(30 * 60_000)
  expect((await stalled).value).toMatchObject({ run: { id: runId, status: 'RUNNING', health: 'STALLED' } })
  await feed.return?.()
})

test('a database that is away for a while is outlasted, and nothing is missed', async () => {
  const [id, leaving] = [await newRun(), await newRun()]
  let away = false
  const outages: unknown[] = []
  const prisma = new Proxy(db.prisma, {
    get: (target, name) => {
      if (away) throw new Error('the database is away')
      return Reflect.get(target, name)
    },
  })
  let markOutage = () => {}
  const outage = new Promise<void>((resolve) => {
    markOutage = resolve
  })
  const feed = followRuns(
    { db: { ...db, prisma }, changes, clock: new FakeClock(NOW.getTime()) },
    {
      filter: { status: ['RUNNING'] },
      pollMs: 5,
      onOutage: (error) => {
        outages.push(error)
        markOutage()
      },
    },
  )
  await nextOnes(feed, 2)
  away = true
  const following = nextOnes(feed, 2)
  await changed(id, { health: 'DEGRADED' })
  await change(leaving, ended('FAILED'))
  await outage
  away = false
  expect(await following).toEqual(
    expect.arrayContaining([
      { id, status: 'RUNNING', matches: true },
      { id: leaving, status: 'FAILED', matches: false },
    ]),
  )
  expect(outages).toEqual([new Error('the database is away')])
  await feed.return?.()
})

test('a change that was heard of and could not be read is read later, also where no sweep would find it', async () => {
  const [id, scheduled] = [await newRun(), await newRun({ status: 'SCHEDULED' })]
  let failures = 0
  const prisma = new Proxy(db.prisma, {
    get: (target, name) => {
      if (name === 'run' && failures-- > 0) throw new Error('the database is away')
      return Reflect.get(target, name)
    },
  })
  const outages: unknown[] = []
  const feed = followRuns(
    { db: { ...db, prisma }, changes, clock: new FakeClock(NOW.getTime()) },
    { filter: {}, pollMs: 5, onOutage: (error) => outages.push(error) },
  )
  expect(await next(feed)).toMatchObject({ id })
  failures = 2
  await changed(scheduled)
  expect(await next(feed)).toEqual({ id: scheduled, status: 'SCHEDULED', matches: true })
  expect(outages).toEqual([new Error('the database is away')])
  await feed.return?.()
})

describe('with thousands of runs', () => {
  const MANY = 2_500
  beforeEach(async () => {
    await insertMany(MANY, 'RUNNING')
  })

  test('all come once, in order, read as far as they are taken', async () => {
    const { from, sizes } = counting()
    const feed = feedOf({}, { from })
    await next(feed)
    const before = sizes.length
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MANY / 2)
    for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve))
    expect(sizes.length).toBe(before)
    const rest = await nextOnes(feed, MANY - 1)
    expect(new Set(rest.map(({ id }) => id)).size).toBe(MANY - 1)
    const places = await db.prisma.run.findMany({ select: { id: true }, orderBy: { occurrenceAt: 'desc' } })
    expect(rest.map(({ id }) => id)).toEqual(places.slice(1).map(({ id }) => id))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_001)
    const sentinel = rest[7]?.id ?? ''
    await expectNothing(feed, sentinel)
  })

  test('a change comes before the rest of those that come first', async () => {
    const feed = feedOf()
    const { id } = await next(feed)
    await changed(id, { status: 'PAUSED' })
    const events = await nextOnes(feed, 1_200)
    expect(events.filter((found) => found.id === id)).toEqual([{ id, status: 'PAUSED', matches: true }])
  })

  test('all that leave at once are told', async () => {
    const feed = feedOf({ status: ['RUNNING'] })
    await nextOnes(feed, MANY)
    await db.prisma.run.updateMany({ data: { ...ended('CANCELLED'), lastLine: { increment: 1 } } })
    changes.missedSome()
    const events = await nextOnes(feed, MANY)
    expect(events.filter(({ matches }) => matches)).toEqual([])
    expect(new Set(events.map(({ id }) => id)).size).toBe(MANY)
    const sentinel = await newRun()
    await expectNothing(feed, sentinel)
  })
})

test('of SCHEDULED runs that the filter does not name those are remembered that were told of last', async () => {
  const [MANY, REMEMBERED] = [600, 500]
  await insertMany(MANY, 'SCHEDULED')
  const scheduled = await db.prisma.run.findMany({ select: { id: true } })
  const sentinel = await newRun()
  const feed = feedOf({ scope: '' })
  await next(feed)
  for (const { id } of scheduled) tell(id)
  const told = await nextOnes(feed, MANY)
  for (let sweep = 0; sweep < 3; sweep++) {
    await expectNothingNew(feed, sentinel, 40)
  }
  await db.prisma.run.updateMany({ where: { status: 'SCHEDULED' }, data: { scope: 'yew', lastLine: 2 } })
  changes.missedSome()
  const left = await nextOnes(feed, REMEMBERED)
  expect(left.map(({ id, matches }) => ({ id, matches }))).toEqual(
    told.slice(MANY - REMEMBERED).map(({ id }) => ({ id, matches: false })),
  )
  await expectNothing(feed, sentinel)
})

test('a reader who does not read while ever more changes are told of misses none of the runs that live', async () => {
  const id = await newRun()
  const feed = feedOf()
  await next(feed)
  for (let told = 0; told < 20_000; told++) tell(mintId())
  await changed(id, { status: 'PAUSED' })
  expect(await next(feed)).toEqual({ id, status: 'PAUSED', matches: true })
})
