import { setImmediate } from 'node:timers/promises'
import type { ControlContext } from '../controls/context.ts'
import { timeOfRun } from '../domain/calendar.ts'
import type { Occurrence } from '../domain/recurrence/occurrence.ts'
import { nextOccurrences } from '../domain/recurrence/occurrences.ts'
import { type NextRun, nextRuns, placesMade } from '../store/next-starts.ts'
import { type Scheduled, scheduled } from './projections.ts'

/** What starts next of a definition; its instant in milliseconds since the epoch. */
export type NextStart = {
  /** Null: there is no run of it yet. */
  runId: string | null
  at: number
  local: string
  scope: string
  /** A person moved it. */
  moved: boolean
  adjusted: 'GAP' | 'OVERLAP' | null
  shiftMinutes: number | null
}

/** Definitions whose schedules are looked at in one stretch, before others get their turn. */
const DEFINITIONS_AT_ONCE = 100
/** Occurrences of one definition that are looked at in one go, where all before them were made. */
const MOST_AT_ONCE = 1_000

/**
 * What starts next of each definition, earliest first, at most `count` of each: the runs that wait for their start, from
 * whatever source, and what the schedule will make beyond how far it is expanded, unless it is paused or held.
 */
export async function nextStartsOf(
  control: ControlContext,
  ids: readonly string[],
  count: number,
): Promise<Map<string, NextStart[]>> {
  if (count === 0) return new Map()
  // How far schedules are expanded is read before the runs, so that what becomes a run meanwhile is in one of them.
  const schedules = await scheduled(control, { ids })
  const runs = await runsByDefinition(control, ids, count)
  const reaching = schedules.flatMap((schedule) => {
    const from = unmadeFrom(schedule, control.clock.now())
    const last = runs.get(schedule.definitionId)?.[count - 1]
    return from === null || (last !== undefined && last.scheduledFor.getTime() <= from) ? [] : [{ schedule, from }]
  })
  const planned = await unmade(control, reaching, count)
  // What was made since the runs were read is not among what is unmade.
  const reached = reaching.map(({ schedule }) => schedule.definitionId)
  for (const id of reached) runs.delete(id)
  if (reached.length > 0) for (const [id, those] of await runsByDefinition(control, reached, count)) runs.set(id, those)
  return new Map(
    ids.map((id) => [id, merge(control, runs.get(id) ?? [], planned.get(id) ?? []).slice(0, count)] as const),
  )
}

async function runsByDefinition({ db }: ControlContext, definitionIds: readonly string[], limit: number) {
  const found = new Map<string, NextRun[]>()
  for (const run of await nextRuns(db, { definitionIds, limit })) {
    const those = found.get(run.definitionId)
    if (those === undefined) found.set(run.definitionId, [run])
    else those.push(run)
  }
  return found
}

/** From when on a schedule makes runs of which there are none yet; null: it makes none. */
function unmadeFrom({ verified, resumedAt, materialisedUntil }: Scheduled, now: number): number | null {
  if (!verified || materialisedUntil === null) return null
  return Math.max(now, resumedAt?.getTime() ?? 0, materialisedUntil.getTime())
}

type Reaching = { schedule: Scheduled; from: number }

/** The first `count` occurrences of each schedule from an instant on of which there is no run. */
async function unmade(
  { db }: ControlContext,
  reaching: readonly Reaching[],
  count: number,
): Promise<Map<string, Occurrence[]>> {
  const found = new Map<string, Occurrence[]>()
  let looking = reaching
  for (let size = count; looking.length > 0; size = Math.min(size * 4, Math.max(count, MOST_AT_ONCE))) {
    const candidates: (Occurrence & { definitionId: string })[] = []
    const further: Reaching[] = []
    for (const [index, { schedule, from }] of looking.entries()) {
      if (index > 0 && index % DEFINITIONS_AT_ONCE === 0) await setImmediate()
      const { definitionId } = schedule
      const occurrences = nextOccurrences(schedule.timetable.schedule, from, size)
      for (const occurrence of occurrences) candidates.push({ ...occurrence, definitionId })
      const last = occurrences.at(-1)
      if (last !== undefined && occurrences.length === size) further.push({ schedule, from: last.at + 1 })
    }
    if (candidates.length === 0) break
    const made = await placesMade(db, candidates)
    for (const [place, { definitionId, ...occurrence }] of candidates.entries()) {
      if (made.has(place)) continue
      const those = found.get(definitionId)
      if (those === undefined) found.set(definitionId, [occurrence])
      else those.push(occurrence)
    }
    looking = further.filter(({ schedule }) => (found.get(schedule.definitionId)?.length ?? 0) < count)
  }
  return found
}

function merge({ zones }: ControlContext, runs: readonly NextRun[], planned: readonly Occurrence[]): NextStart[] {
  const unscoped = runs.filter(({ scope }) => scope === '')
  const keys = new Set(unscoped.map(({ occurrenceKey }) => occurrenceKey))
  const instants = new Set(unscoped.map(({ occurrenceAt }) => occurrenceAt.getTime()))
  const starts: NextStart[] = [
    ...runs.map((run) => ({ runId: run.runId, scope: run.scope, moved: run.moved, ...timeOfRun(run, zones) })),
    ...planned
      .filter(({ key, at }) => !keys.has(key) && !instants.has(at))
      .map(({ at, local, adjusted = null, shiftMinutes = null }) => {
        return { runId: null, scope: '', moved: false, at, local, adjusted, shiftMinutes }
      }),
  ]
  return starts.sort((one, other) => one.at - other.at)
}
