import { isLocalDateTime } from '../local-time.ts'
import { isObject } from '../plain-object.ts'
import { DAY_MS, dateOfDay, dayOfWall, readWall, timeText, weekdayOf } from './civil.ts'
import { type ByDay, isElapsed, parseRule, type Rule } from './rule.ts'

const DAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const ORDINAL_NAMES = ['', 'first', 'second', 'third', 'fourth', 'fifth']
const UNITS = { MINUTELY: 'minute', HOURLY: 'hour', DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' }
/** More times of day than these are counted and not listed. */
const MAX_TIMES = 6

/**
 * A schedule in English: "every 2 weeks on Tuesday and Thursday at 20:00, until 31 December 2026". Exclusions and extra
 * dates are not in it. Null for one that is manual, and for one that cannot be read. The schedule may be JSON of any
 * shape.
 */
export function schedulePhrase(schedule: unknown): string | null {
  if (!isObject(schedule)) return null
  const { once, recurring } = schedule
  if (isObject(once) && typeof once.at === 'string' && isLocalDateTime(once.at)) {
    return `once, on ${momentText(readWall(once.at))}`
  }
  if (!isObject(recurring) || typeof recurring.rule !== 'string' || typeof recurring.start !== 'string') return null
  const { rule } = parseRule(recurring.rule)
  return rule === null || !isLocalDateTime(recurring.start) ? null : rulePhrase(rule, readWall(recurring.start))
}

function rulePhrase(rule: Rule, start: number): string {
  const { frequency, interval } = rule
  const unit = UNITS[frequency]
  const every = interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`
  const when = isElapsed(rule) ? elapsedPhrase(rule, start) : `${daysPhrase(rule, start)}${timesPhrase(rule, start)}`
  return `${every}${when}${positionsPhrase(rule)}${endPhrase(rule)}`
}

function elapsedPhrase(rule: Rule, start: number): string {
  const hours = rule.byHour.length === 0 ? '' : ` from ${list(rule.byHour.map(hourSpan))}`
  return `${filterPhrase(rule)}${hours}, counted from ${momentText(start)}`
}

const hourSpan = (hour: number) => `${timeText(hour * 3_600_000)} to ${timeText(hour * 3_600_000 + 3_540_000)}`

/** Which days of its periods a rule on the wall clock takes. */
function daysPhrase(rule: Rule, start: number): string {
  const { frequency, byDay, byMonth, byMonthDay } = rule
  const startDay = dayOfWall(start)
  const { month, dayOfMonth } = dateOfDay(startDay)
  if (frequency === 'DAILY') return filterPhrase(rule)
  if (byDay.length === 0 && byMonthDay.length === 0) {
    if (frequency === 'WEEKLY') return ` on ${DAY_NAMES[weekdayOf(startDay)]}${inMonths(byMonth)}`
    if (frequency === 'MONTHLY') return ` on the ${nth(dayOfMonth)}${inMonths(byMonth)}`
    return ` on ${list((byMonth.length === 0 ? [month] : byMonth).map((each) => `${dayOfMonth} ${monthName(each)}`))}`
  }
  if (frequency === 'WEEKLY') return `${onDays(byDay)}${inMonths(byMonth)}`
  const ofMonths =
    byMonth.length > 0 ? ` of ${list(byMonth.map(monthName))}` : frequency === 'YEARLY' ? ' of every month' : ''
  if (byMonthDay.length > 0) {
    const also = byDay.length === 0 ? '' : `, if it is ${list(byDay.map(dayWithArticle), 'or')}`
    return ` on the ${list(byMonthDay.map(nth))}${ofMonths}${also}`
  }
  const isNumbered = byDay.some(({ ordinal }) => ordinal !== 0)
  if (!isNumbered) return `${onDays(byDay)}${inMonths(byMonth)}`
  const of = byMonth.length > 0 ? ofMonths : frequency === 'YEARLY' ? ' of the year' : ''
  return ` on ${list(byDay.map(dayName))}${of}`
}

/** What of its days a rule leaves out. */
function filterPhrase({ byDay, byMonth, byMonthDay }: Rule): string {
  const days = byMonthDay.length === 0 ? '' : ` on the ${list(byMonthDay.map(nth))} of a month`
  const if_ = byMonthDay.length === 0 ? onDays(byDay) : `, if it is ${list(byDay.map(dayWithArticle), 'or')}`
  return `${days}${byDay.length === 0 ? '' : if_}${inMonths(byMonth)}`
}

function onDays(byDay: ByDay[]): string {
  const weekdays = [...new Set(byDay.map(({ weekday }) => weekday))].sort((a, b) => a - b)
  if (weekdays.join() === '0,1,2,3,4') return ' from Monday to Friday'
  return ` on ${list(weekdays.map((weekday) => DAY_NAMES[weekday] ?? ''))}`
}

const inMonths = (byMonth: number[]) => (byMonth.length === 0 ? '' : ` in ${list(byMonth.map(monthName))}`)
const monthName = (month: number) => MONTH_NAMES[month - 1] ?? ''

/** `the first Saturday`, `every Saturday`. */
function dayName({ weekday, ordinal }: ByDay): string {
  const name = DAY_NAMES[weekday] ?? ''
  return ordinal === 0 ? `every ${name}` : `the ${position(ordinal)} ${name}`
}

/** `a Friday`, `the first Friday`. */
function dayWithArticle(day: ByDay): string {
  return day.ordinal === 0 ? `a ${DAY_NAMES[day.weekday]}` : dayName(day)
}

/** `first`, `last`, `second to last`, `20th`. */
function position(ordinal: number): string {
  const number = Math.abs(ordinal)
  const name = ORDINAL_NAMES[number] ?? `${number}${suffix(number)}`
  if (ordinal > 0) return name
  return number === 1 ? 'last' : `${name} to last`
}

/** `31st`, `last day`, `second to last day`. */
function nth(day: number): string {
  return day > 0 ? `${day}${suffix(day)}` : `${position(day)} day`
}

function suffix(number: number): string {
  if (number % 100 >= 11 && number % 100 <= 13) return 'th'
  return ['th', 'st', 'nd', 'rd'][number % 10] ?? 'th'
}

function timesPhrase({ byHour, byMinute }: Rule, start: number): string {
  const ms = start - dayOfWall(start) * DAY_MS
  const hours = byHour.length === 0 ? [Math.floor(ms / 3_600_000)] : byHour
  const minutes = byMinute.length === 0 ? [Math.floor(ms / 60_000) % 60] : byMinute
  const times = hours.flatMap((hour) => minutes.map((minute) => (hour * 60 + minute) * 60_000 + (ms % 60_000)))
  return times.length > MAX_TIMES ? `, ${times.length} times a day` : ` at ${list(times.map(timeText))}`
}

function positionsPhrase({ bySetPos, frequency }: Rule): string {
  if (bySetPos.length === 0) return ''
  return `, only the ${list(bySetPos.map(position))} of these in the ${UNITS[frequency]}`
}

function endPhrase({ count, until }: Rule): string {
  if (count !== null) return count === 1 ? ', once' : `, ${count} times`
  if (until === null) return ''
  if (until.kind === 'date') return `, until ${dayText(dayOfWall(until.at))}`
  return `, until ${momentText(until.at)}${until.kind === 'instant' ? ' UTC' : ''}`
}

/** `6 March 2026 at 20:00`. */
function momentText(wall: number): string {
  const day = dayOfWall(wall)
  return `${dayText(day)} at ${timeText(wall - day * DAY_MS)}`
}

function dayText(day: number): string {
  const { year, month, dayOfMonth } = dateOfDay(day)
  return `${dayOfMonth} ${monthName(month)} ${year}`
}

/** `a`, `a and b`, `a, b and c`. */
function list(items: string[], and = 'and'): string {
  const last = items.at(-1) ?? ''
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} ${and} ${last}`
}
