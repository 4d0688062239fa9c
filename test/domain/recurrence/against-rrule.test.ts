import rrule from 'rrule'
import { expect, test } from 'vitest'
import { IntlZones } from '../../../src/domain/recurrence/intl-zones.ts'
import { compileSchedule, InvalidSchedule } from '../../../src/domain/recurrence/schedule.ts'
import { between, DAY_MS, Draw, recurring, seedOf } from './schedules.ts'

const zones = new IntlZones()
const RULES = 6000

/** What rrule gives in [from, to), read as if all were UTC: its floating mode. */
function byRrule(start: string, rule: string, [from, to]: [string, string]): string[] {
  const dtstart = start.replaceAll(/[-:]/g, '')
  const read = rrule.rrulestr(`DTSTART:${dtstart}00Z\nRRULE:${rule}`)
  return read.between(new Date(Date.parse(from) - 1), new Date(to), false).map((date) => date.toISOString())
}

/** Plain and numbered weekdays in one list: rrule takes days that are both, where RFC 5545 makes it either. */
const mixesWeekdays = (rule: string) => {
  const days = /BYDAY=([^;]*)/.exec(rule)?.[1]?.split(',') ?? []
  return days.some((day) => /\d/.test(day)) && days.some((day) => !/\d/.test(day))
}

const seed = seedOf(20_260_306)
test(`${RULES} random rules give in UTC what rrule gives (seed ${seed})`, () => {
  const draw = new Draw(seed)
  let compared = 0
  let occurrences = 0
  for (let index = 0; index < RULES; index += 1) {
    const start = draw.start(2010, 15)
    let rule = draw.rule()
    if (mixesWeekdays(rule)) continue
    if (draw.chance(0.2)) rule += `;COUNT=${1 + draw.below(60)}`
    else if (draw.chance(0.2)) {
      const until = new Date(Date.parse(`${start}Z`) + draw.below(2000) * DAY_MS).toISOString().slice(0, 19)
      rule += `;UNTIL=${until.replaceAll(/[-:]/g, '')}${draw.pick(['', 'Z'])}`
    }
    const isFrequent = /HOURLY|MINUTELY/.test(rule)
    const years = isFrequent ? 0.02 : draw.pick([0.1, 1, 5])
    const begin = Date.parse(`${start}Z`) + Math.floor((draw.random() * (isFrequent ? 0.2 : 6) - 0.05) * 365) * DAY_MS
    const window: [string, string] = [
      new Date(begin).toISOString(),
      new Date(begin + Math.ceil(years * 365) * DAY_MS).toISOString(),
    ]
    const theirs = byRrule(start, rule, window)
    const because = `${start} ${rule} in ${window.join(' to ')}`
    try {
      const ours = between(compileSchedule(recurring({ start, rule }), 'UTC', zones), window)
      expect(
        ours.map(({ at }) => new Date(at).toISOString()),
        because,
      ).toEqual(theirs)
      compared += 1
      occurrences += ours.length
    } catch (error) {
      // Refused as one that never fires: there must be nothing to find.
      if (!(error instanceof InvalidSchedule)) throw error
      expect(error.message, because).toMatch(/^The rule never fires/)
      expect(theirs, because).toEqual([])
    }
  }
  expect(compared).toBeGreaterThan(RULES * 0.8)
  expect(occurrences).toBeGreaterThan(RULES * 2)
})
