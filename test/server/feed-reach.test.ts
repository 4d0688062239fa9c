import { expect, test } from 'vitest'
import { reachOf } from '../../src/server/feed-reach.ts'
import { randomFrom } from '../support/random.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-03-06T12:00:00Z')
const bounds = { back: 30, ahead: 180, events: 100, bytes: 10_000 }

const item = (days: number, bytes = 1) => ({ uid: `${days}`, at: NOW + days * DAY, bytes })
const days = (...all: number[]) => all.map((day) => item(day))
const of = (items: ReturnType<typeof item>[], knownUntil = NOW + 180 * DAY) => {
  const { shown, ...reach } = reachOf(items, { now: NOW, knownUntil, bounds })
  return { ...reach, shown: shown.map(({ uid }) => Number(uid)) }
}
const spread = (count: number, from: number, to: number) =>
  Array.from({ length: count }, (_, index) => item(from + ((to - from) * index) / count))

test('what fits is shown in order, as far as the feed reaches', () => {
  expect(of(days(3, -29, 179, 0, -30, 180))).toEqual({ back: 30, ahead: 180, cut: false, shown: [-29, 0, 3, 179] })
})

test('the past is shortened first; the future where it alone is too much, by number or by bytes', () => {
  expect(of([...spread(90, 0, 180), ...spread(30, -30, 0)])).toMatchObject({ back: 7.5, ahead: 180, cut: false })
  expect(of([...spread(190, 0, 180), ...days(-20)])).toMatchObject({ back: 30, ahead: 90, cut: false })
  expect(of([item(1, 6_000), item(100, 6_000), item(-20, 4_000)])).toEqual({
    back: 30,
    ahead: 90,
    cut: false,
    shown: [-20, 1],
  })
})

test('it reaches no further than everything is known', () => {
  expect(of(days(1, 2), NOW + 50 * DAY)).toMatchObject({ ahead: 45, cut: false })
  expect(of(days(0), NOW + 1)).toMatchObject({ ahead: 180 / 256, cut: true, shown: [0] })
})

test('what is too much in the shortest reach is cut by its distance from now, whatever order it comes in', () => {
  const crowd = [...spread(120, 0, 0.1), ...spread(60, -0.1, 0), ...days(100, -20)]
  const cut = of(crowd)
  expect(cut).toMatchObject({ back: 30 / 256, ahead: 180 / 256, cut: true })
  expect(cut.shown).toHaveLength(100)
  const furthest = Math.max(...cut.shown.map(Math.abs))
  expect(
    crowd.filter(({ uid }) => Math.abs(Number(uid)) < furthest).every(({ uid }) => cut.shown.includes(Number(uid))),
  ).toBe(true)
  const random = randomFrom(20_260_306)
  const shuffled = crowd.map((one) => ({ one, by: random() })).sort((a, b) => a.by - b.by)
  expect(of(shuffled.map(({ one }) => one))).toEqual(cut)
  // Where the future has room, the past alone is cut.
  const past = of([...spread(90, 0, 180), ...spread(60, -0.05, 0)])
  expect(past).toMatchObject({ back: 30 / 256, ahead: 180, cut: true })
  expect(past.shown).toHaveLength(100)
})
