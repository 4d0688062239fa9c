import { setImmediate } from 'node:timers/promises'
import type { ControlContext } from '../controls/context.ts'
import type { CalendarItem } from '../domain/calendar.ts'
import { graceUntil } from '../domain/grace.ts'
import { DAY_MS } from '../domain/recurrence/civil.ts'
import { occurrencesBetween } from '../domain/recurrence/occurrences.ts'
import type { SchedulingTimetable } from '../domain/timetable.ts'
import { occurrencesMade, type ScheduledDefinition, scheduledDefinitions } from '../store/calendar-reads.ts'
import { readTimetableSources } from '../store/planned-versions.ts'

/** Timetables that are read at a time. */
const TIMETABLES_AT_ONCE = 1_000
/** Further than this newer zone data moves no occurrence. */
const FURTHEST_MOVE_MS = 2 * DAY_MS

/** Instants in milliseconds since the epoch; `to` is not part of it. */
export type Window = { from: number; to: number }

/** A definition that makes runs by a schedule, with its timetable. */
export type Scheduled = ScheduledDefinition & { timetable: SchedulingTimetable }

/** The definitions that make runs by a schedule, such of them or all, with their timetables. */
export async function scheduled(
  { db, timetables }: ControlContext,
  which: Parameters<typeof scheduledDefinitions>[1],
): Promise<Scheduled[]> {
  const definitions = await scheduledDefinitions(db, which)
  const found = new Map(definitions.map(({ versionId }) => [versionId, timetables.get(versionId)]))
  const missing = [...found].flatMap(([versionId, timetable]) => (timetable === undefined ? [versionId] : []))
  for (let done = 0; done < missing.length; done += TIMETABLES_AT_ONCE) {
    const sources = await readTimetableSources(db.prisma, missing.slice(done, done + TIMETABLES_AT_ONCE))
    for (const source of sources) found.set(source.id, timetables.add(source))
  }
  return definitions.flatMap((definition) => {
    const timetable = found.get(definition.versionId)
    return timetable == null ? [] : [{ ...definition, timetable }]
  })
}

/** What a schedule will make; `key` is what will be its identity. */
export type Projection = CalendarItem & {
  key: string
  version: number
  verified: boolean
  settledAt: number
  turns: number
}

/** Definitions that are expanded in one stretch, before others get their turn. */
const DEFINITIONS_AT_ONCE = 100

/**
 * What schedules will make in a window and of which there is no run: where it is more than `limit`, the nearest, one more
 * than that. From `until` on there may be more than is told of: the end of the window, where that is all.
 */
export async function projections(
  control: ControlContext,
  definitions: readonly Scheduled[],
  { from, to, limit }: Window & { limit: number },
): Promise<{ planned: Projection[]; until: number }> {
  const now = control.clock.now()
  let planned: Projection[] = []
  let until = to
  const keepNearest = () => {
    if (planned.length <= limit) return
    planned.sort((a, b) => a.at - b.at || (a.definitionId < b.definitionId ? -1 : 1))
    planned = planned.slice(0, limit + 1)
    until = planned.at(-1)?.at ?? until
  }
  for (const [index, definition] of definitions.entries()) {
    if (index > 0 && index % DEFINITIONS_AT_ONCE === 0) await setImmediate()
    const { definitionId, timetable, verified, settledAt, resumedAt, turns, materialisedUntil } = definition
    const begin = Math.max(from, now, resumedAt?.getTime() ?? 0, materialisedUntil?.getTime() ?? 0)
    if (begin >= until) continue
    const { timeZone, graceSeconds, concurrencyKey, version } = timetable
    for (const occurrence of occurrencesBetween(timetable.schedule, begin, until, { limit: limit + 1 })) {
      planned.push({
        definitionId,
        runId: null,
        at: occurrence.at,
        local: occurrence.local,
        timeZone,
        adjusted: occurrence.adjusted ?? null,
        shiftMinutes: occurrence.shiftMinutes ?? null,
        graceUntil: graceUntil(occurrence.at, graceSeconds),
        contendsFor: concurrencyKey,
        key: occurrence.key,
        version,
        verified,
        settledAt: Math.max(settledAt.getTime(), resumedAt?.getTime() ?? 0),
        turns,
      })
    }
    if (planned.length > 2 * (limit + 1)) keepNearest()
  }
  keepNearest()
  if (planned.length === 0) return { planned, until }
  const instants = planned.map(({ at }) => at)
  const made = await occurrencesMade(control.db, {
    definitionIds: [...new Set(planned.map(({ definitionId }) => definitionId))],
    from: new Date(instants.reduce((a, b) => Math.min(a, b)) - FURTHEST_MOVE_MS),
    to: new Date(instants.reduce((a, b) => Math.max(a, b)) + FURTHEST_MOVE_MS),
  })
  const taken = new Set(
    made.flatMap(({ definitionId, occurrenceKey, occurrenceAt }) => [
      `${definitionId} ${occurrenceKey}`,
      `${definitionId} ${occurrenceAt.getTime()}`,
    ]),
  )
  const unmade = planned.filter(
    ({ definitionId, key, at }) => !taken.has(`${definitionId} ${key}`) && !taken.has(`${definitionId} ${at}`),
  )
  return { planned: unmade, until }
}
