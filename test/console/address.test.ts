import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditFilter, auditSearch } from '../../src/console/audit/audit-search.ts'
import { calendarSearch } from '../../src/console/calendar/calendar-search.ts'
import { runFilter, runsSearch } from '../../src/console/runs/runs-search.ts'
import { beginOfDay, endOfDay, isDay } from '../../src/console/time/day-field.ts'

const zoneBefore = process.env.TZ
beforeAll(() => {
  process.env.TZ = 'Europe/Berlin'
})
afterAll(() => {
  if (zoneBefore === undefined) delete process.env.TZ
  else process.env.TZ = zoneBefore
})

test('of an address of the runs only what can be asked for is', () => {
  const asked = { status: ['RUNNING', 'LOST'], health: 'ILL', kind: 5, scope: 42, from: 'soon', to: '2031-02-31', x: 1 }
  expect(runFilter(runsSearch(asked))).toEqual({ status: ['RUNNING'], scope: '42' })
  expect(runFilter(runsSearch({ status: 'PAUSED', from: '2031-03-30', to: '2031-03-30' }))).toEqual({
    status: ['PAUSED'],
    scheduledFrom: '2031-03-29T23:00:00.000Z',
    scheduledTo: '2031-03-30T22:00:00.000Z',
  })
})

test('of one of the audit log, too', () => {
  expect(auditFilter(auditSearch({ who: 5, action: ['a'], subject: {}, from: '0001-01-01' }))).toEqual({ actor: '5' })
})

test('of one of the calendar, too', () => {
  expect(calendarSearch({ view: 'year', on: '2031-02-29', event: 7 })).toEqual({ event: '7' })
  expect(calendarSearch({ event: '' })).toEqual({})
  const asked = { view: 'month', on: '2032-02-29', event: 'def_1' }
  expect(calendarSearch({ ...asked, more: true })).toEqual(asked)
})

test.each([
  '0000-01-01',
  '0999-12-31',
  '2031-13-01',
  '2031-00-10',
  '2031-04-31',
  '9999-01-01',
  '12031-01-01',
  'soon',
  '',
])('%j is no day', (text) => {
  expect(isDay(text)).toBe(false)
  expect([beginOfDay(text), endOfDay(text)]).toEqual([null, null])
})

test('the last day that can be asked for ends in a year of four digits', () => {
  expect(endOfDay('9998-12-31')).toBe('9998-12-31T23:00:00.000Z')
})
