import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromLocalField, localOddity, toLocalField } from '../../src/console/time/local-field.ts'

const zoneBefore = process.env.TZ
beforeAll(() => {
  process.env.TZ = 'Europe/Berlin'
  expect(new Date('2031-07-01T12:00:00Z').getHours()).toBe(14)
})
afterAll(() => {
  if (zoneBefore === undefined) delete process.env.TZ
  else process.env.TZ = zoneBefore
})

/** The clocks of Berlin go back at 01:00 UTC, from 03:00 to 02:00; in March forward, from 02:00 to 03:00. */
const FIRST = '2031-10-26T00:30:00.000Z'
const SECOND = '2031-10-26T01:30:00.000Z'

test('an instant that fills a field and is left there is the same instant, on every half hour of a year', () => {
  const end = Date.parse('2032-01-01T00:00:00Z')
  for (let at = Date.parse('2031-01-01T00:00:00Z'); at < end; at += 1_800_000) {
    const instant = new Date(at).toISOString()
    expect(fromLocalField(toLocalField(instant), instant)).toBe(instant)
  }
})

test('of two equal hours the one is kept that the field was filled with, and the first is taken of what is typed', () => {
  expect(toLocalField(SECOND)).toBe('2031-10-26T02:30:00')
  expect(toLocalField(FIRST)).toBe('2031-10-26T02:30:00')
  expect(fromLocalField('2031-10-26T02:30:00', SECOND)).toBe(SECOND)
  // Browsers leave out seconds that are none.
  expect(fromLocalField('2031-10-26T02:30', SECOND)).toBe(SECOND)
  expect(fromLocalField('2031-10-26T02:30')).toBe(FIRST)
  expect(fromLocalField('2031-10-26T02:45', SECOND)).toBe('2031-10-26T00:45:00.000Z')
  expect(fromLocalField('', SECOND)).toBeNull()
  expect(fromLocalField('soon', SECOND)).toBeNull()
})

test('milliseconds that no field shows are kept', () => {
  const instant = '2031-07-01T12:00:00.250Z'
  expect(fromLocalField(toLocalField(instant), instant)).toBe(instant)
})

test.each([
  ['2031-10-26T02:30', FIRST, 'The clock of this device shows 02:30 twice on that day; the first is taken.'],
  ['2031-10-26T02:30:00', SECOND, 'The clock of this device shows 02:30:00 twice on that day; the second is taken.'],
  [
    '2031-10-26T02:00',
    '2031-10-26T01:00:00.000Z',
    'The clock of this device shows 02:00 twice on that day; the second is taken.',
  ],
  ['2031-10-26T01:59', '2031-10-25T23:59:00.000Z', null],
  ['2031-10-26T03:00', '2031-10-26T02:00:00.000Z', null],
  ['2031-03-30T02:30', '2031-03-30T01:30:00.000Z', 'The clock of this device skips 02:30 on that day; 03:30 is taken.'],
  ['2031-03-30T01:59:59', '2031-03-30T00:59:59.000Z', null],
  ['2031-03-30T03:00', '2031-03-30T01:00:00.000Z', null],
  ['2031-07-01T14:00', '2031-07-01T12:00:00.250Z', null],
])('%s as %s: %s', (text, instant, sentence) => {
  expect(localOddity(text, instant)).toBe(sentence)
  if (sentence?.includes('skips')) expect(fromLocalField(text)).toBe(instant)
})
