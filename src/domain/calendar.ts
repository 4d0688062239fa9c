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
  for (const sharing of byKey.values()) sharing.sort((a, b) => a.at - b.at)
  const found = new Map<CalendarItem, ReadonlySet<string>>()
  for (const item of items) {
    const sharing = item.contendsFor === null ? [] : (byKey.get(item.contendsFor) ?? [])
    const others = new Set<string>()
    for (const other of sharing) {
      if (other.at > item.graceUntil) break
      if (other !== item && other.graceUntil >= item.at) others.add(other.definitionId)
    }
    if (others.size > 0) found.set(item, others)
  }
  return found
}
