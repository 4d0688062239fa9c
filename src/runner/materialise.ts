import { setImmediate } from 'node:timers/promises'
import { SYSTEM } from '../domain/actor.ts'
import { formatId } from '../domain/ids.ts'
import { runBudget, runCreated } from '../domain/log.ts'
import type { Instant } from '../domain/picture.ts'
import { firstSteps } from '../domain/progress.ts'
import { parseVersionPhase } from '../domain/spec.ts'
import { expand, instantsOf, type Timetable, timetableOf } from '../domain/timetable.ts'
import { moveByZoneData, occurrencesOfRuns } from '../domain/upcoming.ts'
import { isRefusedByDatabase } from '../store/faults.ts'
import { mintId, mintStep } from '../store/ids.ts'
import {
  type Expansion,
  expandIfUnchanged,
  readToExpand,
  stopExpandingIfUnverified,
  type ToExpand,
} from '../store/materialise.ts'
import { readTimetableSources } from '../store/planned-versions.ts'
import { inPortions } from '../store/turns.ts'
import { RUNS_IN_ONE_GO, readUpcoming } from '../store/upcoming.ts'
import { moveUpcomingIfUnchanged, type OlderPlan, readOfOlderZoneData } from '../store/zone-moves.ts'
import { currentBudget } from './budget.ts'
import type { WorkContext } from './work-context.ts'

/** New runs of one definition in one pass at most; the next pass goes on. */
const RUNS_PER_DEFINITION = 100
/** Definitions read at a time. */
const DEFINITIONS = 200
const DAY_MS = 86_400_000
/** Rows that are enough for one statement: a start that commits meanwhile waits until they are on disk, too. */
const ROWS_PER_STATEMENT = 300
/** A run's own row and its first line. */
const ROWS_OF_RUN = 2
/** How long a definition of which nothing can be made is left alone. */
const SET_ASIDE_MS = 3_600_000

/** Turns schedules into runs, as far as the horizon; what cannot be expanded is set aside and stops nothing else. */
export class Materialiser {
  readonly #context: WorkContext
  /** Until when versions are left alone; publishing another tries again at once. */
  readonly #setAside = new Map<string, number>()

  constructor(context: WorkContext) {
    this.#context = context
  }

  /** Makes runs of some definitions. `more`: others, or more of the same, are left for the next call. */
  async materialise(): Promise<{ made: number; more: boolean }> {
    const { db, clock, settings, mayDispatch } = this.#context
    const now = clock.now()
    const before = now + settings.horizonDays * DAY_MS
    const due = await readToExpand(db.hot, { before, limit: DEFINITIONS, except: this.#except() })
    const more = due.length > 0
    let made = 0
    let group = await this.#planSome(due, now)
    while (group.length > 0 && mayDispatch()) {
      // The database makes some while the next are planned.
      const [count, next] = await Promise.all([this.#make(group, now), this.#planSome(due, now)])
      made += count
      group = next
    }
    return { made, more }
  }

  /** What is to be made of the first of `due`, which are taken from it, as many as one statement makes. */
  async #planSome(due: ToExpand[], now: Instant): Promise<Expansion[]> {
    const group: Expansion[] = []
    let rows = 0
    while (rows < ROWS_PER_STATEMENT) {
      const read = due.shift()
      if (read === undefined) break
      const expansion = await this.#guarded(read, () => this.#plan(read, now))
      // Planning takes the process some milliseconds together, and others have their turn between.
      await setImmediate()
      if (expansion == null) continue
      group.push(expansion)
      rows += expansion.occurrences.length * (ROWS_OF_RUN + expansion.steps.length)
    }
    return group
  }

  /** Moves upcoming runs to where this process's zone data puts them, where older data put them elsewhere. */
  async moveByZoneData(): Promise<void> {
    const { db, zones, mayDispatch } = this.#context
    const tried: string[] = []
    for (;;) {
      const request = { zoneData: zones.version, limit: DEFINITIONS, except: [...this.#except(), ...tried] }
      const older = await readOfOlderZoneData(db.hot, request)
      if (older.length === 0) return
      for (const read of older) {
        if (!mayDispatch()) return
        await this.#guarded(read, () => this.#move(read))
        // One that somebody changed meanwhile has its turn when older plans are looked for next.
        tried.push(read.definitionId)
      }
    }
  }

  async #move({ definitionId, materialisedUntil, version }: OlderPlan): Promise<void> {
    const { db, zones, clock, changes } = this.#context
    const now = clock.now()
    const upcoming = await readUpcoming(db.patient, { definitionId, now })
    const versions = await readTimetableSources(db.hot, [...new Set(upcoming.runs.map(({ versionId }) => versionId))])
    const timetables = planned(() => new Map(versions.map((each) => [each.id, timetableOf(each, zones)])))
    const occurrences = new Map(
      await inPortions(upcoming.runs, RUNS_IN_ONE_GO, (runs) =>
        occurrencesOfRuns(runs, ({ versionId }) => timetables.get(versionId) ?? null),
      ),
    )
    const { others } = upcoming
    const moves = moveByZoneData(upcoming.runs, { timetables, occurrences, others, now, zoneData: zones.version })
    const moved = await moveUpcomingIfUnchanged(db.patient, {
      definitionId,
      versionId: version.id,
      watermark: materialisedUntil,
      zoneData: zones.version,
      read: upcoming.runs,
      moves,
      now,
    })
    for (const run of moved ?? []) changes.publish({ ...run, cues: false })
  }

  /** What is to be made of a definition now; null: nothing, its schedule is held. */
  async #plan(read: ToExpand, now: Instant): Promise<Expansion | null> {
    const { db, settings, zones, log } = this.#context
    const { definitionId, version } = read
    if (version.verifiedAt === null) {
      const id = formatId('Definition', definitionId)
      if (await stopExpandingIfUnverified(db.hot, read)) {
        log.warn(
          { definition: id, version: version.version },
          `the schedule of ${id} is held: version ${version.version} is not verified; verify it, and the schedule goes on`,
        )
      }
      return null
    }
    const { timetable, steps } = planned(() => {
      const phase = parseVersionPhase(version.phase)
      if (phase === null) throw new Error('The version has no phases that can be read')
      const plan = timetableOf(version, zones)
      return { timetable: plan, steps: firstSteps(phase, plan.params, () => mintStep(version.id)) }
    })
    const caps = await currentBudget(this.#context, version.actionIds)
    const state = {
      verifiedAt: version.verifiedAt.getTime(),
      resumedAt: read.resumedAt?.getTime() ?? null,
      materialisedUntil: read.materialisedUntil.getTime(),
    }
    const bounds = { now, horizonMs: settings.horizonDays * DAY_MS, limit: RUNS_PER_DEFINITION }
    const { occurrences, until } = planned(() => expand(timetable, state, bounds))
    return {
      read,
      timetable,
      steps,
      budget: caps.length === 0 ? null : { caps, line: runBudget({ at: now }, caps) },
      occurrences: occurrences.map((occurrence) => {
        const instants = instantsOf(occurrence, timetable.graceSeconds)
        return { id: mintId(), occurrence, instants, line: createdLine(timetable, occurrence, now) }
      }),
      until,
    }
  }

  /** Makes runs of some definitions in one statement; one that the database refuses is halved until it is found. */
  async #make(expansions: readonly Expansion[], now: Instant): Promise<number> {
    const { db, zones, changes } = this.#context
    const [first] = expansions
    if (first === undefined) return 0
    const send = () => expandIfUnchanged(db.hot, expansions, { zoneData: zones.version, now })
    try {
      const made = expansions.length === 1 ? await this.#guarded(first.read, send) : await send()
      for (const [index, { budget }] of expansions.entries())
        for (const runId of made?.[index] ?? []) changes.publish({ runId, line: budget === null ? 1 : 2, cues: false })
      return made?.reduce((sum, ids) => sum + (ids?.length ?? 0), 0) ?? 0
    } catch (error) {
      if (expansions.length === 1 || !isRefusedByDatabase(error)) throw error
      const half = Math.ceil(expansions.length / 2)
      return (await this.#make(expansions.slice(0, half), now)) + (await this.#make(expansions.slice(half), now))
    }
  }

  /** One bad definition never stops a pass: its fault is logged, and it is left alone for a while. Undefined: it is bad. */
  async #guarded<T>({ definitionId, version }: OlderPlan, what: () => Promise<T>): Promise<T | undefined> {
    try {
      return await what()
    } catch (error) {
      if (!(error instanceof Unplannable) && !isRefusedByDatabase(error)) throw error
      this.#setAside.set(version.id, this.#context.clock.now() + SET_ASIDE_MS)
      const id = formatId('Definition', definitionId)
      this.#context.log.error(
        { err: error, definition: id, version: version.version },
        `the schedule of ${id} makes no runs: version ${version.version} cannot be expanded; publish it again`,
      )
      return undefined
    }
  }

  /** The versions that are set aside. */
  #except(): string[] {
    const now = this.#context.clock.now()
    for (const [versionId, until] of this.#setAside) if (until <= now) this.#setAside.delete(versionId)
    return [...this.#setAside.keys()]
  }
}

/** Nothing can be made of a version. */
class Unplannable extends Error {}

function planned<T>(plan: () => T): T {
  try {
    return plan()
  } catch (error) {
    throw new Unplannable(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

function createdLine(timetable: Timetable, occurrence: Parameters<typeof instantsOf>[0], now: number) {
  const { version, params } = timetable
  const { at, adjusted, shiftMinutes } = occurrence
  return runCreated(
    { at: now, actor: SYSTEM },
    {
      source: 'SCHEDULE',
      version,
      scope: '',
      rehearsal: false,
      params,
      scheduledFor: at,
      ...(adjusted === undefined ? {} : { adjusted }),
      ...(shiftMinutes === undefined ? {} : { shiftMinutes }),
    },
  )
}
