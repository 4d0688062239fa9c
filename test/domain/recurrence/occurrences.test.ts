import { expect, test } from 'vitest'
import { IntlZones } from '../../../src/domain/recurrence/intl-zones.ts'
import { nextOccurrences, occurrenceOfKey } from '../../../src/domain/recurrence/occurrences.ts'
import { compileSchedule } from '../../../src/domain/recurrence/schedule.ts'
import { warningsOf } from '../../../src/domain/recurrence/warnings.ts'
import type { ZoneData } from '../../../src/domain/recurrence/zone-data.ts'
import { between, DAY_MS, keysOf, recurring } from './schedules.ts'

const zones = new IntlZones()
const LONDON = { zone: 'Europe/London', zones }

test('a key is the nominal local time, also where the clocks skip it; seconds show where there are some', () => {
  const compiled = compileSchedule(recurring({ start: '2026-03-28T01:30', rule: 'FREQ=DAILY' }), 'Europe/London', zones)
  expect(between(compiled, ['2026-03-28', '2026-03-30'])).toEqual([
    { at: Date.parse('2026-03-28T01:30Z'), key: '2026-03-28T01:30', local: '2026-03-28T01:30' },
    {
      at: Date.parse('2026-03-29T01:30Z'),
      key: '2026-03-29T01:30',
      local: '2026-03-29T01:30',
      adjusted: 'GAP',
      shiftMinutes: 60,
    },
  ])
  const seconds = { start: '2026-05-01T20:00:30', rule: 'FREQ=DAILY;COUNT=1' }
  expect(keysOf(seconds, { ...LONDON, window: ['2026-05-01', '2026-06-01'] })).toEqual(['2026-05-01T20:00:30'])
})

test('the key of an elapsed rule and of an include in UTC is the instant, as a run started by hand has it', () => {
  const schedule = {
    start: '2026-05-01T20:00',
    rule: 'FREQ=HOURLY;COUNT=1',
    include: ['2026-05-02T10:00:00.000Z', '2026-05-02T12:00'],
  }
  const compiled = compileSchedule(recurring(schedule), 'Europe/London', zones)
  expect(between(compiled, ['2026-05-01', '2026-06-01']).map(({ key, local }) => [key, local])).toEqual([
    ['2026-05-01T19:00:00.000Z', '2026-05-01T20:00'],
    ['2026-05-02T10:00:00.000Z', '2026-05-02T11:00'],
    ['2026-05-02T12:00', '2026-05-02T12:00'],
  ])
  expect(occurrenceOfKey(compiled, '2026-05-01T20:00')).toBeNull()
})

test('a key stays where zone data moves its instant', () => {
  const schedule = recurring({ start: '2026-11-01T20:00', rule: 'FREQ=DAILY' })
  const later: ZoneData = { version: 'x', has: () => true, offset: (zone, at) => zones.offset(zone, at) + 3_600_000 }
  const [before] = nextOccurrences(compileSchedule(schedule, 'Europe/London', zones), Date.parse('2026-11-05'), 1)
  const after = occurrenceOfKey(compileSchedule(schedule, 'Europe/London', later), before?.key ?? '')
  expect(after?.key).toBe('2026-11-05T20:00')
  expect(after?.at).toBe((before?.at ?? 0) - 3_600_000)
})

test('only the one form of a key is a key, and only while its schedule has it', () => {
  const schedule = {
    start: '2026-05-01T20:00',
    rule: 'FREQ=DAILY;UNTIL=20260510',
    exclude: ['2026-05-03', '2026-05-04T20:00', '2026-05-05T19:00Z'],
    include: ['2026-06-01T12:00', '2026-05-03T21:00'],
  }
  const compiled = compileSchedule(recurring(schedule), 'Europe/London', zones)
  const has = (key: string) => occurrenceOfKey(compiled, key) !== null
  for (const key of ['2026-05-01T20:00', '2026-05-10T20:00', '2026-06-01T12:00']) expect(has(key), key).toBe(true)
  for (const key of [
    '2026-04-30T20:00',
    '2026-05-01T20:01',
    '2026-05-01T20:00:00',
    '2026-05-01T19:00:00.000Z',
    '2026-05-03T20:00',
    '2026-05-03T21:00',
    '2026-05-04T20:00',
    '2026-05-05T20:00',
    '2026-05-11T20:00',
    '',
    'soon',
    '2026',
  ]) {
    expect(has(key), key).toBe(false)
  }
})

test('once is one occurrence, and manual none', () => {
  const once = compileSchedule({ once: { at: '2026-07-01T20:00' } }, 'Europe/London', zones)
  expect(nextOccurrences(once, 0, 5)).toEqual([
    { at: Date.parse('2026-07-01T19:00Z'), key: '2026-07-01T20:00', local: '2026-07-01T20:00' },
  ])
  expect(occurrenceOfKey(once, '2026-07-01T20:00')?.at).toBe(Date.parse('2026-07-01T19:00Z'))
  expect(nextOccurrences(once, Date.parse('2026-07-02'), 5)).toEqual([])
  expect(nextOccurrences(compileSchedule({ manual: true }, 'UTC', zones), 0, 5)).toEqual([])
})

test('an exclusion of a day goes by the nominal day, before what falls together is merged', () => {
  const apia = (exclude: string[]) => {
    const schedule = recurring({ start: '2011-12-29T12:00', rule: 'FREQ=DAILY;COUNT=4', exclude })
    return between(compileSchedule(schedule, 'Pacific/Apia', zones), ['2011-12-01', '2012-02-01']).map(
      ({ local, adjusted }) => [local, adjusted],
    )
  }
  expect(apia([])).toEqual([
    ['2011-12-29T12:00', undefined],
    ['2011-12-31T12:00', undefined],
    ['2012-01-01T12:00', undefined],
  ])
  expect(apia(['2011-12-30'])).toEqual(apia([]))
  expect(apia(['2011-12-31'])[1]).toEqual(['2011-12-30T12:00', 'GAP'])
  expect(apia(['2011-12-30', '2011-12-31'])).toEqual([
    ['2011-12-29T12:00', undefined],
    ['2012-01-01T12:00', undefined],
  ])
})

test('an excluded occurrence counts, an extra date does not', () => {
  const schedule = {
    start: '2026-05-01T20:00',
    rule: 'FREQ=DAILY;COUNT=3',
    exclude: ['2026-05-02'],
    include: ['2026-04-01T08:00'],
  }
  expect(keysOf(schedule, { ...LONDON, window: ['2026-01-01', '2027-01-01'] })).toEqual([
    '2026-04-01T08:00',
    '2026-05-01T20:00',
    '2026-05-03T20:00',
  ])
})

test('what falls on one instant is one entry, of the rule rather than of an extra date', () => {
  const schedule = {
    start: '2026-03-08T02:30',
    rule: 'FREQ=DAILY;COUNT=2',
    include: ['2026-03-08T03:30', '2026-03-09T06:30Z', '2026-03-09T02:30'],
  }
  const compiled = compileSchedule(recurring(schedule), 'America/New_York', zones)
  expect(between(compiled, ['2026-03-01', '2026-04-01'])).toEqual([
    { at: Date.parse('2026-03-08T07:30Z'), key: '2026-03-08T03:30', local: '2026-03-08T03:30' },
    { at: Date.parse('2026-03-09T06:30Z'), key: '2026-03-09T02:30', local: '2026-03-09T02:30' },
  ])
})

test('plain and numbered weekdays in one list are either', () => {
  const schedule = { start: '2026-05-01T20:00', rule: 'FREQ=MONTHLY;BYDAY=-1SU,WE' }
  expect(keysOf(schedule, { zones, window: ['2026-05-01', '2026-06-01'] }).map((key) => key.slice(8, 10))).toEqual([
    '06',
    '13',
    '20',
    '27',
    '31',
  ])
})

test('UNTIL on the wall clock ends an elapsed rule by what the clocks show', () => {
  const schedule = { start: '2026-10-25T00:00', rule: 'FREQ=HOURLY;UNTIL=20261025T013000' }
  expect(keysOf(schedule, { ...LONDON, window: ['2026-10-24', '2026-10-26'] })).toEqual([
    '2026-10-24T23:00:00.000Z',
    '2026-10-25T00:00:00.000Z',
    '2026-10-25T01:00:00.000Z',
  ])
})

test('a preview looks 60 years ahead', () => {
  const compiled = compileSchedule(recurring({ start: '2096-02-29T12:00', rule: 'FREQ=YEARLY' }), 'UTC', zones)
  expect(nextOccurrences(compiled, Date.parse('2026-01-01'), 3)).toEqual([])
  expect(nextOccurrences(compiled, Date.parse('2050-01-01'), 3).map(({ key }) => key)).toEqual([
    '2096-02-29T12:00',
    '2104-02-29T12:00',
    '2108-02-29T12:00',
  ])
})

test('a window of thousands of years is walked once, and the limit is kept', () => {
  const compiled = compileSchedule(recurring({ start: '2026-01-01T12:00', rule: 'FREQ=YEARLY' }), 'UTC', zones)
  expect(between(compiled, ['2026-01-01', '9999-12-31T23:59:59.999Z'])).toHaveLength(9999 - 2026 + 1)
  expect(nextOccurrences(compiled, Date.parse('2026-01-02') - DAY_MS, 1)).toHaveLength(1)
})

test('however dense a rule, asking for one instant or day of it reads few offsets', () => {
  let reads = 0
  const counted: ZoneData = {
    version: 'counted',
    has: (zone) => zones.has(zone),
    offset: (zone, at) => {
      reads += 1
      return zones.offset(zone, at)
    },
  }
  const minutes = Array.from({ length: 60 }, (_, minute) => minute).join()
  const rule = `FREQ=DAILY;BYHOUR=${Array.from({ length: 24 }, (_, hour) => hour).join()};BYMINUTE=${minutes}`
  const dense = { start: '2026-01-01T00:00', rule, include: [] }
  const compiled = compileSchedule({ recurring: { ...dense, exclude: [] } }, 'Europe/Berlin', counted)
  for (const key of ['2026-03-06T20:00', '2026-03-29T03:30', '2026-10-25T02:30']) {
    reads = 0
    expect(occurrenceOfKey(compiled, key)?.key).toBe(key)
    expect(reads).toBeLessThan(100)
  }
  // Merged with the ordinary one that it is moved onto.
  expect(occurrenceOfKey(compiled, '2026-03-29T02:30')).toBeNull()
  reads = 0
  const exclude = ['2026-03-06', '2026-03-29', '2026-03-06T20:00', '2026-03-06T20:00:30']
  expect(warningsOf({ recurring: { ...dense, exclude } }, 'Europe/Berlin', counted)).toMatchObject([
    { path: 'schedule.recurring.exclude[3]' },
  ])
  expect(reads).toBeLessThan(500)
})

test('a rule of every minute that begins in decades is found in few steps, and few of its times at once', () => {
  const counted = { questions: 0 }
  const counting: ZoneData = {
    version: 'x',
    has: () => true,
    offset: (zone, at) => {
      counted.questions += 1
      return zones.offset(zone, at)
    },
  }
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n).join(',')
  for (const rule of ['FREQ=MINUTELY;INTERVAL=5', `FREQ=DAILY;BYHOUR=${numbers(24)};BYMINUTE=${numbers(60)}`]) {
    const schedule = recurring({ start: '2070-01-01T00:00', rule })
    const compiled = compileSchedule(schedule, 'Europe/London', counting)
    counted.questions = 0
    expect(nextOccurrences(compiled, Date.parse('2026-05-01'), 1).map(({ at }) => at)).toEqual([
      Date.parse('2070-01-01'),
    ])
    expect(counted.questions).toBeLessThan(100_000)
  }
})
