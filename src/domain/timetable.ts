import { graceUntil } from './grace.ts'
import { type ParamValue, resolveParams } from './parameters.ts'
import type { Occurrence } from './recurrence/occurrence.ts'
import { LOOK_AHEAD_MS, mayGoOn, nextOccurrences, occurrencesBetween } from './recurrence/occurrences.ts'
import { type CompiledSchedule, compileSchedule } from './recurrence/schedule.ts'
import type { ZoneData } from './recurrence/zone-data.ts'
import { parseParameters, parseVersionSchedule } from './spec.ts'
import { keyProblem, renderKey } from './template.ts'

/** What of a version as it is stored makes a timetable. */
export type TimetableSource = {
  id: string
  version: number
  schedule: unknown
  timeZone: string
  graceSeconds: number
  concurrencyKey: string | null
  parameters: unknown
}

/** What a version makes of its schedule: runs that are all alike but for their instant. */
export type Timetable = {
  versionId: string
  version: number
  timeZone: string
  graceSeconds: number
  /** Rendered; null: they share nothing. */
  concurrencyKey: string | null
  /** The parameters' defaults, since nobody is there to ask. */
  params: Record<string, ParamValue>
  /** Null: manual. */
  schedule: CompiledSchedule | null
}

/**
 * What a version makes of its schedule. Throws an Error with a sentence where it can make nothing: publishing rules that
 * out, but for a manual one of which a parameter is required and has no default.
 */
export function timetableOf(version: TimetableSource, zones: ZoneData): Timetable {
  const schedule = parseVersionSchedule(version.schedule)
  if (schedule === null) throw new Error('The version has no schedule that can be read')
  const resolved = resolveParams(parseParameters(version.parameters), {})
  if (!resolved.ok) throw new Error(resolved.issues.map(({ path, message }) => `${path}: ${message}`).join(' '))
  const { params } = resolved
  const concurrencyKey = version.concurrencyKey === null ? null : renderKey(version.concurrencyKey, params)
  const problem = concurrencyKey === null ? null : keyProblem(concurrencyKey)
  if (problem !== null) throw new Error(`The concurrency key ${problem}`)
  return {
    versionId: version.id,
    version: version.version,
    timeZone: version.timeZone,
    graceSeconds: version.graceSeconds,
    concurrencyKey,
    params,
    schedule: 'manual' in schedule ? null : compileSchedule(schedule, version.timeZone, zones),
  }
}

/** Timetables that are kept: a few kilobytes each. */
const KEPT = 20_000

/** Of a version that makes runs by itself. */
export type SchedulingTimetable = Timetable & { schedule: CompiledSchedule }

/** The timetables of versions, each made once: versions never change. */
export class Timetables {
  readonly #zones: ZoneData
  readonly #kept = new Map<string, SchedulingTimetable | null>()
  readonly #limit: number

  constructor(zones: ZoneData, limit: number = KEPT) {
    this.#zones = zones
    this.#limit = limit
  }

  /** Makes the timetable of a version, and keeps it for as long as there is room. Null: it makes no runs by itself. */
  add(version: TimetableSource): SchedulingTimetable | null {
    let timetable: SchedulingTimetable | null = null
    try {
      const { schedule, ...made } = timetableOf(version, this.#zones)
      timetable = schedule === null ? null : { ...made, schedule }
    } catch {
      // Nothing can be made of it, which the runner says in the log.
    }
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= this.#limit && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(version.id, timetable)
    return timetable
  }

  /** Null: the version makes no runs by itself; undefined: its timetable is not at hand. */
  get(versionId: string): SchedulingTimetable | null | undefined {
    return this.#kept.get(versionId)
  }
}

/** What an expansion has to know of a definition besides its version. Instants in milliseconds since the epoch. */
export type ExpansionState = {
  verifiedAt: number
  /** The last resume of the schedule; null: it was never paused. */
  resumedAt: number | null
  materialisedUntil: number
}

export type Expansion = {
  occurrences: Occurrence[]
  /** Everything before it is expanded; null: no occurrence follows, ever. */
  until: number | null
}

/**
 * What an expansion covers: from the latest of the grace window's begin, the verification, the last resume and what was
 * expanded already, to the horizon. Nothing is invented for the past (section 4).
 */
export function expansionWindow(
  { graceSeconds }: Pick<Timetable, 'graceSeconds'>,
  { verifiedAt, resumedAt, materialisedUntil }: ExpansionState,
  { now, horizonMs }: { now: number; horizonMs: number },
): { from: number; to: number } {
  const from = Math.max(now - graceSeconds * 1000, verifiedAt, resumedAt ?? 0, materialisedUntil)
  return { from, to: Math.max(from, now + horizonMs) }
}

/** The next occurrences to become runs, at most `limit`. */
export function expand(
  timetable: Pick<Timetable, 'schedule' | 'graceSeconds'>,
  state: ExpansionState,
  { limit, ...bounds }: { now: number; horizonMs: number; limit: number },
): Expansion {
  const { schedule } = timetable
  if (schedule === null) return { occurrences: [], until: null }
  const { from, to } = expansionWindow(timetable, state, bounds)
  const occurrences = occurrencesBetween(schedule, from, to, { limit })
  const last = occurrences.at(-1)
  if (occurrences.length === limit && last !== undefined) return { occurrences, until: last.at + 1 }
  const [next] = nextOccurrences(schedule, to, 1)
  if (next !== undefined) return { occurrences, until: next.at }
  // Further ahead than is looked: it is looked for again when that comes near.
  return { occurrences, until: mayGoOn(schedule, to + LOOK_AHEAD_MS) ? to + LOOK_AHEAD_MS : null }
}

/** The instants of a run that the schedule makes at an occurrence. */
export function instantsOf(occurrence: Occurrence, graceSeconds: number) {
  const { at } = occurrence
  return { occurrenceAt: at, scheduledFor: at, graceUntil: graceUntil(at, graceSeconds) }
}
