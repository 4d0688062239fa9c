import { DAY_MS, dateOfDay, dayOfDate, dayOfWall, FIRST_WALL, LAST_WALL } from './civil.ts'
import type { Rule, Until } from './rule.ts'
import { type DayFilter, dayFilterOf, takesDay } from './wall-rule.ts'

const HOUR_MS = 3_600_000
const MAX_DAYS_SKIPPED = 31

/** A rule that steps in elapsed time from an instant; its filters look at what the zone's clocks show. */
export type ElapsedRule = {
  start: number
  step: number
  filter: DayFilter
  /** Null where every hour is taken. */
  hours: Set<number> | null
  until: Until | null
  /** The last instant that may be in, by COUNT. */
  last: number
}

/** What the clocks show at an instant, as a wall time. */
export type WallOf = (at: number) => number

/** `last` is not yet set by COUNT. */
export function elapsedRuleOf(rule: Rule, start: number): ElapsedRule {
  return {
    start,
    step: rule.interval * (rule.frequency === 'HOURLY' ? HOUR_MS : 60_000),
    filter: dayFilterOf(rule),
    hours: rule.byHour.length === 0 ? null : new Set(rule.byHour),
    until: rule.until,
    last: Number.POSITIVE_INFINITY,
  }
}

type Window = { from: number; to: number; wallOf: WallOf; budget?: Budget }
/** How many instants may be looked at; below zero once that was not enough. */
export type Budget = { left: number }

/** The instants of a rule in [from, to), with what the clocks show. Takes time by the length of the window. */
export function* elapsedBetween(rule: ElapsedRule, window: Window): Generator<{ at: number; wall: number }> {
  const { wallOf, budget } = window
  const { start, step, until } = rule
  const stop = Math.min(window.to, rule.last + 1, endOf(until))
  let at = start + Math.max(Math.ceil((window.from - start) / step), 0) * step
  const judge = dayJudge(rule.filter)
  while (at < stop) {
    if (budget !== undefined) {
      budget.left -= 1
      if (budget.left < 0) return
    }
    const wall = wallOf(at)
    const free = freeAgain(rule, { wall, judge })
    if (free === null) {
      if (isBeforeEnd(until, at, wall) && wall >= FIRST_WALL && wall <= LAST_WALL) yield { at, wall }
      at += step
      continue
    }
    at = skipTo(at, { wall, free, step, wallOf })
  }
}

/** The last wall times of a zone come up to a day after UTC has come to them. */
function endOf(until: Until | null): number {
  if (until === null) return Number.POSITIVE_INFINITY
  return until.kind === 'instant' ? until.at + 1 : until.at + DAY_MS
}

function isBeforeEnd(until: Until | null, at: number, wall: number): boolean {
  return until === null || (until.kind === 'instant' ? at : wall) <= until.at
}

type Judge = (day: number) => boolean

/** Many instants in a row fall on one day. */
function dayJudge(filter: DayFilter): Judge {
  if (filter.months === null && filter.monthDays === null && filter.days === null) return () => true
  let judged = Number.NaN
  let verdict = false
  return (day) => {
    if (day !== judged) {
      judged = day
      verdict = takesDay(filter, day)
    }
    return verdict
  }
}

/** Null: the filters take a wall time. Otherwise the first wall time after it that they might take. */
function freeAgain({ filter, hours }: ElapsedRule, { wall, judge }: { wall: number; judge: Judge }): number | null {
  const day = dayOfWall(wall)
  if (!judge(day)) {
    const { year, month } = dateOfDay(day)
    const isMonthOut = filter.months !== null && (filter.months & (1 << month)) === 0
    if (isMonthOut) return dayOfDate(year, month + 1, 1) * DAY_MS
    let next = day + 1
    while (next < day + MAX_DAYS_SKIPPED && !judge(next)) next += 1
    return next * DAY_MS
  }
  let hour = Math.floor((wall - day * DAY_MS) / HOUR_MS)
  if (hours === null || hours.has(hour)) return null
  while (hour < 24 && !hours.has(hour)) hour += 1
  return day * DAY_MS + hour * HOUR_MS
}

/** The first step that is not before `free` on the wall clock; just the next one where clocks change in between. */
function skipTo(
  at: number,
  { wall, free, step, wallOf }: { wall: number; free: number; step: number; wallOf: WallOf },
): number {
  for (const target of [free, Math.min(free, (dayOfWall(wall) + 1) * DAY_MS)]) {
    const next = at + Math.ceil((target - wall) / step) * step
    if (wallOf(next) - next === wall - at) return next
  }
  return at + step
}
