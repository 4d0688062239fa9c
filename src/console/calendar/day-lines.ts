import type { Day } from '../time/day-field.ts'
import { dayOf } from './days.ts'
import { isTrouble, type Occurrence } from './occurrence.ts'

/** What a day shows in one line: an occurrence, or all of one event where the day has too many. */
export type DayLine =
  | { kind: 'one'; occurrence: Occurrence }
  | { kind: 'many'; occurrences: readonly Occurrence[] }
  /** What there is no room for. */
  | { kind: 'more'; occurrences: readonly Occurrence[] }

/** Fewer of one event than that stand by themselves on a full day, too. */
const MANY = 3

/** The lines of a day, at most so many; what gives trouble is counted where it does not stand by itself. */
export function linesOf(occurrences: readonly Occurrence[], limit: number): DayLine[] {
  if (occurrences.length <= limit) return occurrences.map((occurrence) => ({ kind: 'one', occurrence }))
  const byEvent = gather(occurrences, ({ definition }) => definition.id)
  const lines: DayLine[] = []
  const gathered = new Set<string>()
  for (const occurrence of occurrences) {
    const { id } = occurrence.definition
    const all = byEvent.get(id) ?? []
    if (all.length < MANY) lines.push({ kind: 'one', occurrence })
    else if (!gathered.has(id)) lines.push({ kind: 'many', occurrences: all })
    gathered.add(id)
  }
  if (lines.length <= limit) return lines
  const rest = lines.splice(limit - 1)
  return [
    ...lines,
    { kind: 'more', occurrences: rest.flatMap((line) => (line.kind === 'one' ? [line.occurrence] : line.occurrences)) },
  ]
}

/** By the day on which they start where who looks is, in order. */
export function byDay(occurrences: readonly Occurrence[]): ReadonlyMap<Day, Occurrence[]> {
  return gather(occurrences, ({ at }) => dayOf(at))
}

function gather(
  occurrences: readonly Occurrence[],
  by: (occurrence: Occurrence) => string,
): ReadonlyMap<string, Occurrence[]> {
  const gathered = new Map<string, Occurrence[]>()
  for (const occurrence of occurrences) {
    const alike = gathered.get(by(occurrence))
    if (alike === undefined) gathered.set(by(occurrence), [occurrence])
    else alike.push(occurrence)
  }
  return gathered
}

export const troubles = (occurrences: readonly Occurrence[]): number => occurrences.filter(isTrouble).length
