/** A day of this device, as a field of type date and addresses have it: 2031-03-09. */
export type Day = string

/** Instants of the API have years of four digits, at the end of such a day too. */
const [FIRST_YEAR, LAST_YEAR] = [1000, 9998]

/** The instant at which a day begins on the clock of this device; null: it is none. */
export const beginOfDay = (day: string | undefined): string | null => midnight(day, 0)

/** The instant at which it is over. */
export const endOfDay = (day: string | undefined): string | null => midnight(day, 1)

/** Whether a text of an address is a day. */
export const isDay = (text: unknown): text is Day => typeof text === 'string' && midnight(text, 0) !== null

function midnight(day: string | undefined, later: number): string | null {
  const [year = 0, month = 0, date = 0] = /^\d{4}-\d\d-\d\d$/.test(day ?? '') ? (day ?? '').split('-').map(Number) : []
  if (year < FIRST_YEAR || year > LAST_YEAR) return null
  const begin = new Date(year, month - 1, date)
  if (begin.getMonth() !== month - 1 || begin.getDate() !== date) return null
  return new Date(year, month - 1, date + later).toISOString()
}
