import { setImmediate } from 'node:timers/promises'
import type { Actor } from '../domain/actor.ts'
import { runBudget } from '../domain/log.ts'
import { firstSteps } from '../domain/progress.ts'
import type { Occurrence } from '../domain/recurrence/occurrence.ts'
import { occurrencesBetween } from '../domain/recurrence/occurrences.ts'
import type { CompiledSchedule } from '../domain/recurrence/schedule.ts'
import type { VersionSpec } from '../domain/spec.ts'
import { expand, expansionWindow, type Timetable, type TimetableSource, timetableOf } from '../domain/timetable.ts'
import { occurrencesOfRuns, takeAlong } from '../domain/upcoming.ts'
import type { StoredDefinition } from '../store/definitions.ts'
import { mintStep } from '../store/ids.ts'
import { inPortions } from '../store/turns.ts'
import { RUNS_IN_ONE_GO, readUpcoming, type UpcomingPlan } from '../store/upcoming.ts'
import { currentBudget } from './budget.ts'
import type { ControlContext } from './context.ts'

const DAY_MS = 86_400_000

/** What a new version does to the upcoming schedule-made runs: made anew by the next passes, gone on with, cancelled. */
export type UpcomingCounts = { added: number; kept: number; cancelled: number }

export const NOTHING_UPCOMING: UpcomingCounts = { added: 0, kept: 0, cancelled: 0 }

export type PlannedUpcoming = {
  plan: UpcomingPlan
  counts: UpcomingCounts
  /** How far the version's schedule is expanded with that; the epoch: not at all; null: it makes no runs. */
  materialisedUntil: number | null
  /** The runner has something to look at before the next instant it knows of. */
  wakes: boolean
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
    /** As it was read; what is written depends on its not being expanded further since. */
    definition: Pick<StoredDefinition, 'id' | 'schedulePaused' | 'scheduleResumedAt' | 'materialisedUntil'>
    version: Omit<TimetableSource, 'schedule'> & { spec: VersionSpec }
    verified: boolean
    now: number
  },
): Promise<PlannedUpcoming> {
  const timetable = timetableOrNull({ ...version, schedule: version.spec.schedule }, ctx)
  const [phase] = version.spec.phases
  const upcoming = await readUpcoming(ctx.db.patient, { definitionId: definition.id, now })
  const { changes, kept, cancelled } = verified
    ? takeAlong(upcoming.runs, {
        timetable,
        occurrences: new Map(
          await inPortions(upcoming.runs, RUNS_IN_ONE_GO, (runs) => occurrencesOfRuns(runs, () => timetable)),
        ),
        version: version.version,
        others: upcoming.others,
        now,
        actor,
      })
    : { changes: [], kept: 0, cancelled: 0 }
  const isTaken = changes.some(({ kind }) => kind === 'REPIN')
  const caps = isTaken ? await currentBudget(ctx, version.spec.phases) : []
  const plan: UpcomingPlan = {
    definitionId: definition.id,
    versionId: version.id,
    watermark: definition.materialisedUntil,
    read: upcoming.runs,
    changes,
    timetable,
    steps:
      timetable === null || phase === undefined ? [] : firstSteps(phase, timetable.params, () => mintStep(version.id)),
    budget: caps.length === 0 ? null : { caps, line: runBudget({ at: now }, caps) },
    zoneData: ctx.zones.version,
    now,
    actor,
  }
  // A run that is due already waits for a key, which a version may have changed.
  const startsElsewhen = changes.some(
    (change) =>
      change.kind !== 'SUPERSEDE' && (change.scheduledFor !== change.run.scheduledFor || change.scheduledFor <= now),
  )
  const planned = (materialisedUntil: number | null, added: number): PlannedUpcoming => ({
    plan,
    counts: { added, kept, cancelled },
    materialisedUntil,
    wakes: materialisedUntil === 0 || startsElsewhen,
  })
  if (timetable?.schedule == null) return planned(null, 0)
  if (!verified || definition.schedulePaused) return planned(0, 0)
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
  const bounds = { now, horizonMs: ctx.horizonDays * DAY_MS }
  const window = expansionWindow(timetable, state, bounds)
  const added = await countOccurrences(timetable.schedule, window, ({ key, at }) => !keys.has(key) && !instants.has(at))
  // Where all of them are there the next pass has nothing to look for.
  const materialisedUntil =
    added === 0 ? expand(timetable, { ...state, materialisedUntil: window.to }, { ...bounds, limit: 1 }).until : 0
  return planned(materialisedUntil, added)
}

/** How many occurrences are looked at before others have their turn: some milliseconds' work. */
const IN_ONE_GO = 1_000

/** How many occurrences in [from, to) count; a year may have a hundred thousand, so that others have their turn between. */
async function countOccurrences(
  schedule: CompiledSchedule,
  { from, to }: { from: number; to: number },
  counts: (occurrence: Occurrence) => boolean,
): Promise<number> {
  let count = 0
  for (let begin = from; ; await setImmediate()) {
    const some = occurrencesBetween(schedule, begin, to, { limit: IN_ONE_GO })
    for (const occurrence of some) if (counts(occurrence)) count += 1
    const last = some.at(-1)
    if (last === undefined || some.length < IN_ONE_GO) return count
    begin = last.at + 1
  }
}

/** Null: a manual version of which a parameter has no default; no schedule-made run can be of it. */
function timetableOrNull(version: TimetableSource, ctx: ControlContext): Timetable | null {
  try {
    return timetableOf(version, ctx.zones)
  } catch {
    return null
  }
}
