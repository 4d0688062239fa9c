import { expect, test } from 'vitest'
import { hasScheduleControl } from '../../src/console/definitions/definition-controls.ts'
import type { ScheduleHolderFragment } from '../../src/generated/console/documents.ts'

type Kind = 'ManualSchedule' | 'OnceSchedule' | 'RecurringSchedule'

const event = (kind: Kind | null, more: Partial<ScheduleHolderFragment> = {}): ScheduleHolderFragment => ({
  id: 'def_1',
  title: 'Quiz',
  state: 'READY',
  schedulePaused: false,
  currentVersion: kind === null ? null : { id: 'ver_1', spec: { schedule: { __typename: kind } } },
  scheduled: { totalCount: 0, edges: [] },
  ...more,
})

test.each([
  ['one that recurs', event('RecurringSchedule'), true],
  ['one that comes once', event('OnceSchedule'), true],
  ['one that is paused', event('RecurringSchedule', { schedulePaused: true }), true],
  ['one that was paused and starts by hand since', event('ManualSchedule', { schedulePaused: true }), true],
  ['one that starts by hand', event('ManualSchedule'), false],
  ['one that was never published', event(null), false],
  ['one that is archived', event('RecurringSchedule', { state: 'ARCHIVED' }), false],
])('whether a schedule can be paused or resumed: %s', (_name, definition, has) => {
  expect(hasScheduleControl(definition)).toBe(has)
})
