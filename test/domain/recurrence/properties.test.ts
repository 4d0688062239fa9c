import { describe, expect, test } from 'vitest'
import { DAY_MS as DAY, dateOfDay, dayOfWall, wallText, weekdayOf } from '../../../src/domain/recurrence/civil.ts'
import { IntlZones } from '../../../src/domain/recurrence/intl-zones.ts'
import { nextOccurrences, occurrenceOfKey, occurrencesBetween } from '../../../src/domain/recurrence/occurrences.ts'
import { type CompiledSchedule, compileSchedule, InvalidSchedule } from '../../../src/domain/recurrence/schedule.ts'
import type { ZoneData } from '../../../src/domain/recurrence/zone-data.ts'
import { DAY_MS, Draw, recurring, seedOf } from './schedules.ts'

const zones = new IntlZones()
const ZONES = ['UTC', 'Europe/London', 'America/New_York', 'Australia/Lord_Howe', 'Antarctica/Troll', 'Pacific/Apia']
const WHOLE = { limit: Number.POSITIVE_INFINITY }
const seed = seedOf(5545)

type Drawn = { compiled: CompiledSchedule; because: string; around: number; draw: Draw }

/** Random schedules of every kind, with exclusions and extra dates near where they are looked at. */
function* schedules(count: number): Generator<Drawn> {
  const draw = new Draw(seed)
  for (let made = 0; made < count; ) {
    const zone = draw.pick(ZONES)
    // Around changes of clocks, the one of a whole day too.
    const around = Date.parse(
      draw.pick(['2026-03-29', '2026-10-25', '2026-03-08', '2026-11-01', '2011-12-30', '2026-10-03', '2026-04-04']),
    )
    const start = new Date(around - draw.pick([1, 30, 400, 3000]) * DAY_MS + draw.below(48) * 1_800_000)
      .toISOString()
      .slice(0, 16)
    const local = () => new Date(around + (draw.below(400) - 200) * 1_800_000).toISOString().slice(0, 16)
    const schedule = {
      start,
      rule: draw.rule() + (draw.chance(0.2) ? `;COUNT=${1 + draw.below(500)}` : ''),
      exclude: Array.from({ length: draw.below(3) }, () => draw.pick([local(), `${local()}Z`, local().slice(0, 10)])),
      include: Array.from({ length: draw.below(3) }, () => draw.pick([local(), `${local()}Z`])),
    }
    try {
      const compiled = compileSchedule(recurring(schedule), zone, zones)
      made += 1
      yield { compiled, because: `${zone} ${JSON.stringify(schedule)}`, around, draw }
    } catch (error) {
      if (!(error instanceof InvalidSchedule)) throw error
    }
  }
}

describe(`of random schedules (seed ${seed})`, () => {
  test('occurrences are in order, and a window cut anywhere gives the same', () => {
    let total = 0
    for (const { compiled, because, around, draw } of schedules(400)) {
      const from = around - 9 * DAY_MS
      const to = around + 9 * DAY_MS
      const whole = occurrencesBetween(compiled, from, to, WHOLE)
      total += whole.length
      const instants = whole.map(({ at }) => at)
      const isInOrder = instants.every((at, index) => at >= from && at < to && at > (instants[index - 1] ?? at - 1))
      expect(isInOrder, because).toBe(true)
      const edge = whole.length === 0 || draw.chance(0.5) ? from + draw.below(to - from) : draw.pick(whole).at
      const cut = [...occurrencesBetween(compiled, from, edge, WHOLE), ...occurrencesBetween(compiled, edge, to, WHOLE)]
      expect(cut, because).toEqual(whole)
      const limit = draw.below(5)
      expect(occurrencesBetween(compiled, from, to, { limit }), because).toEqual(whole.slice(0, limit))
      expect(nextOccurrences(compiled, from, Math.min(limit, whole.length)), because).toEqual(whole.slice(0, limit))
    }
    expect(total).toBeGreaterThan(2000)
  })

  test('a key finds its occurrence, and near it only what is one', () => {
    for (const { compiled, because, around } of schedules(200)) {
      const found = occurrencesBetween(compiled, around - 3 * DAY_MS, around + 3 * DAY_MS, WHOLE).slice(0, 20)
      const wide = occurrencesBetween(compiled, around - 9 * DAY_MS, around + 9 * DAY_MS, WHOLE)
      const byKey = new Map(wide.map((occurrence) => [occurrence.key, occurrence]))
      for (const { key, at, local } of found) {
        expect(occurrenceOfKey(compiled, key), because).toEqual(byKey.get(key))
        const wall = Date.parse(`${local}Z`)
        const near = [-60, -30, -1, 0, 1, 30, 60].flatMap((minutes) => [
          wallText(wall + minutes * 60_000),
          new Date(at + minutes * 60_000).toISOString(),
        ])
        for (const guess of near) {
          expect(occurrenceOfKey(compiled, guess), `${guess} of ${because}`).toEqual(byKey.get(guess) ?? null)
        }
      }
    }
  })
})

/** Counts what is asked of it. */
class CountingZones implements ZoneData {
  readonly version = zones.version
  asked = 0
  has = (zone: string) => zones.has(zone)
  offset = (zone: string, at: number) => {
    this.asked += 1
    return zones.offset(zone, at)
  }
}

test.each([
  'FREQ=DAILY',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH',
  'FREQ=MONTHLY;BYDAY=1SA',
  'FREQ=YEARLY;BYMONTH=5;BYDAY=MO',
  'FREQ=HOURLY;INTERVAL=3',
  'FREQ=MINUTELY;INTERVAL=30;BYHOUR=20,21',
])('what %s asks of a window does not grow with the years since its start', (rule) => {
  const from = Date.parse('2026-05-01')
  const askedSince = (start: string) => {
    const counting = new CountingZones()
    const compiled = compileSchedule(recurring({ start, rule }), 'Europe/London', counting)
    counting.asked = 0
    const found = occurrencesBetween(compiled, from, from + 14 * DAY_MS, WHOLE)
    expect(found.length).toBeGreaterThan(0)
    return counting.asked
  }
  const [recent, ancient] = [askedSince('2026-04-01T20:00'), askedSince('1026-04-01T20:00')]
  expect(ancient).toBeLessThanOrEqual(recent * 1.5 + 10)
})

test('the phase of a rule does not depend on how long ago it started', () => {
  const from = Date.parse('2026-05-01')
  const of = (start: string, rule: string) =>
    occurrencesBetween(
      compileSchedule(recurring({ start, rule }), 'Europe/Berlin', zones),
      from,
      from + 90 * DAY_MS,
      WHOLE,
    )
  const weeks = new Date(Date.parse('2026-04-07T20:00Z') - 14 * 1200 * DAY_MS).toISOString().slice(0, 16)
  const rule = 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU'
  expect(of(weeks, rule)).toEqual(of('2026-04-07T20:00', rule))
  expect(of('1902-03-31T20:00', 'FREQ=MONTHLY;INTERVAL=4')).toEqual(
    of('2025-11-30T20:00', 'FREQ=MONTHLY;INTERVAL=4;BYMONTHDAY=31'),
  )
})

/** Steps from the start and asks of each instant whether the filters take what the clocks show. */
function stepByStep(at: number, step: number, { zone, takes }: { zone: string; takes: (wall: number) => boolean }) {
  const found: number[] = []
  for (let steps = 0; steps < 6000; steps += 1) {
    const instant = at + steps * step
    if (takes(instant + zones.offset(zone, instant))) found.push(instant)
  }
  return found
}

test(`filters on HOURLY and MINUTELY take what counting step by step takes (seed ${seed})`, () => {
  const draw = new Draw(seed)
  for (let round = 0; round < 40; round += 1) {
    const zone = draw.pick(ZONES)
    const hourly = draw.chance(0.5)
    const interval = hourly ? draw.pick([1, 2, 5, 24]) : draw.pick([15, 45, 90])
    const months = draw.chance(0.5) ? draw.some(3, () => 1 + draw.below(12)) : []
    const hours = draw.chance(0.7) ? draw.some(4, () => draw.below(24)) : []
    const days = draw.chance(0.5) ? draw.some(3, () => draw.below(7)) : []
    const names = days.map((day) => ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'][day] ?? '')
    const rule = [
      `FREQ=${hourly ? 'HOURLY' : 'MINUTELY'};INTERVAL=${interval}`,
      ...(months.length > 0 ? [`BYMONTH=${months}`] : []),
      ...(hours.length > 0 ? [`BYHOUR=${hours}`] : []),
      ...(days.length > 0 ? [`BYDAY=${names}`] : []),
    ].join(';')
    const start = `20${draw.pick([10, 11, 25])}-03-0${1 + draw.below(9)}T00:30`
    const at = Date.parse(`${start}Z`) - zones.offset(zone, Date.parse(`${start}Z`))
    const takes = (wall: number) => {
      const day = dayOfWall(wall)
      return (
        (months.length === 0 || months.includes(dateOfDay(day).month)) &&
        (days.length === 0 || days.includes(weekdayOf(day))) &&
        (hours.length === 0 || hours.includes(Math.floor((wall - day * DAY) / 3_600_000)))
      )
    }
    const step = interval * (hourly ? 3_600_000 : 60_000)
    const expected = stepByStep(at, step, { zone, takes })
    try {
      const compiled = compileSchedule(recurring({ start, rule }), zone, zones)
      const found = occurrencesBetween(compiled, at, at + 6000 * step, WHOLE).map((occurrence) => occurrence.at)
      expect(found, `${zone} ${start} ${rule}`).toEqual(expected)
      const count = Math.min(expected.length, 50)
      const counted = compileSchedule(recurring({ start, rule: `${rule};COUNT=${count}` }), zone, zones)
      const all = occurrencesBetween(counted, at, at + 6000 * step, WHOLE).map((occurrence) => occurrence.at)
      expect(all, `${zone} ${start} ${rule};COUNT=${count}`).toEqual(expected.slice(0, count))
    } catch (error) {
      if (!(error instanceof InvalidSchedule)) throw error
      expect(expected, `${zone} ${start} ${rule}: ${error.message}`).toEqual([])
    }
  }
})
