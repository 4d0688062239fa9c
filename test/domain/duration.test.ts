import { expect, test } from 'vitest'
import { formatDuration, parseDuration } from '../../src/domain/duration.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

test.each([
  ['90s', 90_000],
  ['30m', 1_800_000],
  ['2h', 2 * HOUR],
  ['1h30m', 1.5 * HOUR],
  ['1d', DAY],
  ['1d2h3m4s', DAY + 2 * HOUR + 184_000],
  [' 1h 30m ', 1.5 * HOUR],
  ['90m', 1.5 * HOUR],
  ['PT30M', 1_800_000],
  ['PT1H30M', 1.5 * HOUR],
  ['P1DT1S', DAY + 1_000],
  ['P1W', 7 * DAY],
  ['366d', 366 * DAY],
])('reads %s', (text, ms) => {
  expect(parseDuration(text)).toEqual({ ok: true, ms })
})

test.each([
  ['', 'must be a duration'],
  ['0s', 'longer than zero'],
  ['PT0M', 'longer than zero'],
  ['-5m', 'negative'],
  ['PT-5M', 'negative'],
  ['90', 'needs a unit'],
  ['1.5h', 'whole numbers'],
  ['PT0.5H', 'whole numbers'],
  ['P1Y', 'years and months vary'],
  ['P2M', 'years and months vary'],
  ['367d', 'at most 366 d'],
  ['P53W', 'at most 366 d'],
  [`${'9'.repeat(400)}d`, 'at most 366 d'],
  ['soon', 'is none'],
  ['30m1h', 'is none'],
  ['30M', 'is none'],
  ['5ms', 'is none'],
  ['P', 'is none'],
  ['PT', 'is none'],
  ['P1DT', 'is none'],
])('refuses %j and says why', (text, why) => {
  expect(parseDuration(text)).toEqual({ ok: false, problem: expect.stringContaining(why) })
})

test('takes a shorter maximum and names it', () => {
  expect(parseDuration('7d', { max: 7 * DAY })).toEqual({ ok: true, ms: 7 * DAY })
  expect(parseDuration('7d1s', { max: 7 * DAY })).toEqual({
    ok: false,
    problem: expect.stringContaining('at most 7 d,'),
  })
})

test('does not repeat a text of any length in the problem', () => {
  const parsed = parseDuration('x'.repeat(100_000))
  expect(JSON.stringify(parsed).length).toBeLessThan(300)
})

test.each([
  [0, '0 s'],
  [-1, '0 s'],
  [250, '250 ms'],
  [1_500, '1.5 s'],
  [90_000, '1 min 30 s'],
  [1.5 * HOUR, '1 h 30 min'],
  [7 * DAY, '7 d'],
  [DAY + 1_000, '1 d 1 s'],
])('%d ms reads %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
