/**
 * Days and wall times as integers: a day is counted from 1970-01-01, a wall time is in milliseconds as if it were UTC.
 * No zone is in any of it. Days before and after 1970 follow the Gregorian calendar.
 */
export const DAY_MS = 86_400_000

/** The wall times that can be written: the years 0000 to 9999. */
export const FIRST_WALL = dayOfDate(0, 1, 1) * DAY_MS
export const LAST_WALL = dayOfDate(10_000, 1, 1) * DAY_MS - 1

/** The day of a date; months count from 1 and may lie outside 1 to 12, which leads into other years. */
export function dayOfDate(year: number, month: number, dayOfMonth: number): number {
  // The year begins in March, so that a leap day is its last and months have a regular length before it.
  const months = year * 12 + month - 3
  const y = Math.floor(months / 12)
  const m = months - y * 12
  const days = y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400)
  return days + Math.floor((m * 306 + 5) / 10) + dayOfMonth - 1 - 719_468
}

export type CivilDate = { year: number; month: number; dayOfMonth: number }

export function dateOfDay(day: number): CivilDate {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const m = Math.floor((dayOfYear * 5 + 2) / 153)
  const month = m < 10 ? m + 3 : m - 9
  return {
    year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0),
    month,
    dayOfMonth: dayOfYear - Math.floor((m * 306 + 5) / 10) + 1,
  }
}

export function daysInMonth(year: number, month: number): number {
  return dayOfDate(year, month + 1, 1) - dayOfDate(year, month, 1)
}

/** 0 is Monday, 6 is Sunday. */
export function weekdayOf(day: number): number {
  const weekday = (day + 3) % 7
  return weekday < 0 ? weekday + 7 : weekday
}

export function dayOfWall(wall: number): number {
  return Math.floor(wall / DAY_MS)
}

/** A local date-time (`isLocalDateTime`) as a wall time, or an instant that ends in Z (`isUtcInstant`) as an instant. */
export function readWall(text: string): number {
  return Date.parse(text.endsWith('Z') ? text : `${text}Z`)
}

const digits = (value: number, length: number) => String(value).padStart(length, '0')

/** `2026-03-06`. */
export function dateText(day: number): string {
  const { year, month, dayOfMonth } = dateOfDay(day)
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(dayOfMonth, 2)}`
}

/** `20:00`, or `20:00:30` where there are seconds; milliseconds are left out. */
export function timeText(msOfDay: number): string {
  const seconds = Math.floor(msOfDay / 1000)
  const text = `${digits(Math.floor(seconds / 3600), 2)}:${digits(Math.floor(seconds / 60) % 60, 2)}`
  return seconds % 60 === 0 ? text : `${text}:${digits(seconds % 60, 2)}`
}

/** `2026-03-06T20:00`, with seconds where there are some: the one form in which keys hold local times. */
export function wallText(wall: number): string {
  const day = dayOfWall(wall)
  return `${dateText(day)}T${timeText(wall - day * DAY_MS)}`
}
