import { twoDigits } from './two-digits.ts'

/** A day of this device, as a field of type date and addresses have it: 2031-03-09. */
export type Day = string

/** Instants of the API have years of four digits, at the end of such a day too. */
const [FIRST_YEAR, LAST_YEAR] = [1000, 9998]

/** The first moment of a day on the clock of this device, or of one that is so many days later. */
export function dateOf(day: Day, later = 0): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later)
}

/** The instant at which a day begins on the clock of this device; null: it is none. */
export const beginOfDay = (day: string | undefined): string | null => midnight(day, 0)

/** The instant at which it is over. */
export const endOfDay = (day: string | undefined): string | null => midnight(day, 1)

/** Whether a text of an address is a day. */
export const isDay = (text: unknown): text is Day => typeof text === 'string' && midnight(text, 0) !== null

function midnight(day: string | undefined, later: number): string | null {
  if (day === undefined || !/^\d{4}-\d\d-\d\d$/.test(day)) return null
  const begin = dateOf(day)
  const isThere = twoDigits(begin.getMonth() + 1) === day.slice(5, 7) && twoDigits(begin.getDate()) === day.slice(8)
  const year = Number(day.slice(0, 4))
  const isInRange = year >= FIRST_YEAR && year <= LAST_YEAR
  return isThere && isInRange ? dateOf(day, later).toISOString() : null
}
