import { graceUntil } from './grace.ts'
import { type ParamValue, resolveParams } from './parameters.ts'
import type { Occurrence } from './recurrence/occurrence.ts'
import { nextOccurrences, occurrencesBetween } from './recurrence/occurrences.ts'
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

/** The timetables of versions, each made once: versions never change. */
export class Timetables {
  readonly #zones: ZoneData
  readonly #kept = new Map<string, Timetable | null>()

  constructor(zones: ZoneData) {
    this.#zones = zones
  }

  /** The ids among these whose timetable is not made yet. */
  missing(versionIds: readonly string[]): string[] {
    return versionIds.filter((id) => !this.#kept.has(id))
  }

  add(version: TimetableSource): void {
    let timetable: Timetable | null = null
    try {
      timetable = timetableOf(version, this.#zones)
    } catch {
      // Nothing can be made of it, which the runner says in the log.
    }
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= KEPT && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(version.id, timetable)
  }

  /** Null: the version makes no runs by itself. */
  get(versionId: string): (Timetable & { schedule: CompiledSchedule }) | null {
    const timetable = this.#kept.get(versionId)
    const schedule = timetable?.schedule ?? null
    return timetable == null || schedule === null ? null : { ...timetable, schedule }
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
  return { occurrences, until: next?.at ?? null }
}

/** The instants of a run that the schedule makes at an occurrence. */
export function instantsOf(occurrence: Occurrence, graceSeconds: number) {
  const { at } = occurrence
  return { occurrenceAt: at, scheduledFor: at, graceUntil: graceUntil(at, graceSeconds) }
}
