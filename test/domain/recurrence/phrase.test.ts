import { expect, test } from 'vitest'
import { schedulePhrase } from '../../../src/domain/recurrence/phrase.ts'
import { recurring } from './schedules.ts'

test.each([
  ['FREQ=DAILY', 'every day at 20:00'],
  ['FREQ=DAILY;INTERVAL=3;COUNT=10', 'every 3 days at 20:00, 10 times'],
  ['FREQ=DAILY;BYHOUR=0,6,12,18', 'every day at 00:00, 06:00, 12:00 and 18:00'],
  ['FREQ=DAILY;BYHOUR=0,1,2,3;BYMINUTE=0,30', 'every day, 8 times a day'],
  ['FREQ=DAILY;BYDAY=SA,SU;BYMONTH=7,8', 'every day on Saturday and Sunday in July and August at 20:00'],
  ['FREQ=DAILY;BYMONTHDAY=13;BYDAY=FR', 'every day on the 13th of a month, if it is a Friday at 20:00'],
  ['FREQ=WEEKLY', 'every week on Friday at 20:00'],
  ['FREQ=WEEKLY;BYDAY=FR,TU,WE,MO,TH', 'every week from Monday to Friday at 20:00'],
  [
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;UNTIL=20261231',
    'every 2 weeks on Tuesday and Thursday at 20:00, until 31 December 2026',
  ],
  ['FREQ=WEEKLY;UNTIL=20261231T200000', 'every week on Friday at 20:00, until 31 December 2026 at 20:00'],
  ['FREQ=WEEKLY;UNTIL=20261231T190000Z', 'every week on Friday at 20:00, until 31 December 2026 at 19:00 UTC'],
  ['FREQ=MONTHLY', 'every month on the 6th at 20:00'],
  ['FREQ=MONTHLY;BYDAY=1SA', 'every month on the first Saturday at 20:00'],
  ['FREQ=MONTHLY;BYDAY=-1FR,-2MO', 'every month on the last Friday and the second to last Monday at 20:00'],
  ['FREQ=MONTHLY;BYMONTHDAY=-1,1,22', 'every month on the last day, 1st and 22nd at 20:00'],
  ['FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR', 'every month on the 13th, if it is a Friday at 20:00'],
  [
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2',
    'every month from Monday to Friday at 20:00, only the second to last of these in the month',
  ],
  ['FREQ=YEARLY', 'every year on 6 March at 20:00'],
  ['FREQ=YEARLY;BYMONTH=5,11', 'every year on 6 May and 6 November at 20:00'],
  ['FREQ=YEARLY;BYMONTH=11;BYDAY=4TH', 'every year on the fourth Thursday of November at 20:00'],
  ['FREQ=YEARLY;BYDAY=20MO', 'every year on the 20th Monday of the year at 20:00'],
  ['FREQ=YEARLY;BYMONTHDAY=1', 'every year on the 1st of every month at 20:00'],
  ['FREQ=HOURLY;INTERVAL=6', 'every 6 hours, counted from 6 March 2026 at 20:00'],
  [
    'FREQ=MINUTELY;INTERVAL=15;BYHOUR=20,21;BYDAY=FR;COUNT=1',
    'every 15 minutes on Friday from 20:00 to 20:59 and 21:00 to 21:59, counted from 6 March 2026 at 20:00, once',
  ],
])('%s is %s', (rule, phrase) => {
  expect(schedulePhrase(recurring({ start: '2026-03-06T20:00', rule }))).toBe(phrase)
})

test('one occurrence is a phrase too, and seconds show where there are some', () => {
  expect(schedulePhrase({ once: { at: '2026-07-01T20:00' } })).toBe('once, on 1 July 2026 at 20:00')
  expect(schedulePhrase(recurring({ start: '2026-03-06T20:00:30', rule: 'FREQ=DAILY' }))).toBe('every day at 20:00:30')
})

test.each([
  null,
  'x',
  { manual: true },
  { once: { at: '2026-02-30T20:00' } },
  { recurring: null },
  { recurring: { start: 5, rule: 'FREQ=DAILY' } },
  { recurring: { start: 'soon', rule: 'FREQ=DAILY' } },
  { recurring: { start: '2026-03-06T20:00', rule: 'FREQ=SOMETIMES' } },
])('%j has no phrase', (schedule) => {
  expect(schedulePhrase(schedule)).toBeNull()
})
