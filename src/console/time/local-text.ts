const LOCAL = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}:\d{2}(?::\d{2})?))?$/

const DAY = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})

/** A date or a date and time without a zone, as an event has it, for people: "Fri, 6 Mar 2026 20:00". What is none stays as it is. */
export function showLocal(text: string): string {
  const [, year, month, day, time] = LOCAL.exec(text) ?? []
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  if (Number.isNaN(date.getTime())) return text
  return time === undefined ? DAY.format(date) : `${DAY.format(date)} ${time}`
}
