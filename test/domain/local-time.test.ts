import { expect, test } from 'vitest'
import { isLocalDate, isLocalDateTime, isUtcInstant } from '../../src/domain/local-time.ts'

test.each([
  ['2026-03-06T20:00', true],
  ['2026-03-06T20:00:59', true],
  ['2028-02-29T00:00', true],
  ['0001-01-01T00:00', true],
  ['0000-01-01T00:00', false],
  ['2026-02-29T00:00', false],
  ['2026-13-01T00:00', false],
  ['2026-04-31T00:00', false],
  ['2026-03-06T24:00', false],
  ['2026-03-06T20:60', false],
  ['2026-03-06T20:00:60', false],
  ['2026-03-06T20:00:00.5', false],
  ['2026-03-06T20', false],
  ['2026-03-06', false],
  ['2026-03-06T20:00Z', false],
  ['', false],
])('%s is a local date-time: %s', (text, is) => {
  expect(isLocalDateTime(text)).toBe(is)
})

test('dates and instants are told apart from local date-times', () => {
  expect(['2026-12-25', '2026-02-30', '2026-12-25T20:00'].map(isLocalDate)).toEqual([true, false, false])
  expect(
    ['2026-12-25T20:00Z', '2026-12-25T20:00:00Z', '2026-02-30T20:00Z', '2026-12-25T20:00', 'Z'].map(isUtcInstant),
  ).toEqual([true, true, false, false, false])
  expect(['2026-12-25T20:00:00.000Z', '2026-12-25T20:00.000Z', '2026-12-25T20:00:00.0Z'].map(isUtcInstant)).toEqual([
    true,
    false,
    false,
  ])
})
