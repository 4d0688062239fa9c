import { expect, test } from 'vitest'
import { isOld, problemsOf } from '../../src/console/processes/runner-words.ts'

const READ_AT = Date.parse('2031-03-09T12:00:00Z')
const seenBefore = (ms: number, working = 0) => ({
  id: `instance-${ms}`,
  host: 'stage-1',
  pid: 7,
  startedAt: '2031-03-09T11:00:00Z',
  lastSeenAt: new Date(READ_AT - ms).toISOString(),
  working,
})
const status = (instances: ReturnType<typeof seenBefore>[], more: object = {}) => ({
  instances,
  dueRuns: 0,
  oldestDueSeconds: 0,
  nextWakeAt: null,
  ...more,
})
const titles = (...asked: Parameters<typeof problemsOf>) => problemsOf(...asked).map(({ title }) => title)

test('processes are judged by when they were read', () => {
  expect(titles(status([seenBefore(5_000), seenBefore(15_000)]), READ_AT)).toEqual([])
  expect(titles(status([seenBefore(5_000), seenBefore(15_001)]), READ_AT)).toEqual(['1 process is silent'])
  expect(titles(status([seenBefore(15_001)]), READ_AT)).toEqual(['No process runs the runner'])
  expect(titles(status([]), READ_AT)).toEqual(['No process runs the runner'])
  expect(titles(status([seenBefore(0)], { dueRuns: 2, oldestDueSeconds: 4 }), READ_AT)).toEqual([
    '2 runs wait for the runner',
  ])
})

test('what was read some seconds ago is judged by no more', () => {
  expect(isOld(READ_AT, READ_AT + 10_000)).toBe(false)
  expect(isOld(READ_AT, READ_AT + 10_001)).toBe(true)
})
