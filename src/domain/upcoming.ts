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

export type TakenAlong = { changes: UpcomingChange[]; kept: number; cancelled: number }

/**
 * What a new version does to the upcoming runs (section 12). A run whose key is in the new schedule goes on in the new
 * version; one whose key is not is superseded. A run that a person moved is never superseded and never moved again; one of
 * which a person skipped a step stays in its version. `timetable` null: the new schedule is manual.
 */
export function takeAlong(
  upcoming: readonly UpcomingRun[],
  {
    timetable,
    version,
    others,
    now,
    actor,
  }: {
    timetable: Timetable | null
    version: number
    others: readonly OtherRun[]
    now: number
    actor: Actor
  },
): TakenAlong {
  const plans = upcoming.map((run): Plan & { staysInVersion: boolean } => {
    const occurrence = inSchedule(timetable, run)
    const staysInVersion = run.hasSkippedStep && (run.moved || occurrence !== null)
    return { run, occurrence, staysInVersion, leaves: !run.moved && !staysInVersion }
  })
  const free = plansWithRoom(
    plans.map((plan) => (plan.staysInVersion ? { ...plan, occurrence: null } : plan)),
    others,
  )
  const changes: UpcomingChange[] = []
  let kept = 0
  for (const { run, occurrence, staysInVersion, leaves } of plans) {
    if (leaves && !free.has(run)) {
      const because = `superseded by version ${version}`
      const line = log.runSuperseded({ at: now, actor }, { version, previousVersion: run.version, cancelled: true })
      changes.push({ kind: 'SUPERSEDE', run, because, line })
      continue
    }
    kept += 1
    if (staysInVersion || timetable === null) continue
    const planned = planOf(run, free.has(run) ? occurrence : null, timetable.graceSeconds)
    const line = log.runSuperseded(
      { at: now, actor },
      { version, previousVersion: run.version, cancelled: false, ...shiftOf(run, planned) },
    )
    changes.push({ kind: 'REPIN', run, ...planned, line })
  }
  return { changes, kept, cancelled: changes.filter(({ kind }) => kind === 'SUPERSEDE').length }
}

/**
 * Where newer zone data put the occurrences of upcoming runs; they keep their identity, and what a person moved stays
 * where it is. `timetables`: by version; a run whose version has none is left alone.
 */
export function moveByZoneData(
  upcoming: readonly UpcomingRun[],
  {
    timetables,
    others,
    now,
    zoneData,
  }: { timetables: ReadonlyMap<string, Timetable>; others: readonly OtherRun[]; now: number; zoneData: string },
): UpcomingChange[] {
  const plans = upcoming.map((run): Plan => {
    return { run, occurrence: inSchedule(timetables.get(run.versionId) ?? null, run), leaves: false }
  })
  const free = plansWithRoom(plans, others)
  return plans.flatMap(({ run, occurrence }): UpcomingChange[] => {
    if (occurrence === null || occurrence.at === run.occurrenceAt || !free.has(run)) return []
    const planned = planOf(run, occurrence, run.graceSeconds)
    const { from, to } = shiftOf(run, planned)
    const line =
      from === undefined || to === undefined
        ? null
        : log.runMoved({ at: now }, { scheduledFrom: from, scheduledFor: to, zoneData })
    return [{ kind: 'MOVE', run, ...planned, line }]
  })
}

const inSchedule = (timetable: Timetable | null, run: UpcomingRun) =>
  timetable?.schedule == null ? null : occurrenceOfKey(timetable.schedule, run.occurrenceKey)

/** Where a run is to be; `occurrence` null, or no room there: it leaves the schedule, or stays at the instant that it has. */
type Plan = { run: UpcomingRun; occurrence: Occurrence | null; leaves: boolean }

/**
 * The runs that can have the instant of their occurrence, one run each. A run that stays keeps its instant from the one
 * that was to have it, which then has to stay or leave too.
 */
function plansWithRoom(plans: readonly Plan[], others: readonly OtherRun[]): ReadonlySet<UpcomingRun> {
  const taken = new Set(others.map(({ occurrenceAt }) => occurrenceAt))
  for (const { run, occurrence, leaves } of plans) if (occurrence === null && !leaves) taken.add(run.occurrenceAt)
  const placed = new Map<number, Plan>()
  const displaced: Plan[] = []
  for (const plan of plans) {
    const at = plan.occurrence?.at
    if (at === undefined) continue
    if (taken.has(at) || placed.has(at)) displaced.push(plan)
    else placed.set(at, plan)
  }
  for (const { run, leaves } of displaced) {
    if (leaves) continue
    const next = placed.get(run.occurrenceAt)
    if (next === undefined) continue
    placed.delete(run.occurrenceAt)
    displaced.push(next)
  }
  return new Set([...placed.values()].map(({ run }) => run))
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
