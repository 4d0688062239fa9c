import rrule from 'rrule'
import { expect, test } from 'vitest'
import { IntlZones } from '../../../src/domain/recurrence/intl-zones.ts'
import { type CompiledSchedule, compileSchedule, InvalidSchedule } from '../../../src/domain/recurrence/schedule.ts'
import { between, DAY_MS, Draw, recurring, seedOf } from './schedules.ts'

const zones = new IntlZones()
const RULES = 2000

/** What rrule gives in [from, to), read as if all were UTC: its floating mode. */
function byRrule(start: string, rule: string, [from, to]: [string, string]): string[] {
  const dtstart = start.replaceAll(/[-:]/g, '')
  const read = rrule.rrulestr(`DTSTART:${dtstart}00Z\nRRULE:${rule}`)
  return read.between(new Date(Date.parse(from) - 1), new Date(to), false).map((date) => date.toISOString())
}

/**
 * What is not compared: plain and numbered weekdays in one list, of which rrule takes days that are both, where RFC 5545
 * makes it either; positions from both ends, of which rrule gives one day twice where they meet; and filters on HOURLY and MINUTELY, which rrule loses count over (`FREQ=MINUTELY;INTERVAL=45;BYHOUR=4`)
 * and searches for minutes. The latter are compared with counting step by step (properties.test.ts).
 */
function isComparable(rule: string): boolean {
  if (/HOURLY|MINUTELY/.test(rule)) return !rule.includes('BY')
  if (/BYSETPOS=[^;]*(-\d+,\d|\d,-)/.test(rule)) return false
  const days = /BYDAY=([^;]*)/.exec(rule)?.[1]?.split(',') ?? []
  return days.every((day) => /\d/.test(day)) || !days.some((day) => /\d/.test(day))
}

/** Null: refused as one that never fires, which is a matter of the rules' own test. */
function compiled(start: string, rule: string): CompiledSchedule | null {
  try {
    return compileSchedule(recurring({ start, rule }), 'UTC', zones)
  } catch (error) {
    if (error instanceof InvalidSchedule && error.message.startsWith('The rule never fires')) return null
    throw error
  }
}

/** With an end, some of the time. */
function bounded(draw: Draw, start: string, rule: string): string {
  if (draw.chance(0.2)) return `${rule};COUNT=${1 + draw.below(60)}`
  if (!draw.chance(0.25)) return rule
  const until = new Date(Date.parse(`${start}Z`) + draw.below(2000) * DAY_MS).toISOString().slice(0, 19)
  return `${rule};UNTIL=${until.replaceAll(/[-:]/g, '')}${draw.pick(['', 'Z'])}`
}

const seed = seedOf(20_260_306)
test(`${RULES} random rules give in UTC what rrule gives (seed ${seed})`, () => {
  const draw = new Draw(seed)
  let compared = 0
  let occurrences = 0
  for (let index = 0; index < RULES; index += 1) {
    const start = draw.start(2010, 15)
    const rule = bounded(draw, start, draw.rule())
    const isElapsed = /HOURLY|MINUTELY/.test(rule)
    const begin = Date.parse(`${start}Z`) + Math.floor((draw.random() * (isElapsed ? 0.2 : 6) - 0.05) * 365) * DAY_MS
    const days = isElapsed ? 7 : draw.pick([30, 365, 1500])
    const window: [string, string] = [new Date(begin).toISOString(), new Date(begin + days * DAY_MS).toISOString()]
    const ours = isComparable(rule) ? compiled(start, rule) : null
    if (ours === null) continue
    const found = between(ours, window).map(({ at }) => new Date(at).toISOString())
    expect(found, `${start} ${rule} in ${window.join(' to ')}`).toEqual(byRrule(start, rule, window))
    compared += 1
    occurrences += found.length
  }
  expect(compared).toBeGreaterThan(RULES / 2)
  expect(occurrences).toBeGreaterThan(RULES)
}, 240_000)
