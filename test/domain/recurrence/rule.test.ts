import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { IntlZones } from '../../../src/domain/recurrence/intl-zones.ts'
import { nextOccurrences, occurrencesBetween } from '../../../src/domain/recurrence/occurrences.ts'
import { schedulePhrase } from '../../../src/domain/recurrence/phrase.ts'
import { parseRule } from '../../../src/domain/recurrence/rule.ts'
import { compileSchedule, InvalidSchedule } from '../../../src/domain/recurrence/schedule.ts'
import { Draw, recurring, seedOf } from './schedules.ts'

const zones = new IntlZones()

test.each([
  ['', 'must not be empty'],
  ['   ', 'must not be empty'],
  [`FREQ=DAILY;BYHOUR=${'0,'.repeat(250)}0`, 'at most 500 characters'],
  ['INTERVAL=2', 'FREQ is missing'],
  ['FREQ=SECONDLY', 'SECONDLY is too often'],
  ['FREQ=FORTNIGHTLY', 'FREQ must be one of'],
  ['FREQ=', 'FREQ must be one of'],
  ['FREQ=DAILY;BYSECOND=30', 'BYSECOND is not supported'],
  ['FREQ=YEARLY;BYWEEKNO=20', 'BYWEEKNO is not supported'],
  ['FREQ=YEARLY;BYYEARDAY=100', 'BYYEARDAY is not supported'],
  ['FREQ=DAILY;BYEASTER=0', '"BYEASTER" is not known'],
  ['FREQ=DAILY;X-MINE=1', '"X-MINE" is not known'],
  ['FREQ=DAILY;CONSTRUCTOR=1', '"CONSTRUCTOR" is not known'],
  ['FREQ=DAILY;', '"" is no part of a rule'],
  ['FREQ=DAILY;BYDAY', '"BYDAY" is no part of a rule'],
  ['FREQ=DAILY; BYDAY=MO', '" BYDAY=MO" is no part of a rule'],
  ['FREQ:DAILY', '"FREQ:DAILY" is no part of a rule'],
  ['RRULE:FREQ=DAILY', 'take "RRULE:" out'],
  ['FREQ=DAILY;DTSTART=20260306T200000', 'write it as "start"'],
  ['DTSTART:20260306T200000\nRRULE:FREQ=DAILY', 'write it as "start"'],
  ['FREQ=DAILY;EXDATE=20260306', 'write them as "exclude"'],
  ['FREQ=WEEKLY;BYDAY=MO;BYDAY=TU', 'BYDAY may be there only once'],
  ['FREQ=DAILY;COUNT=3;UNTIL=20261231', 'COUNT and UNTIL exclude each other'],
  ['FREQ=DAILY;COUNT=0', 'COUNT must be a whole number from 1 to 10000'],
  ['FREQ=DAILY;COUNT=10001', 'COUNT must be a whole number from 1 to 10000'],
  ['FREQ=DAILY;INTERVAL=0', 'INTERVAL must be a whole number from 1'],
  ['FREQ=DAILY;INTERVAL=-1', 'INTERVAL must be a whole number from 1'],
  ['FREQ=DAILY;INTERVAL=1.5', 'INTERVAL must be a whole number from 1'],
  ['FREQ=DAILY;INTERVAL=99999999999999999999', 'INTERVAL must be a whole number from 1'],
  ['FREQ=MINUTELY', 'INTERVAL must be 5 or more with FREQ=MINUTELY, and it is 1'],
  ['FREQ=MINUTELY;INTERVAL=4', 'INTERVAL must be 5 or more with FREQ=MINUTELY, and it is 4'],
  ['FREQ=WEEKLY;BYDAY=XX', 'BYDAY must be a list of MO'],
  ['FREQ=WEEKLY;BYDAY=', 'BYDAY must be a list of MO'],
  ['FREQ=MONTHLY;BYDAY=0SA', 'BYDAY must be a list of MO'],
  ['FREQ=WEEKLY;BYDAY=1SA', 'BYDAY may number its days'],
  ['FREQ=DAILY;BYDAY=-1FR', 'BYDAY may number its days'],
  ['FREQ=HOURLY;BYDAY=1FR', 'BYDAY may number its days'],
  ['FREQ=MONTHLY;BYDAY=6SA', 'BYDAY may count to 5 in a month'],
  ['FREQ=YEARLY;BYMONTH=3;BYDAY=-6SA', 'BYDAY may count to 5 in a month'],
  ['FREQ=YEARLY;BYDAY=54SA', 'BYDAY may count to 53 in a year'],
  ['FREQ=MONTHLY;BYMONTHDAY=32', 'BYMONTHDAY must be a list of whole numbers from 1 to 31 or -31 to -1'],
  ['FREQ=MONTHLY;BYMONTHDAY=0', 'BYMONTHDAY must be a list'],
  ['FREQ=WEEKLY;BYMONTHDAY=13', 'BYMONTHDAY may not be used with FREQ=WEEKLY'],
  ['FREQ=YEARLY;BYMONTH=13', 'BYMONTH must be a list of whole numbers from 1 to 12'],
  ['FREQ=YEARLY;BYMONTH=-1', 'BYMONTH must be a list of whole numbers from 1 to 12'],
  ['FREQ=DAILY;BYHOUR=24', 'BYHOUR must be a list of whole numbers from 0 to 23'],
  ['FREQ=DAILY;BYMINUTE=60', 'BYMINUTE must be a list of whole numbers from 0 to 59'],
  ['FREQ=HOURLY;BYMINUTE=0,30', 'BYMINUTE may not be used with FREQ=HOURLY'],
  ['FREQ=MINUTELY;INTERVAL=5;BYMINUTE=0', 'BYMINUTE may not be used with FREQ=MINUTELY'],
  ['FREQ=DAILY;BYSETPOS=1', 'BYSETPOS may be used only with FREQ=MONTHLY and FREQ=YEARLY'],
  ['FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=1', 'BYSETPOS may be used only with FREQ=MONTHLY and FREQ=YEARLY'],
  ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', 'BYSETPOS must be a list'],
  ['FREQ=WEEKLY;WKST=XX', 'WKST must be one of'],
  ['FREQ=DAILY;UNTIL=2026-12-31', 'UNTIL must be a date like 20261231'],
  ['FREQ=DAILY;UNTIL=20260230', 'UNTIL must be a date like 20261231'],
  ['FREQ=DAILY;UNTIL=20261231T2400', 'UNTIL must be a date like 20261231'],
])('%j is refused with one sentence: %s', (rule, message) => {
  const { rule: parsed, problems } = parseRule(rule)
  expect(parsed).toBeNull()
  expect(problems.filter((problem) => problem.includes(message))).toHaveLength(1)
  for (const problem of problems) expect(problem).toMatch(/^[A-Z"].*; .*\.$|^FREQ=SECONDLY.*\.$|^The .*\.$/)
})

test('every problem of a rule is named at once', () => {
  const { problems } = parseRule('FREQ=WEEKLY;INTERVAL=0;BYDAY=1SA,TU;BYSETPOS=1;BYWEEKNO=3;COUNT=2;UNTIL=20261231')
  expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
    'BYWEEKNO',
    'INTERVAL',
    'COUNT',
    'BYDAY',
    'BYSETPOS',
  ])
})

test('keys and values may be in small letters, in any order', () => {
  expect(parseRule('byday=fr;freq=weekly')).toEqual(parseRule('FREQ=WEEKLY;BYDAY=FR'))
})

const message = (start: string, rule: string, zone = 'UTC'): string => {
  try {
    compileSchedule(recurring({ start, rule }), zone, zones)
    return ''
  } catch (error) {
    if (error instanceof InvalidSchedule) return error.message
    throw error
  }
}

test.each([
  ['2026-03-06T20:00', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'],
  ['2026-03-06T20:00', 'FREQ=MONTHLY;BYMONTH=4,6,9,11;BYMONTHDAY=31'],
  ['2026-03-06T20:00', 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'],
  ['2027-02-28T20:00', 'FREQ=YEARLY;INTERVAL=4;BYMONTHDAY=29;BYMONTH=2'],
  ['2026-03-06T20:00', 'FREQ=MONTHLY;BYDAY=1MO;BYSETPOS=2'],
  ['2026-03-06T20:00', 'FREQ=MONTHLY;BYDAY=1MO;BYMONTHDAY=8'],
  ['2026-03-06T20:00', 'FREQ=HOURLY;INTERVAL=24;BYHOUR=19'],
  ['2026-03-06T20:00', 'FREQ=MINUTELY;INTERVAL=1440;BYMONTH=2;BYMONTHDAY=30'],
  ['9999-12-31T20:00', 'FREQ=MONTHLY;BYMONTHDAY=1'],
])('from %s %s is refused: it never fires', (start, rule) => {
  expect(message(start, rule)).toMatch(/^The rule never fires: no date/)
})

test.each([
  ['FREQ=DAILY;UNTIL=20260305'],
  ['FREQ=DAILY;UNTIL=20260306T185959Z'],
  ['FREQ=HOURLY;UNTIL=20260306T185959Z'],
  ['FREQ=WEEKLY;BYDAY=SA;UNTIL=20260306'],
])('%s ends before it begins, and is refused', (rule) => {
  expect(message('2026-03-06T20:00', rule, 'Europe/Berlin')).toMatch(/UNTIL lies before its first date, 2026-03-0[67]/)
})

test.each([
  ['2097-01-01T20:00', 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29'],
  ['2097-01-01T20:00', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29'],
  ['2026-03-06T20:00', 'FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU'],
  ['2026-03-06T00:00', 'FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=3'],
])('from %s %s is rare and taken', (start, rule) => {
  expect(message(start, rule)).toBe('')
})

test('a COUNT that lies too far off to be found is refused, and one that can be found is taken', () => {
  const rule = 'FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=0'
  expect(message('2026-03-06T20:00', `${rule};COUNT=10000`)).toBe(
    'COUNT=10000 is not reached within a time that can be calculated; give UNTIL instead.',
  )
  expect(message('2026-03-06T20:00', `${rule};COUNT=20`)).toBe('')
  expect(message('2026-03-06T20:00', 'FREQ=HOURLY;BYDAY=FR;BYHOUR=20;COUNT=10000', 'Europe/Berlin')).toBe('')
})

test('in a zone whose clocks change an hour may be hit that never is in another', () => {
  const rule = 'FREQ=HOURLY;INTERVAL=24;BYHOUR=21'
  expect(message('2026-01-06T20:00', rule)).toMatch(/never fires/)
  expect(message('2026-01-06T20:00', rule, 'Europe/Berlin')).toBe('')
})

const seed = seedOf(2445)
test(`no text hangs or throws anything but its problem, and what is taken can be asked anything (seed ${seed})`, () => {
  const draw = new Draw(seed)
  const values = [
    '0',
    '-1',
    '1',
    '31',
    '99999999999',
    '1SA',
    '-53MO',
    'XX',
    '',
    ',',
    '20260230',
    '99991231T235959Z',
    '🎲',
  ]
  const keys = [
    'FREQ',
    'INTERVAL',
    'COUNT',
    'UNTIL',
    'BYDAY',
    'BYMONTHDAY',
    'BYMONTH',
    'BYHOUR',
    'BYSETPOS',
    'WKST',
    '__PROTO__',
  ]
  const starts = ['0001-01-01T00:00', '0001-12-31T23:59', '1844-12-31T12:00', '2026-03-08T02:30', '9999-12-31T23:59:59']
  const instants = [Number.NEGATIVE_INFINITY, -8.64e15, -6.3e13, 0, 1.78e12, 2.5e14, 8.64e15, Number.POSITIVE_INFINITY]
  const dates = [...instants, Number.NaN, -1.5, 1e300]
  let taken = 0
  for (let round = 0; round < 600; round += 1) {
    const parts = draw.rule().split(';')
    const changes = draw.below(3)
    for (let change = 0; change < changes; change += 1) {
      parts[draw.below(parts.length + 1)] = `${draw.pick(keys)}=${draw.pick(values)}`
    }
    const rule = parts.filter((part) => part !== undefined).join(draw.pick([';', ';', ';', ';;', ' ']))
    const start = draw.pick(starts)
    const zone = draw.pick(['UTC', 'America/New_York', 'Pacific/Kiritimati', 'Asia/Manila'])
    if (message(start, rule, zone) !== '') continue
    taken += 1
    const compiled = compileSchedule(recurring({ start, rule, include: ['0001-01-01T00:00Z'] }), zone, zones)
    for (const date of dates) {
      expect(nextOccurrences(compiled, date, 2).length, rule).toBeLessThanOrEqual(2)
      expect(occurrencesBetween(compiled, date, date + 1e9, { limit: 3 }).length, rule).toBeLessThanOrEqual(3)
    }
    expect(schedulePhrase(recurring({ start, rule })), rule).toMatch(/^every /)
  }
  expect(taken).toBeGreaterThan(80)
})

test('every rule that the docs show can be had', () => {
  const docs = readFileSync(new URL('../../../docs/writing-events.md', import.meta.url), 'utf8')
  const shown = [...docs.matchAll(/(?<=`)FREQ=[^`]*(?=`)/g)]
    .map(([rule]) => rule)
    .filter((rule) => !rule.endsWith('SECONDLY'))
  expect(shown.length).toBeGreaterThan(10)
  for (const rule of shown) expect(message('2026-03-06T20:00', rule), rule).toBe('')
})
