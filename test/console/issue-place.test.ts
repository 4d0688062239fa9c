import { expect, test } from 'vitest'
import { placeOf } from '../../src/console/definitions/issue-place.ts'

const phases = [
  { label: 'Doors', steps: [{}, { actionId: 'core.log' }, { actionId: 'core.log', label: 'Greeting' }] },
  {},
  'none',
]

test.each([
  ['schedule.recurring.start', 'Schedule › first day'],
  ['schedule.once.at', 'Schedule › day and time'],
  ['schedule.recurring.exclude[1]', 'Schedule › left out 2'],
  ['schedule.recurring', 'schedule.recurring'],
  ['phases[0].steps[0].actionId', 'Doors › step 1 › actionId'],
  ['phases[0].steps[1].params.count', 'Doors › step 2 › core.log › params.count'],
  ['phases[0].steps[2]', 'Doors › step 3 › Greeting'],
  ['phases[0].steps[7]', 'Doors › step 8'],
  ['phases[1]', 'Phase 2'],
  ['phases[2].steps[0].label', 'Phase 3 › step 1 › label'],
  ['title', 'title'],
])('%s is told as %s', (path, told) => {
  expect(placeOf(path, { phases }, ({ label, actionId }) => label || actionId).join(' › ')).toBe(told)
})
