import type { Actor } from './actor.ts'
import { graceUntil } from './grace.ts'
import * as log from './log.ts'
import type { Occurrence } from './recurrence/occurrence.ts'
import { occurrenceOfKey } from './recurrence/occurrences.ts'
import type { Timetable } from './timetable.ts'

/** A run that the schedule made and that has not started. Instants in milliseconds since the epoch. */
export type UpcomingRun = {
  runId: string
  versionId: string
  /** The number of that version. */
  version: number
  graceSeconds: number
  occurrenceKey: string
  occurrenceAt: number
  scheduledFor: number
  /** A person moved its start. */
  moved: boolean
  adjusted: 'GAP' | 'OVERLAP' | null
  shiftMinutes: number | null
  /** A person skipped a step of it. */
  hasSkippedStep: boolean
  fence: number
}

/** Another run of the definition, which keeps its key and its instant whatever happens to the upcoming ones. */
export type OtherRun = { occurrenceKey: string; occurrenceAt: number }

/** The instants of an upcoming run as they are to be. */
type Planned = Pick<UpcomingRun, 'occurrenceAt' | 'scheduledFor' | 'adjusted' | 'shiftMinutes'> & { graceUntil: number }

/** What becomes of an upcoming run; one that is not named stays as it is. */
export type UpcomingChange = { run: UpcomingRun; line: log.RunLine | null } & (
  | ({ kind: 'REPIN' | 'MOVE' } & Planned)
  | { kind: 'SUPERSEDE'; because: string }
)

/** The occurrences that runs are in these timetables, by the runs' ids; without those that are none any more. */
export function occurrencesOfRuns(
  runs: readonly UpcomingRun[],
  timetableOf: (run: UpcomingRun) => Pick<Timetable, 'schedule'> | null,
): [string, Occurrence][] {
  return runs.flatMap((run): [string, Occurrence][] => {
    const schedule = timetableOf(run)?.schedule ?? null
    const occurrence = schedule === null ? null : occurrenceOfKey(schedule, run.occurrenceKey)
    return occurrence === null ? [] : [[run.runId, occurrence]]
  })
}

export type TakenAlong = { changes: UpcomingChange[]; kept: number; cancelled: number }

/**
 * What a new version does to the upcoming runs (section 12). A run whose key is in the new schedule goes on in the new
 * version; one whose key is not is superseded. A run that a person moved is never superseded and never moved again; one of
 * which a person skipped a step stays in its version. `timetable` null: the new schedule is manual; `occurrences`: which of
 * it the runs are.
 */
export function takeAlong(
  upcoming: readonly UpcomingRun[],
  {
    timetable,
    occurrences,
    version,
    others,
    now,
    actor,
  }: {
    timetable: Timetable | null
    occurrences: ReadonlyMap<string, Occurrence>
    version: number
    others: readonly OtherRun[]
    now: number
    actor: Actor
  },
): TakenAlong {
  const plans = upcoming.map((run) => {
    const occurrence = occurrences.get(run.runId) ?? null
    const stays = run.hasSkippedStep && (run.moved || occurrence !== null)
    return { run, occurrence, stays, wish: stays ? null : (occurrence?.at ?? null), keepsElse: stays || run.moved }
  })
  const placed = placedRuns(plans, others)
  const changes: UpcomingChange[] = []
  let kept = 0
  for (const { run, occurrence, stays, keepsElse } of plans) {
    const isPlaced = placed.has(run)
    if (!isPlaced && !keepsElse) {
      const because = `superseded by version ${version}`
      const line = log.runSuperseded({ at: now, actor }, { version, previousVersion: run.version, cancelled: true })
      changes.push({ kind: 'SUPERSEDE', run, because, line })
      continue
    }
    kept += 1
    if (stays || timetable === null) continue
    const planned = planOf(run, isPlaced ? occurrence : null, timetable.graceSeconds)
    const line = log.runSuperseded(
      { at: now, actor },
      { version, previousVersion: run.version, cancelled: false, ...shiftOf(run, planned) },
    )
    changes.push({ kind: 'REPIN', run, ...planned, line })
  }
  return { changes, kept, cancelled: changes.filter(({ kind }) => kind === 'SUPERSEDE').length }
}

/**
 * Where newer zone data put the occurrences of upcoming runs; they keep their identity, and what a person touched stays
 * where it is. The occurrences of an elapsed rule are known by their instants, so that where its start moved all of them
 * are others: runs of those that are no more are superseded. `timetables`: by version; a run whose version has none is
 * left alone. `occurrences`: which of them the runs are.
 */
export function moveByZoneData(
  upcoming: readonly UpcomingRun[],
  {
    timetables,
    occurrences,
    others,
    now,
    zoneData,
  }: {
    timetables: ReadonlyMap<string, Timetable>
    occurrences: ReadonlyMap<string, Occurrence>
    others: readonly OtherRun[]
    now: number
    zoneData: string
  },
): UpcomingChange[] {
  const plans = upcoming.map((run) => {
    const occurrence = occurrences.get(run.runId) ?? null
    const keepsElse = occurrence !== null || run.moved || run.hasSkippedStep || !timetables.has(run.versionId)
    return { run, occurrence, wish: occurrence?.at ?? null, keepsElse }
  })
  const placed = placedRuns(plans, others)
  return plans.flatMap(({ run, occurrence }): UpcomingChange[] => {
    if (occurrence === null && timetables.has(run.versionId) && !run.moved && !run.hasSkippedStep) {
      const { version } = run
      const line = log.runSuperseded({ at: now }, { version, previousVersion: version, cancelled: true, zoneData })
      return [{ kind: 'SUPERSEDE', run, because: `the zone data ${zoneData} moved its schedule`, line }]
    }
    if (occurrence === null || occurrence.at === run.occurrenceAt || !placed.has(run)) return []
    const planned = planOf(run, occurrence, run.graceSeconds)
    const { from, to } = shiftOf(run, planned)
    const line =
      from === undefined || to === undefined
        ? null
        : log.runMoved({ at: now }, { scheduledFrom: from, scheduledFor: to, zoneData })
    return [{ kind: 'MOVE', run, ...planned, line }]
  })
}

/** Where a run is to be the occurrence of (null: nowhere), and whether it keeps the instant that it has where it cannot. */
type Wish = { run: UpcomingRun; wish: number | null; keepsElse: boolean }

/**
 * The runs that get the instant that they are to have: one that another run keeps nobody gets. Whoever does not get its
 * own and keeps the one it has takes that from others in turn.
 */
function placedRuns(wishes: readonly Wish[], others: readonly OtherRun[]): Set<UpcomingRun> {
  const kept = new Set(others.map(({ occurrenceAt }) => occurrenceAt))
  let open = wishes
  for (;;) {
    const taken = new Set(kept)
    const placed: Wish[] = []
    for (const each of open) {
      const { run, wish, keepsElse } = each
      if (wish !== null && !taken.has(wish)) {
        taken.add(wish)
        placed.push(each)
      } else if (keepsElse) kept.add(run.occurrenceAt)
    }
    if (placed.length === open.length) return new Set(placed.map(({ run }) => run))
    open = placed
  }
}

function planOf(run: UpcomingRun, occurrence: Occurrence | null, graceSeconds: number): Planned {
  const occurrenceAt = occurrence?.at ?? run.occurrenceAt
  const scheduledFor = run.moved ? run.scheduledFor : occurrenceAt
  const { adjusted, shiftMinutes } = occurrence ?? run
  return {
    occurrenceAt,
    scheduledFor,
    graceUntil: graceUntil(scheduledFor, graceSeconds),
    adjusted: adjusted ?? null,
    shiftMinutes: shiftMinutes ?? null,
  }
}

const shiftOf = (run: UpcomingRun, { scheduledFor }: Planned): { from?: number; to?: number } =>
  scheduledFor === run.scheduledFor ? {} : { from: run.scheduledFor, to: scheduledFor }
