import { expect, test } from 'vitest'
import { showInstant } from '../../src/console/time/clock-text.ts'

const MIDDAY = '2040-01-06T12:00:00.000Z'
const seenAt = (now: string) => showInstant(MIDDAY, 'UTC', Date.parse(now)).text

test('a day is shown without its year where that is plain, and with it where another would look the same', () => {
  expect(seenAt('2039-12-30T12:00:00Z')).toMatch(/^Fri 6 Jan, \d\d:\d\d$/)
  expect(seenAt('2040-03-01T12:00:00Z')).toMatch(/^Fri 6 Jan, \d\d:\d\d$/)
  for (const now of ['2026-11-30T12:00:00Z', '2039-01-06T12:00:00Z', '2041-01-06T12:00:00Z'])
    expect(seenAt(now)).toMatch(/^Fri,? 6 Jan 2040, \d\d:\d\d$/)
})
