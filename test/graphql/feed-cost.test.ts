import { expect, test } from 'vitest'
import { Changes } from '../../src/store/changes.ts'
import { insertStep, parkedSince } from './fixtures.ts'
import { followCues } from './pulled.ts'
import {
  changed,
  changes,
  counting,
  db,
  feedOf,
  insertMany,
  later,
  NEVER,
  newRun,
  next,
  nextOnes,
  onOutage,
  tell,
} from './run-feed.ts'

const REST_MS = 200
const CHANGES = 100

test('however many changes of runs are told of, what is asked of the database is bounded by time', async () => {
  const { from, sizes } = counting()
  const [busy, last] = [await newRun(), await newRun()]
  const feed = feedOf({}, { from, restMs: REST_MS })
  await nextOnes(feed, 2)
  const before = sizes.length
  const startedAt = performance.now()
  let seen = 0
  const reading = (async () => {
    while ((await next(feed)).id !== last) seen++
  })()
  for (let times = 0; times < CHANGES; times++) await changed(busy, { health: times % 2 === 0 ? 'STALLED' : 'OK' })
  await changed(last)
  await reading
  const looks = (performance.now() - startedAt) / REST_MS + 2
  expect(seen).toBeGreaterThan(0)
  expect(seen).toBeLessThanOrEqual(looks)
  // What is new, and the rows; and what was left of the first look at everything.
  expect(sizes.length - before).toBeLessThanOrEqual(looks * 2 + 3)
})

test('what is told of while a reader takes what came before is read after the rest, though nobody tells of it again', async () => {
  const [one, two] = [await newRun(), await newRun()]
  const feed = feedOf({}, { restMs: 20 })
  await nextOnes(feed, 2)
  const first = feed.next()
  for (const id of [one, two]) await changed(id, { health: 'STALLED' })
  await first
  await changed(one, { status: 'PAUSED' })
  const events = [await next(feed)]
  while (events.at(-1)?.status !== 'PAUSED') events.push(await next(feed))
  expect(events.at(-1)).toEqual({ id: one, status: 'PAUSED', matches: true })
})

test('a change of cues in a while is told at once; of many in a short time, all that are open are read once in a rest', async () => {
  const runId = await newRun()
  const { from, sizes } = counting()
  const source = followCues({ db: from, changes }, { scope: null, onOutage, pollMs: NEVER, restMs: REST_MS })
  const startedAt = performance.now()
  const opened: string[] = []
  const reading = (async () => {
    for await (const { cue } of source) if (opened.push(cue.id) === CHANGES) return
  })()
  const inserted: string[] = []
  for (let seq = 0; seq < CHANGES; seq++) {
    inserted.push(await insertStep(db, runId, { ...parkedSince(later(seq)), seq }))
    changes.publish({ runId, line: 0, cues: true })
  }
  await reading
  expect(opened).toEqual(inserted)
  expect(sizes.length).toBeLessThanOrEqual((performance.now() - startedAt) / REST_MS + 2)
})

test('no more runs are remembered than a bound while they wait to be read, however many there are', async () => {
  const MANY = 9_000
  await insertMany(MANY, 'SCHEDULED')
  const { from, sizes } = counting()
  const feed = feedOf({ status: ['SCHEDULED'] }, { from })
  const TAKEN = 900
  await nextOnes(feed, TAKEN)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MANY)
  const rest = await nextOnes(feed, MANY - TAKEN)
  expect(new Set(rest.map(({ id }) => id)).size).toBe(MANY - TAKEN)
})

test('the longer a look at everything takes, the longer the pause after it', async () => {
  const SLOW_MS = 20
  await newRun()
  const { from, asked } = counting({ slowMs: SLOW_MS })
  const feed = feedOf({ status: ['RUNNING'] }, { from, of: new Changes(), pollMs: 1 })
  await next(feed)
  const nothing = feed.next()
  const before = asked.length
  while (asked.length < before + 2) await new Promise((resolve) => setTimeout(resolve, 5))
  const [first = 0, second = 0] = asked.slice(-2)
  expect(second - first).toBeGreaterThan(SLOW_MS * 5)
  await feed.return?.()
  await nothing
})

test('a feed that is ended while it rests ends at once', async () => {
  const id = await newRun()
  const feed = feedOf({}, { restMs: NEVER })
  await next(feed)
  const waiting = feed.next()
  await changed(id)
  tell(id)
  await feed.return?.()
  expect(await waiting).toEqual({ done: true, value: undefined })
})

test('a cue that opens while a reader takes those before it is told after the rest, though nobody tells of it again', async () => {
  const runId = await newRun()
  const open = (seq: number) => insertStep(db, runId, { ...parkedSince(later(seq)), seq })
  const opened = [await open(0), await open(1)]
  const source = followCues({ db, changes }, { scope: null, onOutage, pollMs: NEVER, restMs: 5 })
  const told = [(await source.next()).value?.cue.id]
  opened.push(await open(2))
  changes.publish({ runId, line: 0, cues: true })
  for (let times = 0; times < 2; times++) told.push((await source.next()).value?.cue.id)
  expect(told).toEqual(opened)
  await source.return?.()
})
