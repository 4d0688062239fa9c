import { expect, test } from 'vitest'
import { daylightSaving } from '../../src/console/time/daylight-saving.ts'

test('a local time that the clocks skip or show twice is told as it was written, with the city whose clocks they are', () => {
  const zone = 'America/New_York'
  expect(daylightSaving({ local: '2031-03-09T20:00', adjusted: null, shiftMinutes: null }, zone)).toBeNull()
  expect(daylightSaving({ local: '2031-03-09T02:30:00', adjusted: 'GAP', shiftMinutes: 60 }, zone)).toEqual({
    word: 'Clocks skip 02:30: +60 min',
    sentence: 'There is no 02:30 in New York on that day: the clocks go forward, and it starts 60 minutes later.',
  })
  expect(daylightSaving({ local: '2031-11-02T01:30:15', adjusted: 'OVERLAP', shiftMinutes: 0 }, zone)).toEqual({
    word: 'Clocks show 01:30:15 twice: the first',
    sentence: 'There are two 01:30:15 in New York on that day: the clocks go back, and it starts at the first.',
  })
})
