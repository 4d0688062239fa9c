import type { Actor } from '../domain/actor.ts'
import { firstSteps } from '../domain/progress.ts'
import { occurrencesBetween } from '../domain/recurrence/occurrences.ts'
import type { VersionSpec } from '../domain/spec.ts'
import { expansionWindow, type Timetable, type TimetableSource, timetableOf } from '../domain/timetable.ts'
import { takeAlong } from '../domain/upcoming.ts'
import { mintStep } from '../store/ids.ts'
import { readUpcoming, type UpcomingPlan } from '../store/upcoming.ts'
import type { ControlContext } from './context.ts'

const DAY_MS = 86_400_000

/** What a new version does to the upcoming schedule-made runs: made anew by the next passes, gone on with, cancelled. */
export type UpcomingCounts = { added: number; kept: number; cancelled: number }

export const NOTHING_UPCOMING: UpcomingCounts = { added: 0, kept: 0, cancelled: 0 }

export type PlannedUpcoming = {
  plan: UpcomingPlan
  counts: UpcomingCounts
  /** The version makes runs by itself. */
  hasSchedule: boolean
}

/**
 * What becomes of a definition's upcoming runs once `version` is its verified current one; nothing is written. With
 * `verified` false nothing becomes of them.
 */
export async function planUpcoming(
  ctx: ControlContext,
  actor: Actor,
  {
    definition,
    version,
    verified,
    now,
  }: {
    definition: { id: string; schedulePaused: boolean; scheduleResumedAt: Date | null }
    version: Omit<TimetableSource, 'schedule'> & { spec: VersionSpec }
    verified: boolean
    now: number
  },
): Promise<PlannedUpcoming> {
  const timetable = timetableOrNull({ ...version, schedule: version.spec.schedule }, ctx)
  const [phase] = version.spec.phases
  const upcoming = await readUpcoming(ctx.db.prisma, { definitionId: definition.id, now })
  const { changes, kept, cancelled } = verified
    ? takeAlong(upcoming.runs, { timetable, version: version.version, others: upcoming.others, now, actor })
    : { changes: [], kept: 0, cancelled: 0 }
  const plan: UpcomingPlan = {
    definitionId: definition.id,
    versionId: version.id,
    read: upcoming.runs,
    changes,
    timetable,
    steps:
      timetable === null || phase === undefined ? [] : firstSteps(phase, timetable.params, () => mintStep(version.id)),
    zoneData: ctx.zones.version,
    now,
    actor,
  }
  const hasSchedule = timetable?.schedule != null
  if (!verified || definition.schedulePaused || timetable?.schedule == null) {
    return { plan, counts: { added: 0, kept, cancelled }, hasSchedule }
  }
  const changed = new Map(changes.map((change) => [change.run.runId, change]))
  const keys = new Set(upcoming.others.map(({ occurrenceKey }) => occurrenceKey))
  const instants = new Set(upcoming.others.map(({ occurrenceAt }) => occurrenceAt))
  for (const run of upcoming.runs) {
    const change = changed.get(run.runId)
    if (change?.kind === 'SUPERSEDE') continue
    keys.add(run.occurrenceKey)
    instants.add((change ?? run).occurrenceAt)
  }
  const state = { verifiedAt: now, resumedAt: definition.scheduleResumedAt?.getTime() ?? null, materialisedUntil: 0 }
  const { from, to } = expansionWindow(timetable, state, { now, horizonMs: ctx.horizonDays * DAY_MS })
  const added = occurrencesBetween(timetable.schedule, from, to, { limit: Number.POSITIVE_INFINITY }).filter(
    ({ key, at }) => !keys.has(key) && !instants.has(at),
  ).length
  return { plan, counts: { added, kept, cancelled }, hasSchedule }
}

/** Null: a manual version of which a parameter has no default; no schedule-made run can be of it. */
function timetableOrNull(version: TimetableSource, ctx: ControlContext): Timetable | null {
  try {
    return timetableOf(version, ctx.zones)
  } catch {
    return null
  }
}
