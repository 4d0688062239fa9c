import type { Censor } from '../domain/censor.ts'
import type { Clock } from '../domain/clock.ts'
import type { Instant, Picture } from '../domain/picture.ts'
import type { ZoneData } from '../domain/recurrence/zone-data.ts'
import type { Registry } from '../modules/registry.ts'
import type { Admissions } from '../store/admission.ts'
import type { Batch } from '../store/batch.ts'
import type { Budgets } from '../store/budget.ts'
import type { Changes } from '../store/changes.ts'
import type { ClaimRef } from '../store/claims.ts'
import type { Database } from '../store/database.ts'
import type { Transition } from '../store/transition-rows.ts'
import type { Transitions, Written } from '../store/transitions.ts'
import type { Leases } from './leases.ts'
import type { Ledgers } from './ledgers.ts'
import type { Load } from './load.ts'
import type { RunnerLog } from './log.ts'
import type { Meter } from './meter.ts'
import type { RunnerSettings } from './settings.ts'
import type { Versions } from './versions.ts'

/** What the work on runs needs. */
export type WorkContext = {
  db: Database
  changes: Changes
  clock: Clock
  registry: Registry
  zones: ZoneData
  settings: RunnerSettings
  versions: Versions
  /** Starts runs that are due, many in a statement. */
  starts: Batch<Transition, Written>
  transitions: Transitions
  admissions: Admissions
  budgets: Budgets
  /** Reads claimed runs, many in a statement. */
  pictures: Batch<ClaimRef, Picture | null>
  leases: Leases
  ledgers: Ledgers
  log: RunnerLog
  /** Counts what is done. */
  meter: Meter
  /** Strikes secrets out of what an action says, which is stored and shown. */
  censor: Censor
  /** Fires when actions in flight have to give up. */
  signal: AbortSignal
  /** False: the process stops, nothing more is dispatched. */
  mayDispatch(): boolean
  /** An instant at which the runner has to look again, or now. */
  wakeAt(instant: Instant): void
  /** Counts runs being worked and actions being called. */
  load: Load
}
