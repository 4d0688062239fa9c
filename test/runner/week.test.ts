import { expect, test } from 'vitest'
import { publishScheduled, runsOf } from '../support/scheduled.ts'
import { newStage, type Stage } from '../support/stage.ts'

const DAY = 86_400_000

/** A week in which Berlin's clocks are set in the night of the fourth day, with the server down from its noon for two days. */
const WEEKS = {
  spring: {
    from: '2026-03-26',
    nightly: [
      '26T02:30 26T01:30 COMPLETED',
      '27T02:30 27T01:30 COMPLETED',
      '28T02:30 28T01:30 COMPLETED',
      '29T02:30 29T01:30 COMPLETED GAP 60',
      '30T02:30 30T00:30 MISSED',
      '01T02:30 01T00:30 COMPLETED',
    ],
    weekly: ['27T20:00 27T19:00 COMPLETED'],
    sixHourly: [
      ...['26T05:00', '26T11:00', '26T17:00', '26T23:00', '27T05:00', '27T11:00', '27T17:00', '27T23:00'],
      ...['28T05:00', '28T11:00', '28T17:00', '28T23:00', '29T05:00', '29T11:00'],
      ...['29T17:00 MISSED', '29T23:00 MISSED', '30T05:00 MISSED', '30T11:00 MISSED'],
      ...['31T17:00', '31T23:00', '01T05:00', '01T11:00', '01T17:00', '01T23:00'],
    ],
  },
  autumn: {
    from: '2026-10-22',
    nightly: [
      '22T02:30 22T00:30 COMPLETED',
      '23T02:30 23T00:30 COMPLETED',
      '24T02:30 24T00:30 COMPLETED',
      '25T02:30 25T00:30 COMPLETED OVERLAP',
      '26T02:30 26T01:30 MISSED',
      '28T02:30 28T01:30 COMPLETED',
    ],
    weekly: ['23T20:00 23T18:00 COMPLETED'],
    sixHourly: [
      ...['22T04:00', '22T10:00', '22T16:00', '22T22:00', '23T04:00', '23T10:00', '23T16:00', '23T22:00'],
      ...['24T04:00', '24T10:00', '24T16:00', '24T22:00', '25T04:00', '25T10:00'],
      ...['25T16:00 MISSED', '25T22:00 MISSED', '26T04:00 MISSED', '26T10:00 MISSED'],
      ...['27T16:00', '27T22:00', '28T04:00', '28T10:00', '28T16:00', '28T22:00'],
    ],
  },
}

/** What came of a definition before `end`: nominal local time, start, status, and what daylight saving did. */
async function diary(stage: Stage, definitionId: string, end: number): Promise<string[]> {
  const runs = (await runsOf(stage, definitionId)).filter(({ scheduledFor }) => scheduledFor.getTime() < end)
  return Promise.all(
    runs.map(async ({ id, occurrenceKey, scheduledFor, status, startedAt, adjusted, shiftMinutes }) => {
      if (status === 'COMPLETED') expect(startedAt).toEqual(scheduledFor)
      const [created] = await stage.log(id)
      const flags = { ...(adjusted && { adjusted }), ...(shiftMinutes !== null && { shiftMinutes }) }
      expect(created?.detail).toMatchObject(flags)
      const words = [occurrenceKey.slice(8), scheduledFor.toISOString().slice(8, 16), status, adjusted, shiftMinutes]
      return words.filter((word) => word !== null).join(' ')
    }),
  )
}

test.each(Object.entries(WEEKS))(
  'the %s week: what was to run ran, what was missed is named, nothing twice',
  async (_season, week) => {
    const stage = await newStage({ horizonDays: 1 })
    const begin = Date.parse(`${week.from}T00:00:00Z`)
    stage.clock.moveTo(begin)
    const berlin = { timeZone: 'Europe/Berlin' }
    const every = (start: string, rule: string) =>
      publishScheduled(stage, { schedule: { recurring: { start, rule } }, ...berlin })
    const nightly = await every('2020-01-01T02:30', 'FREQ=DAILY')
    const weekly = await every('2020-01-03T20:00', 'FREQ=WEEKLY;BYDAY=FR')
    const sixHourly = await every(`${week.from}T00:00`, 'FREQ=HOURLY;INTERVAL=6')
    await stage.letPass(3.5 * DAY)
    await stage.runner.stop()
    stage.clock.moveBy(2 * DAY)
    stage.runner = stage.newRunner()
    stage.runner.start()
    await stage.letPass(1.5 * DAY)

    const end = begin + 7 * DAY
    expect(stage.clock.now()).toBe(end)
    expect(await diary(stage, nightly.definitionId, end)).toEqual(week.nightly)
    expect(await diary(stage, weekly.definitionId, end)).toEqual(week.weekly)
    const hours = await diary(stage, sixHourly.definitionId, end)
    expect(hours.map((line) => line.split(' ').slice(1).join(' ').replace(' COMPLETED', ''))).toEqual(week.sixHourly)
    const completed = [...week.nightly, ...week.weekly, ...week.sixHourly].filter((line) => !line.includes('MISSED'))
    expect(stage.script.calls).toHaveLength(completed.length)
    expect(new Set(stage.script.calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(completed.length)
    const missed = await stage.db.prisma.run.findMany({ where: { status: 'MISSED' } })
    expect(new Set(missed.map(({ missedReason }) => missedReason))).toEqual(new Set(['NOT_RUNNING']))
  },
)
