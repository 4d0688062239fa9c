import { expect, test } from 'vitest'
import { DatabaseClock } from '../../src/runner/database-clock.ts'
import { readDatabaseClock } from '../../src/store/clock.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { testDatabase } from '../support/database.ts'
import { T0 } from '../support/stage.ts'

const { db } = await testDatabase()
const never = new AbortController().signal
const MINUTE = 60_000

/** A machine whose clock shows `ahead` more than the database's, which takes `there` and `back` to be asked. */
function machine({ ahead = 0, there = 0, back = 0 } = {}) {
  const time = new FakeClock(T0 + ahead)
  const state = { ahead, there, back }
  const said: string[] = []
  const note = (_fields: object, message: string) => said.push(message)
  const clock = new DatabaseClock({
    machine: time,
    log: { info: note, warn: note, error: note },
    ask: async () => {
      time.moveBy(state.there)
      const database = time.now() - state.ahead
      time.moveBy(state.back)
      return database + 0.5
    },
  })
  /** How far it is from the database's. */
  const wrongBy = () => clock.now() - (time.now() - state.ahead)
  return { time, state, clock, said, wrongBy }
}

test.each([10 * MINUTE, -10 * MINUTE, 3, -3])('a machine that is %i ms ahead goes by the database', async (ahead) => {
  const { clock, wrongBy } = machine({ ahead })
  expect(wrongBy()).toBe(ahead)
  await clock.measure()
  // Its clock does not go back, once it was read.
  expect(wrongBy()).toBe(Math.max(ahead, 0))
  const unread = machine({ ahead })
  await unread.clock.measure()
  expect(unread.wrongBy()).toBe(0)
})

test('an offset below half the round trip that it was measured with counts as none', async () => {
  for (const [ahead, there, back] of [
    [0, 40, 0],
    [0, 0, 40],
    [15, 20, 20],
    [-15, 20, 20],
  ] as const) {
    const { clock, wrongBy } = machine({ ahead, there, back })
    await clock.measure()
    expect(wrongBy()).toBe(ahead)
  }
})

test('one above it is right within half the round trip', async () => {
  for (const [there, back] of [
    [80, 0],
    [0, 80],
    [30, 50],
  ] as const) {
    const { clock, wrongBy } = machine({ ahead: 10 * MINUTE, there, back })
    await clock.measure()
    expect(Math.abs(wrongBy())).toBeLessThanOrEqual(40)
  }
})

test('what a good measurement found a bad one does not change, and a better one puts right', async () => {
  const { clock, state, time, wrongBy } = machine({ ahead: -MINUTE, there: 60 })
  await clock.measure()
  expect(wrongBy()).toBe(30)
  state.there = 0
  await clock.measure()
  // It stands still until it is right.
  time.moveBy(30)
  expect(wrongBy()).toBe(0)
  state.back = 200
  await clock.measure()
  expect(wrongBy()).toBe(0)
})

test('it never goes back: set back, it stands still until it is right', async () => {
  const { clock, state, time, wrongBy } = machine()
  await clock.measure()
  const before = clock.now()
  state.ahead = 5_000
  await clock.measure()
  expect(clock.now()).toBe(before)
  time.moveBy(4_999)
  expect(clock.now()).toBe(before)
  time.moveBy(2)
  expect(clock.now()).toBe(before + 1)
  expect(wrongBy()).toBe(0)
})

test('who sleeps wakes on the instant by the database, also when the clock was put right meanwhile', async () => {
  const { clock, state, time } = machine({ ahead: MINUTE })
  await clock.measure()
  let awake = 0
  const sleep = (at: number) => void clock.sleepUntil(at, never).then(() => (awake += 1))
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  sleep(T0 + 1_000)
  time.moveBy(999)
  await turn()
  expect(awake).toBe(0)
  time.moveBy(1)
  await turn()
  expect(awake).toBe(1)
  // It turns out to be late.
  sleep(T0 + 10_000)
  state.ahead -= 9_000
  await clock.measure()
  await turn()
  expect(awake).toBe(2)
  // It turns out to be early.
  sleep(T0 + 20_000)
  state.ahead += 5_000
  await clock.measure()
  time.moveTo(T0 + 20_000 + state.ahead - 1)
  await turn()
  expect(awake).toBe(2)
  time.moveBy(1)
  await turn()
  expect(awake).toBe(3)
})

test('a signal wakes who sleeps, before or after it begins', async () => {
  const { clock } = machine()
  const woken = new AbortController()
  const slept = clock.sleepUntil(T0 + MINUTE, woken.signal)
  woken.abort('woken')
  await slept
  await clock.sleepUntil(T0 + MINUTE, woken.signal)
})

test('a clock that is off by a second and more is said once, and again when that changes', async () => {
  const { clock, state, said } = machine({ ahead: 10 * MINUTE })
  await clock.measure()
  await clock.measure()
  state.ahead = -2_500
  await clock.measure()
  state.ahead = 0
  await clock.measure()
  expect(said).toEqual([
    "this machine's clock is 600 s ahead of the database's, which counts; set it by NTP",
    "this machine's clock is 2.5 s behind the database's, which counts; set it by NTP",
    "this machine's clock is right again, by the database's",
  ])
})

test("a real database's clock is read, and one on this machine is not off", async () => {
  const before = Date.now()
  const read = await readDatabaseClock(db)
  // Wide: a database elsewhere may be off, and CI's is here.
  expect(Math.abs(read - before)).toBeLessThan(10 * MINUTE)
  const clock = new DatabaseClock({ ask: () => readDatabaseClock(db), log: { info() {}, warn() {}, error() {} } })
  await clock.start()
  const now = clock.now()
  expect(Math.abs((await readDatabaseClock(db)) - now)).toBeLessThan(5_000)
  await clock.stop()
})
