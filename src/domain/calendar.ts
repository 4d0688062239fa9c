import { wallText } from './recurrence/civil.ts'
import { wallOfInstant } from './recurrence/local-instant.ts'
import type { ZoneData } from './recurrence/zone-data.ts'

/** An occurrence on the calendar, made or to be made. Instants in milliseconds since the epoch. */
export type CalendarItem = {
  definitionId: string
  /** Null: no run is made of it yet. */
  runId: string | null
  /** When it starts. */
  at: number
  /** The time as authored; what the clocks of `timeZone` show at `at` where none was authored or a person moved it. */
  local: string
  timeZone: string
  adjusted: 'GAP' | 'OVERLAP' | null
  shiftMinutes: number | null
  /** Until when it may start late. */
  graceUntil: number
  /** The key that it needs to start, or holds; null: it contends with nothing. */
  contendsFor: string | null
}

type TimedRun = {
  scheduledFor: Date
  occurrenceKey: string
  timeZone: string
  moved: boolean
  adjusted: CalendarItem['adjusted']
  shiftMinutes: number | null
}

/** When a run starts, as an occurrence on the calendar says it. */
export function timeOfRun(
  { scheduledFor, occurrenceKey, timeZone, moved, adjusted, shiftMinutes }: TimedRun,
  zones: ZoneData,
): Pick<CalendarItem, 'at' | 'local' | 'adjusted' | 'shiftMinutes'> {
  const at = scheduledFor.getTime()
  // A key that is an instant has no local time of its own, and one that a person moved starts at another.
  const isAuthored = !moved && !occurrenceKey.endsWith('Z')
  return {
    at,
    local: isAuthored ? occurrenceKey : wallText(wallOfInstant(at, timeZone, zones)),
    adjusted: moved ? null : adjusted,
    shiftMinutes: moved ? null : shiftMinutes,
  }
}

/**
 * What each of `items` contends with: the definitions of other occurrences, among `all`, that share its concurrency key
 * and whose window from start to the end of grace meets its own. Items that contend with nothing are left out.
 */
export function contentions(
  items: readonly CalendarItem[],
  all: readonly CalendarItem[],
): Map<CalendarItem, ReadonlySet<string>> {
  const byKey = new Map<string, CalendarItem[]>()
  for (const item of all) {
    if (item.contendsFor === null) continue
    const sharing = byKey.get(item.contendsFor)
    if (sharing === undefined) byKey.set(item.contendsFor, [item])
    else sharing.push(item)
  }
  const longest = new Map<string, number>()
  for (const [key, sharing] of byKey) {
    sharing.sort((a, b) => a.at - b.at)
    longest.set(
      key,
      sharing.reduce((most, { at, graceUntil }) => Math.max(most, graceUntil - at), 0),
    )
  }
  const found = new Map<CalendarItem, ReadonlySet<string>>()
  for (const item of items) {
    const { contendsFor: key } = item
    const sharing = key === null ? [] : (byKey.get(key) ?? [])
    const others = new Set<string>()
    // Whatever starts earlier than the longest grace window before it is over when it comes.
    const begin = key === null ? 0 : firstFrom(sharing, item.at - (longest.get(key) ?? 0))
    for (let index = begin; index < sharing.length; index += 1) {
      const other = sharing[index]
      if (other === undefined || other.at > item.graceUntil) break
      if (other !== item && other.graceUntil >= item.at) others.add(other.definitionId)
    }
    if (others.size > 0) found.set(item, others)
  }
  return found
}

/** The place of the first that starts at an instant or after it, among items in order. */
function firstFrom(items: readonly CalendarItem[], at: number): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((items[middle]?.at ?? at) < at) low = middle + 1
    else high = middle
  }
  return low
}
