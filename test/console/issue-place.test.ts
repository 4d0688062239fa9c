import { expect, test } from 'vitest'
import { placeOf } from '../../src/console/draft/issue-place.ts'

test.each([
  ['schedule.recurring.start', 'Schedule › first day'],
  ['schedule.once.at', 'Schedule › day and time'],
  ['schedule.recurring.exclude[1]', 'Schedule › left out 2'],
  ['schedule.recurring', 'schedule.recurring'],
  ['phases[0].steps[1].params.count', 'Doors › step 2 › params.count'],
  ['phases[1]', 'Phase 2'],
  ['title', 'title'],
])('%s is told as %s', (path, told) => {
  expect(placeOf(path, { phases: [{ label: 'Doors', steps: [] }, {}] })).toBe(told)
})
