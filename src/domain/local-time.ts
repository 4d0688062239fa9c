/** What a local date-time looks like; not every one is on the calendar. */
export const LOCAL_DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/
const LOCAL_DATE = /^\d{4}-\d{2}-\d{2}$/

/**
 * Whether a text is a local date-time that the calendar has: `2026-03-06T20:00`, seconds allowed. Whether a zone's
 * clocks show it on that day is another question.
 */
export function isLocalDateTime(text: string): boolean {
  return LOCAL_DATE_TIME.test(text) && isOnCalendar(text)
}

/** Whether a text is a date that the calendar has: `2026-03-06`. */
export function isLocalDate(text: string): boolean {
  return LOCAL_DATE.test(text) && isOnCalendar(`${text}T00:00`)
}

/** Whether a text is an instant in UTC: a local date-time with a Z; with milliseconds too, as the API writes instants. */
export function isUtcInstant(text: string): boolean {
  return text.endsWith('Z') && isLocalDateTime(text.slice(0, -1).replace(/(?<=:\d\d:\d\d)\.\d{3}$/, ''))
}

// Read as if it were UTC and written again: February 30th and 24:00 come back as another day.
function isOnCalendar(text: string): boolean {
  const read = new Date(`${text}Z`)
  // Instants are written from the year 1 on.
  if (text.startsWith('0000')) return false
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(text)
}
