import { isLocalDateTime } from '../local-time.ts'
import { DAY_MS, dateText, dayOfWall, FIRST_WALL, LAST_WALL, readWall, timeText } from './civil.ts'
import { elapsedBetween } from './elapsed-rule.ts'
import { instantOfWall, type Resolved, wallOfInstant } from './local-instant.ts'
import type { Occurrence } from './occurrence.ts'
import type { Until } from './rule.ts'
import type { CompiledSchedule } from './schedule.ts'
import { wallTimesBetween } from './wall-rule.ts'

const HOUR_MS = 3_600_000
/** A wall time's instant is at most so much after the wall time read as UTC: an offset and a gap of a day. */
const WALL_BEFORE_MS = 51 * HOUR_MS
/** And at most so much before it. */
const WALL_AFTER_MS = 27 * HOUR_MS
/** How far ahead the next occurrences are looked for: 60 years. */
export const LOOK_AHEAD_MS = 60 * 366 * DAY_MS
/** Longer than the runner's usual horizon, which is then looked through in one go. */
const FIRST_CHUNK_MS = 15 * DAY_MS
/** What one chunk may hold: chunks grow while nothing is found, and a rule of every minute may begin in decades. */
const MAX_IN_CHUNK = 20_000

/** What a schedule gives before exclusions, and before what falls on one instant is merged. */
export type Candidate = {
  at: number
  /** The nominal wall time; of an instant, what the clocks show. */
  wall: number
  /** Whether it is identified by its instant. */
  isInstant: boolean
  isIncluded: boolean
  adjusted: Resolved['adjusted'] | undefined
  shiftMinutes: number | undefined
}

/**
 * The occurrences in [from, to), in order, one per instant; the earliest `limit` of them. Takes time by the length of the
 * window, however long ago the schedule began. Never throws.
 */
export function occurrencesBetween(
  compiled: CompiledSchedule,
  from: number,
  to: number,
  { limit }: { limit: number },
): Occurrence[] {
  const found: Occurrence[] = []
  const end = Math.min(to, LAST_WALL + 1)
  const perDay = mostPerDay(compiled)
  const longest = (MAX_IN_CHUNK / perDay) * DAY_MS
  let begin = Math.max(from, FIRST_WALL)
  let length = Math.min(FIRST_CHUNK_MS, Math.max(limit / perDay, 1) * DAY_MS)
  for (; begin < end && found.length < limit; length = Math.min(length * 2, longest)) {
    const next = Math.min(begin + length, end)
    for (const occurrence of allBetween(compiled, begin, next)) found.push(occurrence)
    begin = next
  }
  return found.length > limit ? found.slice(0, Math.max(limit, 0)) : found
}

/** How many times a rule gives in a day at most. */
function mostPerDay({ wallRule, elapsedRule }: CompiledSchedule): number {
  return Math.max(wallRule?.times.length ?? 0, elapsedRule === null ? 0 : DAY_MS / elapsedRule.step, 1)
}

/**
 * The occurrence that has this key in this schedule, which may lie at another instant than when the key was made; null
 * where none has. Never throws.
 */
export function occurrenceOfKey(compiled: CompiledSchedule, key: string): Occurrence | null {
  const at = instantOfKey(compiled, key)
  if (at === null) return null
  return occurrencesBetween(compiled, at, at + 1, { limit: 1 }).find((occurrence) => occurrence.key === key) ?? null
}

function instantOfKey({ zone, zones }: CompiledSchedule, key: string): number | null {
  if (isLocalDateTime(key)) return instantOfWall(readWall(key), zone, zones).at
  const at = Date.parse(key)
  return Number.isNaN(at) ? null : at
}

/** The first `count` occurrences from an instant on, that instant included; looks at most 60 years ahead. */
export function nextOccurrences(compiled: CompiledSchedule, from: number, count: number): Occurrence[] {
  return occurrencesBetween(compiled, from, from + LOOK_AHEAD_MS, { limit: count })
}

/** Whether a schedule may give anything from an instant on, however far ahead; false: it is over. */
export function mayGoOn({ wallRule, untilInstant, elapsedRule, singles }: CompiledSchedule, from: number): boolean {
  if (from > LAST_WALL) return false
  const isWallOver = wallRule === null || from > Math.min(untilInstant, wallRule.last + WALL_BEFORE_MS)
  const isElapsedOver = elapsedRule === null || from > Math.min(elapsedRule.last, lastOf(elapsedRule.until))
  return !(isWallOver && isElapsedOver && singles.every(({ at }) => at < from))
}

function lastOf(until: Until | null): number {
  if (until === null) return LAST_WALL
  return until.kind === 'instant' ? until.at : until.at + WALL_BEFORE_MS
}

function allBetween(compiled: CompiledSchedule, from: number, to: number): Occurrence[] {
  const candidates = candidatesBetween(compiled, from, to)
  const { excludedDays, excludedInstants } = compiled
  const hasExclusions = excludedDays.size > 0 || excludedInstants.size > 0
  const kept = hasExclusions ? candidates.filter((candidate) => !isExcluded(compiled, candidate)) : candidates
  if (!isAscending(kept)) kept.sort(byInstant)
  const occurrences: Occurrence[] = []
  const dates = dateTexts()
  let last = Number.NEGATIVE_INFINITY
  for (const candidate of kept) {
    if (candidate.at === last) continue
    last = candidate.at
    occurrences.push(occurrenceOf(candidate, dates))
  }
  return occurrences
}

/** What a schedule gives in [from, to), in no order. */
export function candidatesBetween(compiled: CompiledSchedule, from: number, to: number): Candidate[] {
  const { wallRule, elapsedRule, singles, untilInstant, zone, zones } = compiled
  const candidates: Candidate[] = []
  if (wallRule !== null) {
    const walls =
      to === from + 1
        ? wallTimesAt(from, compiled).filter((wall) => wallTimesBetween(wallRule, wall, wall + 1).length > 0)
        : wallTimesBetween(wallRule, from - WALL_BEFORE_MS, to + WALL_AFTER_MS)
    for (const wall of walls) {
      const resolved = instantOfWall(wall, zone, zones)
      if (resolved.at < from || resolved.at >= to || resolved.at > untilInstant) continue
      const { at, adjusted, shiftMinutes } = resolved
      candidates.push({ at, wall, isInstant: false, isIncluded: false, adjusted, shiftMinutes })
    }
  }
  if (elapsedRule !== null) {
    const wallOf = (at: number) => wallOfInstant(at, zone, zones)
    for (const { at, wall } of elapsedBetween(elapsedRule, { from, to, wallOf })) {
      candidates.push({ at, wall, isInstant: true, isIncluded: false, adjusted: undefined, shiftMinutes: undefined })
    }
  }
  for (const single of singles) {
    if (single.at < from || single.at >= to) continue
    const isInstant = single.wall === null
    const wall = single.wall ?? wallOfInstant(single.at, zone, zones)
    if (wall < FIRST_WALL || wall > LAST_WALL) continue
    const { at, adjusted, shiftMinutes } = single
    candidates.push({ at, wall, isInstant, isIncluded: true, adjusted, shiftMinutes })
  }
  return candidates
}

/** Nowhere were clocks changed twice within this. */
const PROBE_MS = 3 * HOUR_MS

/** The few wall times that may come to fall on one instant; a dense rule has thousands around it. */
function wallTimesAt(at: number, { zone, zones }: Pick<CompiledSchedule, 'zone' | 'zones'>): number[] {
  const walls = new Set<number>()
  for (let probe = at - WALL_BEFORE_MS; probe <= at + WALL_BEFORE_MS; probe += PROBE_MS) {
    walls.add(at + zones.offset(zone, probe))
  }
  return [...walls].sort((a, b) => a - b)
}

export function isExcluded(
  { excludedDays, excludedInstants }: Pick<CompiledSchedule, 'excludedDays' | 'excludedInstants'>,
  { at, wall }: Candidate,
): boolean {
  return excludedInstants.has(at) || excludedDays.has(dayOfWall(wall))
}

/** Nearly always they are. */
function isAscending(candidates: Candidate[]): boolean {
  let last = Number.NEGATIVE_INFINITY
  for (const { at } of candidates) {
    if (at <= last) return false
    last = at
  }
  return true
}

/** Of those at one instant the first stands: one that was not moved, then the rule's own, then a local time. */
function byInstant(a: Candidate, b: Candidate): number {
  return a.at - b.at || rankOf(a) - rankOf(b) || a.wall - b.wall
}

function rankOf({ adjusted, isInstant, isIncluded }: Candidate): number {
  if (isIncluded && isInstant) return 4
  return (adjusted === 'GAP' ? 2 : 0) + (isIncluded ? 1 : 0)
}

function occurrenceOf({ at, wall, isInstant, adjusted, shiftMinutes }: Candidate, dates: DateTexts): Occurrence {
  const day = dayOfWall(wall)
  const local = `${dates(day)}T${timeText(wall - day * DAY_MS)}`
  const occurrence: Occurrence = { at, key: isInstant ? new Date(at).toISOString() : local, local }
  if (adjusted !== undefined) occurrence.adjusted = adjusted
  if (shiftMinutes !== undefined) occurrence.shiftMinutes = shiftMinutes
  return occurrence
}

type DateTexts = (day: number) => string

/** Occurrences of one day come together. */
function dateTexts(): DateTexts {
  let day = Number.NaN
  let text = ''
  return (wanted) => {
    if (wanted !== day) {
      day = wanted
      text = dateText(wanted)
    }
    return text
  }
}
