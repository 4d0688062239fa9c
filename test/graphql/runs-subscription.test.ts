import { createClient } from 'graphql-ws'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { formatId } from '../../src/domain/ids.ts'
import type { Prisma } from '../../src/generated/prisma/client.ts'
import { followRuns } from '../../src/graphql/subscriptions/runs.ts'
import { createLogger } from '../../src/server/logger.ts'
import { Changes, type RunChange } from '../../src/store/changes.ts'
import type { Database } from '../../src/store/database.ts'
import { mintId } from '../../src/store/ids.ts'
import type { RunFilter } from '../../src/store/run-reads.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { wiredApi } from '../server/wired-api.ts'
import { testDatabase } from '../support/database.ts'
import { newStage } from '../support/stage.ts'
import { Client, Data, NOW } from './client.ts'
import { appendLines, type Event, insertEvent, insertRun, insertStep, parkedSince } from './fixtures.ts'

let db: Database
let event: Event
let other: Event
let minute = 0
const changes = new Changes()
const NEVER = 2 ** 30
beforeAll(async () => {
  ;({ db } = await testDatabase())
  event = await insertEvent(db)
  other = await insertEvent(db)
})
beforeEach(async () => {
  await db.prisma.logLine.deleteMany()
  await db.prisma.step.deleteMany()
  await db.prisma.run.deleteMany()
})

const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
/** Each is of a later occurrence than the one before. */
const newRun = (run: Parameters<typeof insertRun>[2] = {}, of = event) =>
  insertRun(db, of, { at: later(60 * minute++), status: 'RUNNING', ...run })

/** A change as all are made: with a line of the log, in one transaction. */
async function change(id: string, data: Prisma.RunUncheckedUpdateInput = {}, kind = 'run.status'): Promise<void> {
  await db.prisma.$transaction(async (tx) => {
    const run = await tx.run.update({ where: { id }, data: { ...data, lastLine: { increment: 1 } } })
    const actor = { actorKind: 'SYSTEM', actorName: 'Cuelight' } as const
    await tx.logLine.create({ data: { runId: id, line: run.lastLine, at: NOW, kind, ...actor, detail: {}, text: '' } })
  })
}
const tell = (runId: string) => changes.publish({ runId, line: 0, cues: false })
const changed = async (id: string, data: Prisma.RunUncheckedUpdateInput = {}) => {
  await change(id, data)
  tell(id)
}
const ended = (status: 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'MISSED') => ({ status, endedAt: later(1) })

const startingAt = (at: Date) => ({ scheduledFor: at, graceUntil: new Date(at.getTime() + 900_000) })
const inPhase = (currentPhase: string) => ({ currentPhase, phaseIndex: 0, phaseEnteredAt: NOW })

/** Where no look may fail. */
const onOutage = (error: unknown) => {
  throw error
}

type Feed = ReturnType<typeof followRuns>
function feedOf(
  filter: RunFilter = {},
  {
    pollMs = NEVER,
    of = changes,
    from = db,
    clock = new FakeClock(NOW.getTime()),
  }: { pollMs?: number; of?: Changes; from?: Database; clock?: FakeClock } = {},
): Feed {
  const feed = followRuns({ db: from, changes: of, clock }, { filter, onOutage, pollMs })
  onTestFinished(async () => void (await feed.return?.()))
  return feed
}

async function next(feed: Feed) {
  const { value } = await feed.next()
  if (value === undefined) throw new Error('the feed has ended')
  return { id: value.run.id, status: value.run.status, matches: value.matches }
}
async function nextOnes(feed: Feed, count: number) {
  const events: Awaited<ReturnType<typeof next>>[] = []
  while (events.length < count) events.push(await next(feed))
  return events
}
/** Where a change of another run is the next event, nothing came before it. */
async function expectNothing(feed: Feed, sentinel: string) {
  await changed(sentinel)
  expect(await next(feed)).toMatchObject({ id: sentinel, matches: true })
}
/** Nor does anything come of a look at everything, which goes on by a part with each event. */
async function expectNothingNew(feed: Feed, sentinel: string, parts = 6) {
  changes.missedSome()
  for (let part = 0; part < parts; part++) await expectNothing(feed, sentinel)
}

const RUNS = `subscription ($filter: RunFilter) {
  runs(filter: $filter) {
    matches run { id status health currentPhase waitingCues stepCounts { status count } definition { slug } }
  }
}`

test('first the runs come that have started and are not terminal, newest occurrence first, then what changes', async () => {
  const statuses = ['PAUSED', 'SCHEDULED', 'STARTING', 'COMPLETED', 'ENDING', 'MISSED', 'RUNNING', 'FAILED'] as const
  const ids = new Map<string, string>()
  const before = { endedAt: later(-1) }
  for (const status of statuses)
    ids.set(status, await newRun({ status, ...(['COMPLETED', 'MISSED', 'FAILED'].includes(status) ? before : {}) }))
  const id = (status: (typeof statuses)[number]) => ids.get(status) ?? ''
  await insertStep(db, id('RUNNING'), parkedSince(NOW))

  const events = await new Client(db, { changes }).events(RUNS)
  const nextData = async () => {
    const result = (await events.next()).value
    expect(result?.errors).toBeUndefined()
    return new Data(result?.data).at('runs')
  }
  expect(await nextData()).toEqual({
    matches: true,
    run: {
      id: formatId('Run', id('RUNNING')),
      status: 'RUNNING',
      health: 'OK',
      currentPhase: null,
      waitingCues: 1,
      stepCounts: [{ status: 'RUNNING', count: 1 }],
      definition: { slug: event.slug },
    },
  })
  for (const status of ['ENDING', 'STARTING', 'PAUSED'] as const)
    expect(await nextData()).toMatchObject({ matches: true, run: { id: formatId('Run', id(status)), status } })

  const following = nextData()
  await changed(id('PAUSED'), { status: 'RUNNING', ...inPhase('main'), health: 'DEGRADED' })
  const run = { id: formatId('Run', id('PAUSED')), status: 'RUNNING', currentPhase: 'main', health: 'DEGRADED' }
  expect(await following).toMatchObject({ matches: true, run })

  const scheduled = nextData()
  await changed(id('SCHEDULED'), startingAt(later(7)))
  expect(await scheduled).toMatchObject({ matches: true, run: { id: formatId('Run', id('SCHEDULED')) } })
  await events.return?.()
})

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

test('a run of the runner is followed from its start to its end', async () => {
  const stage = await newStage()
  const { registry, clock } = stage
  const events = await new Client(stage.db, { registry, clock, changes: stage.changes }).events(RUNS)
  const read = async () => new Data((await events.next()).value?.data)
  let reading = read()
  await stage.play([
    { key: 'cue', steps: [{ actionId: 'core.cue', params: { instruction: 'Sweep' } }] },
    { key: 'end', steps: [{ actionId: 'core.wait', params: { for: '1h' } }] },
  ])
  const until = async (what: (data: Data) => boolean) => {
    for (;;) {
      const data = await reading
      reading = read()
      if (what(data)) return data
    }
  }
  const parked = await until((data) => data.at('runs', 'run', 'waitingCues') === 1)
  expect(parked.at('runs')).toMatchObject({ matches: true, run: { status: 'RUNNING', currentPhase: 'cue' } })
  const [step] = await stage.db.prisma.step.findMany({ where: { parked: true } })
  await new Client(stage.db, { registry, clock, changes: stage.changes }).query(
    'mutation ($id: ID!) { confirmCue(input: { id: $id }) { __typename } }',
    { id: formatId('Cue', step?.id ?? '') },
  )
  const waiting = await until((data) => data.at('runs', 'run', 'currentPhase') === 'end')
  expect(waiting.at('runs', 'run', 'waitingCues')).toBe(0)
  await stage.letPass(3_600_000)
  const completed = await until((data) => data.at('runs', 'run', 'status') === 'COMPLETED')
  expect(completed.at('runs', 'matches')).toBe(true)
  await events.return?.()
  await reading
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

describe('with thousands of runs', () => {
  const MANY = 2_500
  beforeEach(async () => {
    await db.prisma.$executeRaw`
      INSERT INTO runs (id, definition_id, version_id, source, time_zone, occurrence_key, occurrence_at, scheduled_for,
        grace_until, created_at, started_by_kind, started_by_name, status)
      SELECT gen_random_uuid(), ${event.definitionId}::uuid, ${event.versionId}::uuid, 'MANUAL', 'UTC', 'key ' || n,
        ${NOW}::timestamptz - n * interval '1 min', ${NOW}::timestamptz, ${NOW}::timestamptz, ${NOW}::timestamptz,
        'USER', 'Mira', 'RUNNING'
      FROM generate_series(1, ${MANY}) n`
  })

  /** A database that says how many rows the answers brought. */
  function counting() {
    const sizes: number[] = []
    const counted = async (answer: Promise<unknown>) => {
      const rows = await answer
      if (Array.isArray(rows)) sizes.push(rows.length)
      return rows
    }
    const run = new Proxy(db.prisma.run, {
      get: (target, name) =>
        name === 'findMany'
          ? (args: Prisma.RunFindManyArgs) => counted(target.findMany(args))
          : Reflect.get(target, name),
    })
    const queryRaw = (query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) =>
      counted(db.prisma.$queryRaw(query, ...values))
    const prisma = new Proxy(db.prisma, {
      get: (target, name) => (name === 'run' ? run : name === '$queryRaw' ? queryRaw : Reflect.get(target, name)),
    })
    return { from: { ...db, prisma } as Database, sizes }
  }

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
  await db.prisma.$executeRaw`
    INSERT INTO runs (id, definition_id, version_id, source, time_zone, occurrence_key, occurrence_at, scheduled_for,
      grace_until, created_at, started_by_kind, started_by_name, last_line)
    SELECT gen_random_uuid(), ${event.definitionId}::uuid, ${event.versionId}::uuid, 'MANUAL', 'UTC', 'key ' || n,
      ${NOW}::timestamptz - n * interval '1 min', ${NOW}::timestamptz, ${NOW}::timestamptz, ${NOW}::timestamptz,
      'USER', 'Mira', 1
    FROM generate_series(1, ${MANY}) n`
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

test('a client that goes away leaves no listener behind', async () => {
  const listening: ((heard: RunChange | null) => void)[] = []
  const watched = new Changes()
  watched.onRuns = (listener) => {
    listening.push(listener)
    return () => listening.splice(listening.indexOf(listener), 1)
  }
  const events = await new Client(db, { changes: watched }).events(RUNS)
  const waiting = events.next()
  expect(listening).toHaveLength(1)
  await events.return?.()
  expect(await waiting).toEqual({ done: true, value: undefined })
  expect(listening).toEqual([])
})

test('a filter that is none is refused by the name of its field, and an id of nothing takes nothing', async () => {
  const client = new Client(db, { changes })
  const messageOf = async (filter: object) =>
    new Data(await client.subscribe(RUNS, { filter })).at('errors', 0, 'message')
  expect(await messageOf({ status: ['NOPE'] })).toMatch(/filter\.status/)
  expect(await messageOf({ scheduledFrom: 'soon' })).toMatch(/filter\.scheduledFrom/)
  expect(await messageOf({ owner: 'Mira' })).toMatch(/owner/)
  await newRun()
  const feed = await client.events(RUNS, { filter: { definitionId: 'nonsense' } })
  const waiting = feed.next()
  await feed.return?.()
  expect((await waiting).done).toBe(true)
})

test('what reads runs may subscribe to them, within the same limits', async () => {
  const client = new Client(db, { changes })
  const codeOf = async (source: string) =>
    new Data(await client.subscribe(source)).at('errors', 0, 'extensions', 'code')
  expect(
    await codeOf(
      'subscription { runs { run { definition { runs(first: 500) { edges { node { steps { seq } } } } } } } }',
    ),
  ).toBe('TOO_COMPLEX')
  expect(await codeOf(`subscription { runs { run { ${'steps { run { '.repeat(9)} id ${'} } '.repeat(9)} } } }`)).toBe(
    'TOO_COMPLEX',
  )
  for (const [role, code] of [
    [null, 'UNAUTHENTICATED'],
    ['EMITTER', 'FORBIDDEN'],
  ] as const) {
    client.role = role
    expect(await codeOf('subscription { runs { matches } }')).toBe(code)
  }
  client.role = 'VIEWER'
  const events = await client.events('subscription { runs { matches } }')
  await events.return?.()
})

test('it goes over a WebSocket', async () => {
  const id = await newRun()
  const log = createLogger({ level: 'error', format: 'json' }, { destination: { write: () => {} } })
  const url = await wiredApi({ db, clock: new FakeClock(NOW.getTime()), log })
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: 'Bearer viewer' },
  })
  onTestFinished(() => void client.dispose())
  const events = client.iterate({ query: RUNS, variables: { filter: { status: ['RUNNING'] } } })
  const run = { id: formatId('Run', id), definition: { slug: event.slug } }
  expect((await events.next()).value).toMatchObject({
    data: { runs: { matches: true, run: { ...run, status: 'RUNNING' } } },
  })
  const leaving = events.next()
  await change(id, { status: 'PAUSED' })
  expect((await leaving).value).toMatchObject({
    data: { runs: { matches: false, run: { ...run, status: 'PAUSED' } } },
  })
  await events.return?.()
})
