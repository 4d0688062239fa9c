import { DAY_MS, dateOfDay, dayOfDate, dayOfWall, daysInMonth, weekdayOf } from '../domain/recurrence/civil.ts'

/** A POSIX TZ string, as it stands at the end of a time zone file: `CET-1CEST,M3.5.0,M10.5.0/3`. Milliseconds. */
export type PosixRule = {
  standard: number
  /** Null: clocks do not change. */
  summer: { offset: number; begin: YearlyChange; end: YearlyChange; years: Map<number, Changes> } | null
}
/** `time` is on the clock as it was before the change, and may lie outside the day. */
type YearlyChange = { day: (year: number) => number; time: number }
/** Instants. */
type Changes = { begin: number; end: number }

const NAME = '(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)'
const TIME = '[+-]?\\d{1,3}(?::\\d{2}(?::\\d{2})?)?'
const DATE = 'M\\d{1,2}\\.\\d\\.\\d|J\\d{1,3}|\\d{1,3}'
const RULE = new RegExp(`^${NAME}(${TIME})(?:${NAME}(${TIME})?,(${DATE})(?:/(${TIME}))?,(${DATE})(?:/(${TIME}))?)?$`)

/** Throws where the text is none. */
export function parsePosixRule(text: string): PosixRule {
  const [match, standardText, summerText, beginDate, beginTime, endDate, endTime] = RULE.exec(text) ?? []
  if (match === undefined || standardText === undefined) throw new Error('its footer cannot be read')
  // West is positive here.
  const standard = 0 - millisecondsOf(standardText)
  if (beginDate === undefined || endDate === undefined) return { standard, summer: null }
  const offset = summerText === undefined ? standard + 3_600_000 : 0 - millisecondsOf(summerText)
  const change = (date: string, time = '2'): YearlyChange => ({ day: dayRule(date), time: millisecondsOf(time) })
  const begin = change(beginDate, beginTime)
  const end = change(endDate, endTime)
  return { standard, summer: { offset, begin, end, years: new Map() } }
}

function millisecondsOf(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number)
  const length = ((hours * 60 + minutes) * 60 + seconds) * 1000
  return text.startsWith('-') ? -length : length
}

function dayRule(date: string): (year: number) => number {
  if (date.startsWith('M')) {
    const [month = 0, week = 0, weekday = 0] = date.slice(1).split('.').map(Number)
    if (month < 1 || month > 12 || week < 1 || week > 5 || weekday > 6) throw new Error('its footer cannot be read')
    return (year) => {
      const first = dayOfDate(year, month, 1)
      // Sunday is 0 here and 6 there.
      const day = first + ((weekday + 6 - weekdayOf(first) + 7) % 7) + (week - 1) * 7
      return day < first + daysInMonth(year, month) ? day : day - 7
    }
  }
  if (!date.startsWith('J')) return (year) => dayOfDate(year, 1, 1) + Number(date)
  // Counted without leap days.
  const ordinal = Number(date.slice(1))
  return (year) => dayOfDate(year, 1, 1) + ordinal - 1 + (ordinal > 59 && daysInMonth(year, 2) === 29 ? 1 : 0)
}

/** Offset east of UTC at an instant, both in milliseconds. */
export function posixOffset({ standard, summer }: PosixRule, at: number): number {
  if (summer === null) return standard
  const { year } = dateOfDay(dayOfWall(at + standard))
  let changes = summer.years.get(year)
  if (changes === undefined) {
    changes = {
      begin: summer.begin.day(year) * DAY_MS + summer.begin.time - standard,
      end: summer.end.day(year) * DAY_MS + summer.end.time - summer.offset,
    }
    summer.years.set(year, changes)
  }
  const { begin, end } = changes
  const isSummer = begin < end ? at >= begin && at < end : at >= begin || at < end
  return isSummer ? summer.offset : standard
}
