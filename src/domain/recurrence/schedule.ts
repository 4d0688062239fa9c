import type { Schedule } from '../spec.ts'
import type { Occurrence } from './occurrence.ts'
import type { ZoneData } from './zone-data.ts'

/** A schedule made ready for questions, with the zone data it was compiled with. Compile once per version and keep it. */
export type CompiledSchedule = { readonly zone: string; readonly zones: ZoneData }

/** Throws only on what `checkSchedule` would have named, or a zone that `zones` does not have. */
export function compileSchedule(_schedule: Schedule, _zone: string, _zones: ZoneData): CompiledSchedule {
  throw new Error('not built yet')
}

/**
 * The occurrences in [from, to), in order, one per instant; the earliest `limit` of them. Takes time by the length of the
 * window, however long ago the schedule began. Never throws.
 */
export function occurrencesBetween(
  _compiled: CompiledSchedule,
  _from: number,
  _to: number,
  _options: { limit: number },
): Occurrence[] {
  throw new Error('not built yet')
}

/** The occurrence that has this key in this schedule; null where none has. Never throws. */
export function occurrenceOfKey(_compiled: CompiledSchedule, _key: string): Occurrence | null {
  throw new Error('not built yet')
}

/** The first `count` occurrences from an instant on, that instant included; looks at most 60 years ahead. */
export function nextOccurrences(_compiled: CompiledSchedule, _from: number, _count: number): Occurrence[] {
  throw new Error('not built yet')
}
