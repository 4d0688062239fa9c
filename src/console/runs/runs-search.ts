import type { CleanupStatus, RunFilter, RunHealth, RunStatus } from '../../generated/console/documents.ts'
import { beginOfDay, endOfDay } from '../time/day-field.ts'
import { addressText } from '../ui/address-text.ts'
import { type PagePlace, placeOf } from '../ui/page-place.ts'

/** What the address of the runs asks for: days as YYYY-MM-DD of this device. */
export type RunsSearch = PagePlace & {
  status?: RunStatus[]
  /** Id of the event. */
  event?: string
  health?: RunHealth
  cleanup?: CleanupStatus
  scope?: string
  kind?: RunKind
  from?: string
  to?: string
}

export type RunKind = 'real' | 'rehearsal'

export const STATUSES: readonly RunStatus[] = [
  'SCHEDULED',
  'STARTING',
  'RUNNING',
  'PAUSED',
  'ENDING',
  'COMPLETED',
  'CANCELLED',
  'FAILED',
  'MISSED',
]
export const HEALTHS: readonly RunHealth[] = ['OK', 'DEGRADED', 'STALLED']
export const CLEANUPS: readonly CleanupStatus[] = ['NOT_REQUIRED', 'PENDING', 'CLEAN', 'INCOMPLETE']
const KINDS: readonly RunKind[] = ['real', 'rehearsal']

/** Of whatever stands in an address, what can be asked for. */
export function runsSearch(search: Record<string, unknown>): RunsSearch {
  const asked = [search.status].flat()
  const status = STATUSES.filter((one) => asked.includes(one))
  const chosen = {
    event: addressText(search.event),
    health: HEALTHS.find((one) => one === search.health),
    cleanup: CLEANUPS.find((one) => one === search.cleanup),
    scope: addressText(search.scope),
    kind: KINDS.find((one) => one === search.kind),
    from: addressText(search.from),
    to: addressText(search.to),
  }
  return {
    ...(status.length === 0 ? {} : { status }),
    ...Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined)),
    ...placeOf(search),
  }
}

/** The same as the API takes it. */
export function runFilter({ status, event, health, cleanup, scope, kind, from, to }: RunsSearch): RunFilter {
  const [since, until] = [beginOfDay(from), endOfDay(to)]
  return {
    ...(status === undefined ? {} : { status }),
    ...(event === undefined ? {} : { definitionId: event }),
    ...(health === undefined ? {} : { health: [health] }),
    ...(cleanup === undefined ? {} : { cleanupStatus: [cleanup] }),
    ...(scope === undefined ? {} : { scope }),
    ...(kind === undefined ? {} : { rehearsal: kind === 'rehearsal' }),
    ...(since === null ? {} : { scheduledFrom: since }),
    ...(until === null ? {} : { scheduledTo: until }),
  }
}
