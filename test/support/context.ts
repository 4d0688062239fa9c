import type { ControlContext } from '../../src/controls/context.ts'
import { censorOf } from '../../src/domain/censor.ts'
import { IntlZones } from '../../src/domain/recurrence/intl-zones.ts'
import { Timetables } from '../../src/domain/timetable.ts'
import { DEFAULT_RUNNER_SETTINGS } from '../../src/runner/settings.ts'

type Parts = Pick<ControlContext, 'db' | 'changes' | 'clock' | 'catalog'> & Partial<Pick<ControlContext, 'horizonDays'>>

/** What controls work with, with Node's zone data. */
export function controlContext({ horizonDays = DEFAULT_RUNNER_SETTINGS.horizonDays, ...parts }: Parts): ControlContext {
  const zones = new IntlZones()
  return { ...parts, censor: censorOf([]), zones, timetables: new Timetables(zones), horizonDays }
}
