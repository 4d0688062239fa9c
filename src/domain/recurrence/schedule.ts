import { isLocalDate, isLocalDateTime, isUtcInstant } from '../local-time.ts'
import type { Schedule } from '../spec.ts'
import { dayOfWall, LAST_WALL, readWall, wallText } from './civil.ts'
import { type Budget, type ElapsedRule, elapsedBetween, elapsedRuleOf } from './elapsed-rule.ts'
import { instantOfWall, type Resolved, wallOfInstant } from './local-instant.ts'
import { isElapsed, parseRule, type Rule } from './rule.ts'
import { firstWallTimes, type WallRule, wallRuleOf } from './wall-rule.ts'
import type { ZoneData } from './zone-data.ts'

/** A time that was authored by itself: `once`, or an entry of `include`. Its wall time is null where it is an instant. */
export type Single = Resolved & { wall: number | null }

/** A schedule made ready for questions, with the zone data it was compiled with. Compile once per version and keep it. */
export type CompiledSchedule = {
  readonly zone: string
  readonly zones: ZoneData
  readonly wallRule: WallRule | null
  /** UNTIL in UTC of a rule on the wall clock. */
  readonly untilInstant: number
  readonly elapsedRule: ElapsedRule | null
  readonly singles: readonly Single[]
  readonly excludedDays: ReadonlySet<number>
  readonly excludedInstants: ReadonlySet<number>
}

/** A schedule that cannot be compiled: where, and a sentence for its author. */
export class InvalidSchedule extends Error {
  override readonly name = 'InvalidSchedule'
  readonly path: string

  constructor(path: string, message: string) {
    super(message)
    this.path = path
  }
}

/**
 * Makes a schedule ready. Throws `InvalidSchedule`, and only on what `checkSchedule` would have named, or on a zone that
 * `zones` does not have.
 */
export function compileSchedule(schedule: Schedule, zone: string, zones: ZoneData): CompiledSchedule {
  if (!zones.has(zone)) throw new InvalidSchedule('timeZone', 'The zone is not known; correct it.')
  const nothing = {
    zone,
    zones,
    wallRule: null,
    untilInstant: Number.POSITIVE_INFINITY,
    elapsedRule: null,
    singles: [],
    excludedDays: new Set<number>(),
    excludedInstants: new Set<number>(),
  }
  if ('manual' in schedule) return nothing
  const resolve = (text: string): Single => {
    const wall = readWall(text)
    return text.endsWith('Z') ? { at: wall, wall: null } : { ...instantOfWall(wall, zone, zones), wall }
  }
  if ('once' in schedule) {
    const { at } = schedule.once
    if (!isLocalDateTime(at)) throw notADate('schedule.once.at')
    return { ...nothing, singles: [resolve(at)] }
  }
  const { start, rule: text, include, exclude } = schedule.recurring
  if (!isLocalDateTime(start)) throw notADate('schedule.recurring.start')
  if (!include.every((entry) => isLocalDateTime(entry) || isUtcInstant(entry))) {
    throw notADate('schedule.recurring.include')
  }
  if (!exclude.every((entry) => isLocalDate(entry) || isLocalDateTime(entry) || isUtcInstant(entry))) {
    throw notADate('schedule.recurring.exclude')
  }
  return {
    ...nothing,
    ...compileRule(text, start, { zone, zones }),
    singles: include.map(resolve),
    excludedDays: new Set(exclude.filter(isLocalDate).map((date) => dayOfWall(readWall(`${date}T00:00`)))),
    excludedInstants: new Set(exclude.filter((entry) => !isLocalDate(entry)).map((entry) => resolve(entry).at)),
  }
}

const notADate = (path: string) => new InvalidSchedule(path, 'This is none that the calendar has; correct it.')

type CompiledRule = Pick<CompiledSchedule, 'wallRule' | 'untilInstant' | 'elapsedRule'>

function compileRule(text: string, start: string, { zone, zones }: { zone: string; zones: ZoneData }): CompiledRule {
  const { rule, problems } = parseRule(text)
  if (rule === null) throw badRule(problems.join(' '))
  const startWall = readWall(start)
  if (isElapsed(rule)) {
    const at = instantOfWall(startWall, zone, zones).at
    const elapsedRule = boundedElapsed(rule, at, (instant) => wallOfInstant(instant, zone, zones))
    return { wallRule: null, untilInstant: Number.POSITIVE_INFINITY, elapsedRule }
  }
  const untilInstant = rule.until?.kind === 'instant' ? rule.until.at : Number.POSITIVE_INFINITY
  const wallRule = boundedWall(rule, startWall)
  const [first] = firstWallTimes(wallRule, 1)
  if (first !== undefined && instantOfWall(first, zone, zones).at > untilInstant) throw endsTooEarly(wallText(first))
  return { wallRule, untilInstant, elapsedRule: null }
}

const badRule = (message: string) => new InvalidSchedule('schedule.recurring.rule', message)
const neverFires = () =>
  badRule(
    'The rule never fires: no date from "start" on fits all of its parts, as if it asked for February 30th; change them.',
  )
const endsTooEarly = (first: string) =>
  badRule(
    `The rule never fires: UNTIL lies before its first date, ${first}; give a later UNTIL, or an earlier "start".`,
  )

/** With COUNT as the last wall time. */
function boundedWall(rule: Rule, start: number): WallRule {
  const { frequency } = rule
  if (frequency === 'HOURLY' || frequency === 'MINUTELY')
    throw new Error(`${frequency} does not step on the wall clock`)
  const wallRule = wallRuleOf({ ...rule, frequency }, start)
  const walls = firstWallTimes(wallRule, rule.count ?? 1)
  const last = walls.at(-1)
  if (last === undefined) {
    const [first] = rule.until === null ? [] : firstWallTimes({ ...wallRule, last: LAST_WALL }, 1)
    throw first === undefined ? neverFires() : endsTooEarly(wallText(first))
  }
  return rule.count === null ? wallRule : { ...wallRule, last }
}

/** How many instants are looked at in search of the first: years of them, whatever the filters. */
const FIRST_BUDGET = 20_000
/** And of the last by COUNT: some four are looked at for each that filters take. */
const COUNT_BUDGET = 60_000

/** With COUNT as the last instant. */
function boundedElapsed(rule: Rule, start: number, wallOf: (at: number) => number): ElapsedRule {
  const elapsed = elapsedRuleOf(rule, start)
  const isFiltered = elapsed.hours !== null || rule.byDay.length + rule.byMonth.length + rule.byMonthDay.length > 0
  if (!isFiltered && rule.count !== null) return { ...elapsed, last: start + (rule.count - 1) * elapsed.step }
  const count = rule.count ?? 1
  const find = (searched: ElapsedRule, wanted: number, budget: Budget) => {
    const found: { at: number; wall: number }[] = []
    for (const instant of elapsedBetween(searched, { from: start, to: LAST_WALL, wallOf, budget })) {
      if (found.push(instant) === wanted) break
    }
    return found
  }
  const [first] = find(elapsed, 1, { left: FIRST_BUDGET })
  if (first === undefined) {
    const [late] = rule.until === null ? [] : find({ ...elapsed, until: null }, 1, { left: FIRST_BUDGET })
    throw late === undefined ? neverFires() : endsTooEarly(wallText(late.wall))
  }
  if (rule.count === null) return elapsed
  const budget = { left: COUNT_BUDGET }
  const last = find(elapsed, count, budget).at(-1)
  if (last === undefined || budget.left < 0) {
    throw badRule(`COUNT=${count} is not reached within a time that can be calculated; give UNTIL instead.`)
  }
  return { ...elapsed, last: last.at }
}
