import { Settings } from 'luxon'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IntlZones } from '../../../src/domain/recurrence/intl-zones.ts'
import { occurrenceOfKey } from '../../../src/domain/recurrence/occurrences.ts'
import { compileSchedule } from '../../../src/domain/recurrence/schedule.ts'
import type { Schedule } from '../../../src/domain/spec.ts'
import { isNewer, openZones } from '../../../src/server/zone-data.ts'
import { between } from './schedules.ts'
import vectors from './vectors.json' with { type: 'json' }

// Computed by python-dateutil and zoneinfo; each was checked by one other way at least.
type Vector = {
  name: string
  zone: string
  schedule: Schedule
  from: string
  to: string
  expect: { at: string; adjusted: string | null; shiftMinutes: number | null }[]
  why: string
  needsZoneData?: string
}
const ALL: readonly Vector[] = vectors as Vector[]

const intl = new IntlZones()
// Of this machine, where it has newer ones than Node.
const newest = openZones(process.env.TZDIR ?? '/usr/share/zoneinfo', console).zones
const HOST_ZONES = ['UTC', 'Australia/Sydney', 'America/St_Johns', 'America/Sao_Paulo']
const CLOCKS = ['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z']

describe.each(HOST_ZONES.flatMap((host) => CLOCKS.map((now) => ({ host, now }))))(
  'in $host at $now',
  ({ host, now }) => {
    const before = process.env.TZ
    beforeAll(() => {
      process.env.TZ = host
      Settings.resetCaches()
      Settings.now = () => Date.parse(now)
      expect(new Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(host)
    })
    afterAll(() => {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
      Settings.now = () => Date.now()
    })

    for (const vector of ALL) {
      const { name, zone, schedule, from, to, why, needsZoneData } = vector
      for (const zones of newest.version === intl.version ? [intl] : [intl, newest]) {
        const isTooOld = needsZoneData !== undefined && isNewer(needsZoneData, zones.version)
        test.skipIf(isTooOld)(`${name}, by ${zones.version}: ${why}`, () => {
          const compiled = compileSchedule(schedule, zone, zones)
          const found = between(compiled, [from, to])
          const comparable = found.map(({ at, adjusted, shiftMinutes }) => ({
            at: new Date(at).toISOString().replace('.000Z', 'Z'),
            adjusted: adjusted ?? null,
            shiftMinutes: shiftMinutes ?? null,
          }))
          expect(comparable).toEqual(vector.expect)
          for (const occurrence of found) expect(occurrenceOfKey(compiled, occurrence.key)).toEqual(occurrence)
        })
      }
    }
  },
)
