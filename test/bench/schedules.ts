import { existsSync } from 'node:fs'
import { IntlZones } from '../../src/domain/recurrence/intl-zones.ts'
import type { Occurrence } from '../../src/domain/recurrence/occurrence.ts'
import { occurrencesBetween } from '../../src/domain/recurrence/occurrences.ts'
import { type CompiledSchedule, compileSchedule } from '../../src/domain/recurrence/schedule.ts'
import type { ZoneData } from '../../src/domain/recurrence/zone-data.ts'
import { SystemZones } from '../../src/server/zone-data.ts'

const FROM = Date.UTC(2026, 4, 1)
const TO = FROM + 14 * 86_400_000
const RULES = ['FREQ=DAILY', 'FREQ=WEEKLY;BYDAY=FR', 'FREQ=MONTHLY;BYDAY=1SA']
const PLACES = ['Europe/London', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Australia/Sydney', 'UTC']
const DEFINITIONS = 10_000

/** Microseconds for one rule that began ten years ago, over 14 days; milliseconds for 10,000 definitions in one pass. */
export type ScheduleFigures = {
  rules: Record<string, number>
  definitions: number
  occurrences: number
  passMs: number
}

/** Times of the expansion, with Node's zone data and, where there are some, with the system's files. */
export function measureSchedules(): Record<string, ScheduleFigures> {
  const own = new IntlZones()
  const folder = '/usr/share/zoneinfo'
  if (!existsSync(`${folder}/Europe/London`)) return { node: figuresWith(own) }
  return {
    node: figuresWith(own),
    system: figuresWith(new SystemZones({ folder, version: 'system', own, log: console })),
  }
}

function figuresWith(zones: ZoneData): ScheduleFigures {
  const rules = Object.fromEntries(RULES.map((rule) => [rule, microseconds(compiled(rule, { zones, index: 0 }))]))
  const definitions = Array.from({ length: DEFINITIONS }, (_, index) =>
    compiled(RULES[index % RULES.length] ?? '', { zones, index }),
  )
  const passes = Array.from({ length: 5 }, () => {
    const began = performance.now()
    const occurrences = definitions.reduce((sum, each) => sum + expand(each).length, 0)
    return { occurrences, ms: performance.now() - began }
  }).sort((a, b) => a.ms - b.ms)
  const { occurrences = 0, ms = Number.NaN } = passes[2] ?? {}
  return { rules, definitions: DEFINITIONS, occurrences, passMs: Math.round(ms) }
}

function compiled(rule: string, { zones, index }: { zones: ZoneData; index: number }): CompiledSchedule {
  const start = `2016-05-${String(1 + (index % 28)).padStart(2, '0')}T${String(index % 24).padStart(2, '0')}:30`
  const zone = PLACES[index % PLACES.length] ?? 'UTC'
  return compileSchedule({ recurring: { start, rule, exclude: [], include: [] } }, zone, zones)
}

const expand = (schedule: CompiledSchedule): Occurrence[] => occurrencesBetween(schedule, FROM, TO, { limit: 100 })

function microseconds(schedule: CompiledSchedule): number {
  const times = 5000
  const rounds = Array.from({ length: 5 }, () => {
    const began = performance.now()
    for (let index = 0; index < times; index += 1) expand(schedule)
    return ((performance.now() - began) * 1000) / times
  }).sort((a, b) => a - b)
  return Number((rounds[2] ?? Number.NaN).toFixed(1))
}
