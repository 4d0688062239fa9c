import type { ZoneData } from './zone-data.ts'

const MINUTE_MS = 60_000
/** No zone's offset is as large, so that this far on either side the offsets are those before and after a change. */
const AROUND_MS = 15 * 60 * MINUTE_MS

export type Resolved = { at: number; adjusted?: 'GAP' | 'OVERLAP'; shiftMinutes?: number }

/**
 * The instant at which a zone's clocks show a wall time. One that they skip moves forward by as much as they do; of one
 * that they show twice it is the first. RFC 5545 says both "ignore" (3.3.10) and "shift" (3.3.5) of the former.
 */
export function instantOfWall(wall: number, zone: string, zones: ZoneData): Resolved {
  const before = zones.offset(zone, wall - AROUND_MS)
  const after = zones.offset(zone, wall + AROUND_MS)
  if (before === after) return { at: wall - before }
  const byBefore = wall - before
  const byAfter = wall - after
  const beforeHolds = zones.offset(zone, byBefore) === before
  const afterHolds = zones.offset(zone, byAfter) === after
  if (beforeHolds && afterHolds) return { at: Math.min(byBefore, byAfter), adjusted: 'OVERLAP' }
  if (beforeHolds) return { at: byBefore }
  if (afterHolds) return { at: byAfter }
  const shift = byBefore + zones.offset(zone, byBefore) - wall
  return { at: byBefore, adjusted: 'GAP', shiftMinutes: Math.round(shift / MINUTE_MS) }
}

/** What a zone's clocks show at an instant, as a wall time. */
export function wallOfInstant(at: number, zone: string, zones: ZoneData): number {
  return at + zones.offset(zone, at)
}
