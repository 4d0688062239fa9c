import type { Censor } from '../domain/censor.ts'
import type { Clock } from '../domain/clock.ts'
import type { ZoneData } from '../domain/recurrence/zone-data.ts'
import type { Registry } from '../modules/registry.ts'
import type { Changes } from '../store/changes.ts'
import type { Database } from '../store/database.ts'
import type { RunnerLog } from './log.ts'
import type { Meter } from './meter.ts'
import type { RunnerSettings } from './settings.ts'

export type RunnerOptions = {
  db: Database
  changes: Changes
  clock: Clock
  registry: Registry
  zones: ZoneData
  settings: RunnerSettings
  log: RunnerLog
  /** Strikes the server's secrets out of what actions say before it is stored; without one, what looks like a secret. */
  censor?: Censor
  /** Counts what the runner does. */
  meter?: Meter
  /** This process in claims and log lines; must be unique among the processes of a database. */
  worker?: string
}
