import type { Issue } from '../issue.ts'
import { isLocalDate } from '../local-time.ts'
import type { Schedule } from '../spec.ts'
import { DAY_MS, dayOfWall, readWall, wallText } from './civil.ts'
import { instantOfWall, wallOfInstant } from './local-instant.ts'
import { candidatesBetween, isExcluded } from './occurrences.ts'
import { type CompiledSchedule, compileSchedule } from './schedule.ts'
import { wallTimesBetween } from './wall-rule.ts'
import type { ZoneData } from './zone-data.ts'

/** What is allowed but odd in a schedule that compiles. */
export function warningsOf(schedule: Schedule, zone: string, zones: ZoneData): Issue[] {
  if ('manual' in schedule) return []
  const gap = (path: string, local: string) => gapWarning(path, local, { zone, zones })
  if ('once' in schedule) return gap('schedule.once.at', schedule.once.at)
  const { start, include, exclude } = schedule.recurring
  const unexcluded = compileSchedule({ recurring: { ...schedule.recurring, exclude: [] } }, zone, zones)
  return [
    ...gap('schedule.recurring.start', start),
    ...include.flatMap((entry, index) => gap(`schedule.recurring.include[${index}]`, entry)),
    ...exclude.flatMap((entry, index) => missWarning(`schedule.recurring.exclude[${index}]`, entry, unexcluded)),
  ]
}

function gapWarning(path: string, local: string, { zone, zones }: { zone: string; zones: ZoneData }): Issue[] {
  if (local.endsWith('Z')) return []
  const resolved = instantOfWall(readWall(local), zone, zones)
  if (resolved.adjusted !== 'GAP') return []
  const shown = wallText(wallOfInstant(resolved.at, zone, zones))
  const message = `The clocks in ${zone} skip ${local}; it is taken as ${shown}. Choose another time if that is not what you want.`
  return [{ path, message }]
}

const HOUR_MS = 3_600_000
/** Clocks are at most so far from UTC, and at most so far if they skip a day as well. */
const BEFORE_DAY_MS = 16 * HOUR_MS
const AFTER_DAY_MS = 40 * HOUR_MS

function missWarning(path: string, entry: string, unexcluded: CompiledSchedule): Issue[] {
  const { zone, zones } = unexcluded
  const excluded = { excludedDays: new Set<number>(), excludedInstants: new Set<number>() }
  let [from, to] = [0, 0]
  if (isLocalDate(entry)) {
    const begin = readWall(`${entry}T00:00`)
    excluded.excludedDays.add(dayOfWall(begin))
    if (ruleHasDay(unexcluded, begin)) return []
    from = begin - BEFORE_DAY_MS
    to = begin + DAY_MS + AFTER_DAY_MS
  } else {
    const wall = readWall(entry)
    from = entry.endsWith('Z') ? wall : instantOfWall(wall, zone, zones).at
    excluded.excludedInstants.add(from)
    to = from + 1
  }
  const others = isLocalDate(entry) ? { ...unexcluded, wallRule: null } : unexcluded
  if (candidatesBetween(others, from, to).some((candidate) => isExcluded(excluded, candidate))) return []
  const message = `The schedule has nothing at ${entry}, so that excluding it changes nothing; correct it or take it out.`
  return [{ path, message }]
}

/** Whether a rule on the wall clock gives something on the local day that begins there. */
function ruleHasDay({ wallRule, untilInstant, zone, zones }: CompiledSchedule, begin: number): boolean {
  if (wallRule === null) return false
  return wallTimesBetween(wallRule, begin, begin + DAY_MS).some(
    (wall) => instantOfWall(wall, zone, zones).at <= untilInstant,
  )
}
