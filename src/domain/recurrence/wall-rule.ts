import { DAY_MS, dateOfDay, dayOfDate, dayOfWall, daysInMonth, LAST_WALL, weekdayOf } from './civil.ts'
import type { Rule } from './rule.ts'

/** Which days a rule takes. A mask holds the numbers of its bits; null takes all. */
export type DayFilter = {
  months: number | null
  monthDays: { fromStart: number; fromEnd: number } | null
  /** Plain weekdays as a mask, and numbered ones. */
  days: { plain: number; numbered: { weekday: number; ordinal: number }[] } | null
  /** Numbered weekdays count in the month; otherwise in the year. */
  countsInMonth: boolean
}

/** A rule on the wall clock, ready to be expanded. Periods are counted: days, weeks, months or years. */
export type WallRule = {
  frequency: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'
  interval: number
  start: number
  startPeriod: number
  weekStart: number
  filter: DayFilter
  /** Milliseconds of the day, ascending. */
  times: number[]
  setPositions: number[]
  /** The last wall time that may be in. */
  last: number
}

const maskOf = (numbers: number[]) => numbers.reduce((mask, n) => mask | (1 << n), 0)

export function dayFilterOf(rule: Rule): DayFilter {
  const { byDay, byMonth, byMonthDay, frequency } = rule
  return {
    months: byMonth.length === 0 ? null : maskOf(byMonth),
    monthDays:
      byMonthDay.length === 0
        ? null
        : {
            fromStart: maskOf(byMonthDay.filter((n) => n > 0)),
            fromEnd: maskOf(byMonthDay.filter((n) => n < 0).map((n) => -n)),
          },
    days:
      byDay.length === 0
        ? null
        : {
            plain: maskOf(byDay.filter(({ ordinal }) => ordinal === 0).map(({ weekday }) => weekday)),
            numbered: byDay.filter(({ ordinal }) => ordinal !== 0),
          },
    countsInMonth: frequency !== 'YEARLY' || byMonth.length > 0,
  }
}

/** The rule with what it does not say taken from its start. COUNT is not in `last` yet, and UNTIL in UTC only roughly. */
export function wallRuleOf(rule: Rule & Pick<WallRule, 'frequency'>, start: number): WallRule {
  const startDay = dayOfWall(start)
  const { month, dayOfMonth } = dateOfDay(startDay)
  const given = { ...rule }
  if (rule.byDay.length === 0 && rule.byMonthDay.length === 0) {
    if (rule.frequency === 'WEEKLY') given.byDay = [{ weekday: weekdayOf(startDay), ordinal: 0 }]
    if (rule.frequency === 'MONTHLY' || rule.frequency === 'YEARLY') given.byMonthDay = [dayOfMonth]
    if (rule.frequency === 'YEARLY' && rule.byMonth.length === 0) given.byMonth = [month]
  }
  const startMs = start - startDay * DAY_MS
  const hours = rule.byHour.length === 0 ? [Math.floor(startMs / 3_600_000)] : rule.byHour
  const minutes = rule.byMinute.length === 0 ? [Math.floor(startMs / 60_000) % 60] : rule.byMinute
  const { frequency, weekStart } = rule
  return {
    frequency,
    interval: rule.interval,
    start,
    startPeriod: periodOf(startDay, { frequency, weekStart }),
    weekStart,
    filter: dayFilterOf(given),
    times: hours.flatMap((hour) => minutes.map((minute) => (hour * 60 + minute) * 60_000 + (startMs % 60_000))),
    setPositions: rule.bySetPos,
    last: Math.min(lastWallOf(rule), LAST_WALL),
  }
}

function lastWallOf({ until }: Rule): number {
  if (until === null) return LAST_WALL
  return until.kind === 'instant' ? until.at + DAY_MS : until.at
}

type Periods = Pick<WallRule, 'frequency' | 'weekStart'>

function periodOf(day: number, { frequency, weekStart }: Periods): number {
  if (frequency === 'DAILY') return day
  // Day -3 is a Monday.
  if (frequency === 'WEEKLY') return Math.floor((day + 3 - weekStart) / 7)
  const { year, month } = dateOfDay(day)
  return frequency === 'MONTHLY' ? year * 12 + month - 1 : year
}

function firstDayOf(period: number, { frequency, weekStart }: Periods): number {
  if (frequency === 'DAILY') return period
  if (frequency === 'WEEKLY') return period * 7 - 3 + weekStart
  return frequency === 'MONTHLY' ? dayOfDate(0, period + 1, 1) : dayOfDate(period, 1, 1)
}

/** Appends the days of [first, last] that the filter takes, in order. */
function pushDays(days: number[], filter: DayFilter, [first, last]: [number, number]): void {
  let day = first
  while (day <= last) {
    const { year, month, dayOfMonth } = dateOfDay(day)
    const monthStart = day - dayOfMonth + 1
    const length = daysInMonth(year, month)
    const end = Math.min(last, monthStart + length - 1)
    if (filter.months === null || (filter.months & (1 << month)) !== 0) {
      const whole = { year, monthStart, length }
      for (; day <= end; day += 1) {
        if (takesMonthDay(filter, day - monthStart + 1, length) && takesWeekday(filter, day, whole)) days.push(day)
      }
    }
    day = end + 1
  }
}

function takesMonthDay({ monthDays }: DayFilter, dayOfMonth: number, length: number): boolean {
  if (monthDays === null) return true
  return ((monthDays.fromStart & (1 << dayOfMonth)) | (monthDays.fromEnd & (1 << (length - dayOfMonth + 1)))) !== 0
}

type Month = { year: number; monthStart: number; length: number }

function takesWeekday({ days, countsInMonth }: DayFilter, day: number, month: Month): boolean {
  if (days === null) return true
  const weekday = weekdayOf(day)
  if ((days.plain & (1 << weekday)) !== 0) return true
  for (const numbered of days.numbered) {
    if (numbered.weekday !== weekday) continue
    const first = countsInMonth ? month.monthStart : dayOfDate(month.year, 1, 1)
    const end = countsInMonth ? first + month.length : dayOfDate(month.year + 1, 1, 1)
    const ordinal = numbered.ordinal > 0 ? Math.floor((day - first) / 7) + 1 : -Math.floor((end - 1 - day) / 7) - 1
    if (ordinal === numbered.ordinal) return true
  }
  return false
}

/** Whether the filter takes a day. */
export function takesDay(filter: DayFilter, day: number): boolean {
  const days: number[] = []
  pushDays(days, filter, [day, day])
  return days.length > 0
}

/** The wall times of a rule in [from, to), ascending. Takes time by the length of the window. */
export function wallTimesBetween(rule: WallRule, from: number, to: number): number[] {
  const low = Math.max(from, rule.start)
  const high = Math.min(to, rule.last + 1)
  const walls: number[] = []
  if (!(low < high)) return walls
  const firstDay = dayOfWall(low)
  const lastDay = dayOfWall(high - 1)
  const isWhole = rule.setPositions.length > 0
  if (rule.interval === 1 && !isWhole) {
    pushWalls(walls, rule, { days: [firstDay, lastDay], low, high })
    return walls
  }
  const skipped = Math.ceil((periodOf(firstDay, rule) - rule.startPeriod) / rule.interval)
  for (let period = rule.startPeriod + Math.max(skipped, 0) * rule.interval; ; period += rule.interval) {
    const begin = firstDayOf(period, rule)
    if (begin > lastDay) return walls
    const end = firstDayOf(period + 1, rule) - 1
    const days: [number, number] = isWhole ? [begin, end] : [Math.max(begin, firstDay), Math.min(end, lastDay)]
    pushWalls(walls, rule, { days, low, high })
  }
}

type Span = { days: [number, number]; low: number; high: number }

/** Appends what falls on these days, which with BYSETPOS are those of one period. */
function pushWalls(walls: number[], rule: WallRule, { days, low, high }: Span): void {
  const taken: number[] = []
  pushDays(taken, rule.filter, days)
  const { setPositions, times } = rule
  if (setPositions.length === 0) {
    for (const day of taken) {
      for (const time of times) {
        const wall = day * DAY_MS + time
        if (wall >= low && wall < high) walls.push(wall)
      }
    }
    return
  }
  const size = taken.length * times.length
  const indexes = new Set(setPositions.map((position) => (position > 0 ? position - 1 : size + position)))
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const day = taken[Math.floor(index / times.length)]
    const time = times[index % times.length]
    if (index < 0 || day === undefined || time === undefined) continue
    const wall = day * DAY_MS + time
    if (wall >= low && wall < high) walls.push(wall)
  }
}

const GREGORIAN_CYCLE_DAYS = 146_097
const FIRST_CHUNK_MS = 32 * DAY_MS

/**
 * The first `count` wall times of a rule, or as many as there are. A calendar repeats itself after 400 years, so that a
 * rule that has given nothing in as many steps as make up its cycle never gives anything.
 */
export function firstWallTimes(rule: WallRule, count: number): number[] {
  const walls: number[] = []
  const cycleEnd = rule.start + GREGORIAN_CYCLE_DAYS * DAY_MS * rule.interval
  let from = rule.start
  for (let length = FIRST_CHUNK_MS; from <= rule.last && walls.length < count; length *= 2) {
    const to = walls.length === 0 ? Math.min(from + length, cycleEnd) : from + length
    if (to <= from) break
    for (const wall of wallTimesBetween(rule, from, to)) walls.push(wall)
    from = to
  }
  return walls.slice(0, count)
}
