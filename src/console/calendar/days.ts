import { type Day, dateOf } from '../time/day-field.ts'
import { twoDigits } from '../time/two-digits.ts'

export const VIEWS = ['day', 'week', 'month'] as const
export type View = (typeof VIEWS)[number]

const dayOfDate = (date: Date): Day =>
  `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`

/** The day that an instant is on; in milliseconds or as text. */
export const dayOf = (instant: number | string): Day => dayOfDate(new Date(instant))

const plus = (day: Day, days: number): Day => dayOfDate(dateOf(day, days))

const mondayOf = (day: Day): Day => plus(day, -((dateOf(day).getDay() + 6) % 7))

const firstOfMonth = (day: Day): Day => `${day.slice(0, 8)}01`

/** The days of a view, in order: weeks from Monday, a month with all of its first and last week. */
export function daysOf(view: View, on: Day): Day[] {
  if (view === 'day') return [on]
  const first = mondayOf(view === 'week' ? on : firstOfMonth(on))
  const end = view === 'week' ? plus(first, 7) : plus(mondayOf(plus(firstOfMonth(stepped('month', on, 1)), -1)), 7)
  const days: Day[] = []
  for (let day = first; day < end; day = plus(day, 1)) days.push(day)
  return days
}

/** The same view before (-1) or after (1). */
export function stepped(view: View, on: Day, by: -1 | 1): Day {
  if (view !== 'month') return plus(on, by * (view === 'week' ? 7 : 1))
  const date = dateOf(firstOfMonth(on))
  date.setMonth(date.getMonth() + by)
  return dayOfDate(date)
}

/** From the first moment of the first day until that after the last one, as instants. */
export function windowOf(days: readonly Day[]): { from: string; to: string } {
  const [first = '', last = first] = [days[0], days.at(-1)]
  return { from: dateOf(first).toISOString(), to: dateOf(plus(last, 1)).toISOString() }
}

const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', options)
const DAY_IN_FULL = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
const MONTH = format({ month: 'long', year: 'numeric' })
const RANGE = format({ day: 'numeric', month: 'long', year: 'numeric' })
const WEEKDAY = format({ weekday: 'short' })

export const nameOf = (day: Day): string => DAY_IN_FULL.format(dateOf(day))

export const weekdayOf = (day: Day): string => WEEKDAY.format(dateOf(day))

/** What a view is called: Friday 7 March 2031; 3–9 March 2031; March 2031. */
export function titleOf(view: View, on: Day): string {
  if (view === 'day') return nameOf(on)
  if (view === 'month') return MONTH.format(dateOf(on))
  const days = daysOf('week', on)
  return RANGE.formatRange(dateOf(days[0] ?? on), dateOf(days.at(-1) ?? on))
}

/** Whether a day is of the month of another. */
export const sameMonth = (day: Day, other: Day): boolean => day.slice(0, 7) === other.slice(0, 7)
