import { expect, test } from 'vitest'
import { IntlZones } from '../../src/domain/recurrence/intl-zones.ts'
import { checkSchedule, scheduleWarnings } from '../../src/domain/validate-schedule.ts'

const zones = new IntlZones()
const START = '2026-03-06T20:00'
const check = (schedule: unknown, timeZone: unknown = 'Europe/London') => checkSchedule(schedule, { timeZone, zones })
const warn = (schedule: unknown, timeZone: unknown = 'Europe/London') => scheduleWarnings(schedule, { timeZone, zones })
const weekly = (more: object) => ({ recurring: { start: START, rule: 'FREQ=WEEKLY;BYDAY=FR', ...more } })

test.each([
  [{ once: null }, 'schedule.once.at'],
  [{ once: { at: '2026-02-30T20:00' } }, 'schedule.once.at'],
  [{ once: { at: '2026-07-01' } }, 'schedule.once.at'],
  [{ recurring: 'x' }, 'schedule.recurring'],
  [weekly({ start: 'soon' }), 'schedule.recurring.start'],
  [weekly({ rule: 5 }), 'schedule.recurring.rule'],
  [weekly({ rule: '' }), 'schedule.recurring.rule'],
  [weekly({ rule: 'every friday' }), 'schedule.recurring.rule'],
  [weekly({ rule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }), 'schedule.recurring.rule'],
  [weekly({ rule: 'FREQ=WEEKLY;UNTIL=20260101' }), 'schedule.recurring.rule'],
  [weekly({ exclude: '2026-12-25' }), 'schedule.recurring.exclude'],
  [weekly({ exclude: Array.from({ length: 501 }, () => '2026-12-25') }), 'schedule.recurring.exclude'],
  [weekly({ include: Array.from({ length: 501 }, () => START) }), 'schedule.recurring.include'],
  [weekly({ exclude: ['2026-12-25', '2026-12-32'] }), 'schedule.recurring.exclude[1]'],
  [weekly({ include: ['2026-12-25'] }), 'schedule.recurring.include[0]'],
  [weekly({ include: [5] }), 'schedule.recurring.include[0]'],
])('%j is an issue at %s', (schedule, path) => {
  const issues = check(schedule)
  expect(issues.map((issue) => issue.path)).toContain(path)
  for (const { message } of issues) expect(message).toMatch(/\.$/)
  expect(warn(schedule)).toEqual([])
})

test('a rule is read where the start is wrong too, and all is named at once', () => {
  const paths = check(weekly({ start: 'x', rule: 'FREQ=WEEKLY;COUNT=0;WKST=XX', exclude: ['y'] })).map(
    ({ path }) => path,
  )
  expect(paths).toEqual([
    'schedule.recurring.start',
    'schedule.recurring.rule',
    'schedule.recurring.rule',
    'schedule.recurring.exclude[0]',
  ])
})

test('where the zone is wrong, that alone is not held against the schedule', () => {
  for (const zone of ['Mars/Olympus', 'EST', '', 5]) {
    expect(check(weekly({}), zone)).toEqual([])
    expect(warn(weekly({ exclude: ['2026-12-24'] }), zone)).toEqual([])
  }
})

test('a good schedule has neither issues nor warnings', () => {
  const good = weekly({
    exclude: ['2026-12-25', '2026-12-18T20:00', '2026-12-11T20:00Z'],
    include: ['2026-12-27T20:00Z'],
  })
  for (const schedule of [good, weekly({}), { once: { at: START } }, { manual: true }]) {
    expect(check(schedule)).toEqual([])
    expect(warn(schedule)).toEqual([])
  }
})

test('a local time that the clocks skip is a warning that says when it is', () => {
  const message =
    'The clocks in Europe/London skip 2026-03-29T01:30; it is taken as 2026-03-29T02:30. Choose another time if that is not what you want.'
  const at = '2026-03-29T01:30'
  expect(warn({ once: { at } })).toEqual([{ path: 'schedule.once.at', message }])
  expect(warn({ recurring: { start: at, rule: 'FREQ=DAILY', include: [at] } })).toEqual([
    { path: 'schedule.recurring.start', message },
    { path: 'schedule.recurring.include[0]', message },
  ])
  expect(warn({ once: { at } }, 'UTC')).toEqual([])
})

test('an exclusion that hits nothing is a warning', () => {
  const exclude = [
    '2026-12-25',
    '2026-12-24',
    '2026-12-18T20:00',
    '2026-12-18T21:00',
    '2026-12-11T20:00Z',
    '2026-06-12T20:00Z',
    '2026-03-01',
    '2026-12-27',
  ]
  const warnings = warn(weekly({ exclude, include: ['2026-12-27T12:00'] }))
  expect(warnings.map(({ path }) => path)).toEqual([1, 3, 5, 6].map((index) => `schedule.recurring.exclude[${index}]`))
  expect(warnings[0]?.message).toBe(
    'The schedule has nothing at 2026-12-24, so that excluding it changes nothing; correct it or take it out.',
  )
})

test('an exclusion of a day that a zone skipped hits what would have been on it', () => {
  const schedule = { recurring: { start: '2011-12-02T20:00', rule: 'FREQ=WEEKLY;BYDAY=FR', exclude: ['2011-12-30'] } }
  expect(warn(schedule, 'Pacific/Apia')).toEqual([])
})
