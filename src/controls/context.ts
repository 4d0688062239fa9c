import type { Censor } from '../domain/censor.ts'
import type { Clock } from '../domain/clock.ts'
import type { ZoneData } from '../domain/recurrence/zone-data.ts'
import type { Timetables } from '../domain/timetable.ts'
import type { Registry } from '../modules/registry.ts'
import type { Changes } from '../store/changes.ts'
import type { Database } from '../store/database.ts'

/** What every control works with. */
export type ControlContext = {
  db: Database
  changes: Changes
  clock: Clock
  /** Strikes secrets out of what an action says, which is stored and shown. */
  censor: Censor
  /** What modules registered. */
  catalog: Pick<Registry, 'action' | 'trigger' | 'whyMissing'>
  zones: ZoneData
  timetables: Timetables
  /** How far ahead occurrences become runs. */
  horizonDays: number
}
