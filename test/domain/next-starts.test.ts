import { expect, test } from 'vitest'
import { nextStarts, type WhatIsNext } from '../../src/domain/next-starts.ts'

const FRIDAYS = ['2040-01-06T19:00:00.000Z', '2040-01-13T19:00:00.000Z', '2040-01-20T19:00:00.000Z']
const [first = '', second = '', third = ''] = FRIDAYS
const planned = FRIDAYS.map((at) => ({ at }))
const run = (occurrenceAt: string, more: object = {}) => ({
  occurrenceAt,
  scheduledFor: occurrenceAt,
  scope: '',
  source: 'SCHEDULE' as const,
  ...more,
})
const startsOf = (made: Partial<WhatIsNext<{ at: string }>>) =>
  nextStarts({ isPaused: false, planned, waiting: [], over: [], ...made }).map(({ at, isMoved, scope }) =>
    [isMoved ? 'moved to' : '', at, scope].join(' ').trim(),
  )

test('what the schedule plans starts once, whether its run is made or not', () => {
  expect(startsOf({})).toEqual(FRIDAYS)
  expect(startsOf({ waiting: [run(first), run(second)] })).toEqual(FRIDAYS)
})

test('a run that was moved starts where it was moved to, and not where it was', () => {
  const later = '2040-01-13T20:30:00.000Z'
  const waiting = [run(first, { scheduledFor: later }), run(second)]
  expect(startsOf({ waiting })).toEqual([second, `moved to ${later}`, third])
})

test('what was cancelled or started early starts no more', () => {
  expect(startsOf({ waiting: [run(second)], over: [run(first)] })).toEqual([second, third])
  expect(startsOf({ over: FRIDAYS.map((at) => run(at)) })).toEqual([])
})

test('a run that nobody moved is not said to be, where the plan does not reach as far or its instant has passed', () => {
  const [overdue = '', later = ''] = ['2039-12-30T19:00:00.000Z', '2040-02-01T19:00:00.000Z']
  expect(startsOf({ waiting: [run(overdue), run(later)] })).toEqual([overdue, ...FRIDAYS, later])
})

test('a run that was moved behind the end of its schedule is still to come', () => {
  const later = '2040-02-01T19:00:00.000Z'
  expect(startsOf({ planned: [], waiting: [run(first, { scheduledFor: later })] })).toEqual([`moved to ${later}`])
})

test('a run in a scope stands beside what the schedule plans for the same instant', () => {
  expect(startsOf({ waiting: [run(first, { scope: 'Yew' })] })).toEqual([`${first} Yew`, ...FRIDAYS])
  expect(startsOf({ over: [run(first, { scope: 'Yew' })] })).toEqual(FRIDAYS)
})

test('while the schedule is paused only what was started by hand is to come', () => {
  const waiting = [run(first), run(second, { source: 'MANUAL' })]
  expect(startsOf({ isPaused: true, waiting })).toEqual([second])
})
