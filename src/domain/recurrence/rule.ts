import { isLocalDate, isLocalDateTime } from '../local-time.ts'
import { readWall } from './civil.ts'

export const FREQUENCIES = ['MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const
export type Frequency = (typeof FREQUENCIES)[number]

const WEEKDAYS: readonly string[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

/** `1SA` is ordinal 1 of weekday 5; a plain `SA` has ordinal 0. */
export type ByDay = { weekday: number; ordinal: number }

/** `Z`: an instant, compared with the instant. Otherwise the last wall time that is still in, a date's being its end. */
export type Until = { kind: 'instant' | 'local' | 'date'; at: number }

/** A recurrence rule as written. A list is empty where its key is not given. */
export type Rule = {
  frequency: Frequency
  interval: number
  count: number | null
  until: Until | null
  byDay: ByDay[]
  byMonthDay: number[]
  byMonth: number[]
  byHour: number[]
  byMinute: number[]
  bySetPos: number[]
  /** The weekday that weeks begin with; 0 is Monday. */
  weekStart: number
}

/** HOURLY and MINUTELY step in elapsed time, all others on the wall clock. */
export function isElapsed({ frequency }: Pick<Rule, 'frequency'>): boolean {
  return frequency === 'HOURLY' || frequency === 'MINUTELY'
}

const MAX_LENGTH = 500
const MAX_COUNT = 10_000
const MAX_INTERVAL = 999_999_999
const KNOWN = 'FREQ, INTERVAL, COUNT, UNTIL, BYDAY, BYMONTHDAY, BYMONTH, BYHOUR, BYMINUTE, BYSETPOS and WKST'

/** Why a key of RFC 5545 is not taken, or what to write instead. */
const REFUSED: Record<string, string> = {
  BYSECOND: 'BYSECOND is not supported; give "start" its seconds, like 2026-03-06T20:00:30.',
  BYWEEKNO: 'BYWEEKNO is not supported; use BYMONTH with BYDAY, like FREQ=YEARLY;BYMONTH=5;BYDAY=1MO.',
  BYYEARDAY: 'BYYEARDAY is not supported; use BYMONTH with BYMONTHDAY, like FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=10.',
  RRULE: 'The rule begins with FREQ=; take "RRULE:" out.',
  DTSTART: 'The first date is no part of the rule; take DTSTART out and write it as "start".',
  TZID: 'The time zone is no part of the rule; take TZID out and set the time zone of the event.',
  EXDATE: 'Exceptions are no part of the rule; take EXDATE out and write them as "exclude".',
  RDATE: 'Extra dates are no part of the rule; take RDATE out and write them as "include".',
}

type Parsed = { rule: Rule | null; problems: string[] }

/** Reads a recurrence rule. `problems` are sentences for its author, all there are; without any the rule is there. */
export function parseRule(text: string): Parsed {
  if (text.trim() === '') return refused('The rule must not be empty; write one like FREQ=WEEKLY;BYDAY=FR.')
  if (text.length > MAX_LENGTH) {
    return refused(`The rule must have at most ${MAX_LENGTH} characters, and this has ${text.length}; shorten it.`)
  }
  const problems: string[] = []
  const values = new Map<string, string>()
  for (const part of text.toUpperCase().split(';')) {
    const [, key = '', separator, value = ''] = /^([A-Z][A-Z-]*)(?:([=:])(.*))?$/s.exec(part) ?? []
    if (Object.hasOwn(REFUSED, key)) problems.push(REFUSED[key] ?? '')
    else if (separator !== '=') problems.push(`${shown(part)} is no part of a rule; join parts like BYDAY=FR with ";".`)
    else if (!KEYS.includes(key)) problems.push(`${shown(key)} is not known; a rule may hold ${KNOWN}.`)
    else if (values.has(key)) problems.push(`${key} may be there only once; put all of its values into one list.`)
    else values.set(key, value)
  }
  const rule = new Reader(values, problems).rule()
  return problems.length > 0 ? { rule: null, problems } : { rule, problems }
}

const refused = (problem: string): Parsed => ({ rule: null, problems: [problem] })
const KEYS = KNOWN.split(/, | and /)
const shown = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)

type NumberBounds = { max: number; min?: number; signed?: boolean }

class Reader {
  readonly #values: Map<string, string>
  readonly #problems: string[]

  constructor(values: Map<string, string>, problems: string[]) {
    this.#values = values
    this.#problems = problems
  }

  rule(): Rule | null {
    const frequency = this.#frequency()
    const rule = {
      interval: this.#interval(frequency),
      count: this.#number('COUNT', { max: MAX_COUNT, fallback: null }),
      until: this.#until(),
      byDay: this.#byDay(),
      byMonthDay: this.#numbers('BYMONTHDAY', { max: 31, signed: true }),
      byMonth: this.#numbers('BYMONTH', { max: 12 }),
      byHour: this.#numbers('BYHOUR', { min: 0, max: 23 }),
      byMinute: this.#numbers('BYMINUTE', { min: 0, max: 59 }),
      bySetPos: this.#numbers('BYSETPOS', { max: 366, signed: true }),
      weekStart: this.#weekStart(),
    }
    if (rule.count !== null && rule.until !== null) {
      this.#problem('COUNT and UNTIL exclude each other; leave one of them out.')
    }
    if (frequency === null) return null
    this.#checkTogether({ frequency, ...rule })
    return { frequency, ...rule, interval: rule.interval ?? 1 }
  }

  #problem(sentence: string): void {
    this.#problems.push(sentence)
  }

  #frequency(): Frequency | null {
    const value = this.#values.get('FREQ')
    const frequency = FREQUENCIES.find((name) => name === value) ?? null
    const list = FREQUENCIES.join(', ')
    if (value === undefined) this.#problem(`FREQ is missing; begin the rule with FREQ= and one of ${list}.`)
    else if (value === 'SECONDLY') this.#problem('FREQ=SECONDLY is too often; MINUTELY with INTERVAL=5 is the most.')
    else if (frequency === null) this.#problem(`FREQ must be one of ${list}, and ${shown(value)} is none; correct it.`)
    return frequency
  }

  #interval(frequency: Frequency | null): number | null {
    const interval = this.#number('INTERVAL', { max: MAX_INTERVAL, fallback: 1 })
    if (frequency === 'MINUTELY' && interval !== null && interval < 5) {
      this.#problem(`INTERVAL must be 5 or more with FREQ=MINUTELY, and it is ${interval}; give a longer one.`)
    }
    return interval
  }

  #number(key: string, { max, fallback }: { max: number; fallback: number | null }): number | null {
    const value = this.#values.get(key)
    if (value === undefined) return fallback
    const number = /^\d{1,9}$/.test(value) ? Number(value) : 0
    if (number >= 1 && number <= max) return number
    this.#problem(`${key} must be a whole number from 1 to ${max}, and ${shown(value)} is none; correct it.`)
    return null
  }

  #numbers(key: string, { min = 1, max, signed = false }: NumberBounds): number[] {
    const value = this.#values.get(key)
    if (value === undefined) return []
    const numbers = value.split(',').map((item) => (/^[+-]?\d{1,3}$/.test(item) ? Number(item) : Number.NaN))
    const fits = (n: number) => (signed ? Math.abs(n) >= min : n >= min) && Math.abs(n) <= max
    if (numbers.every(fits)) return [...new Set(numbers)].sort((a, b) => a - b)
    const range = signed ? `${min} to ${max} or -${max} to -${min}, which count from the end` : `${min} to ${max}`
    this.#problem(`${key} must be a list of whole numbers from ${range}, and ${shown(value)} is none; correct it.`)
    return []
  }

  #until(): Until | null {
    const value = this.#values.get('UNTIL')
    if (value === undefined) return null
    const [, y, m, d, hh, mm, ss, z] = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/.exec(value) ?? []
    const date = `${y}-${m}-${d}`
    if (hh === undefined && isLocalDate(date)) return { kind: 'date', at: readWall(`${date}T23:59:59`) + 999 }
    const dateTime = `${date}T${hh}:${mm}:${ss}`
    if (isLocalDateTime(dateTime)) return { kind: z === 'Z' ? 'instant' : 'local', at: readWall(dateTime) }
    this.#problem(
      `UNTIL must be a date like 20261231, a local date and time like 20261231T200000, or one in UTC like 20261231T190000Z, and ${shown(value)} is none that the calendar has; correct it.`,
    )
    return null
  }

  #byDay(): ByDay[] {
    const value = this.#values.get('BYDAY')
    if (value === undefined) return []
    const days = value.split(',').map((item) => {
      const [, ordinal, name] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(item) ?? []
      const weekday = WEEKDAYS.indexOf(name ?? '')
      // 0SA is a mistake and no plain SA.
      return { weekday: Number(ordinal) === 0 ? -1 : weekday, ordinal: Number(ordinal ?? 0) }
    })
    if (days.every(({ weekday }) => weekday >= 0)) return days
    this.#problem(
      `BYDAY must be a list of ${WEEKDAYS.join(', ')}, in months and years also like 1SA or -1FR, and ${shown(value)} is none; correct it.`,
    )
    return []
  }

  #weekStart(): number {
    const value = this.#values.get('WKST')
    const weekday = value === undefined ? 0 : WEEKDAYS.indexOf(value)
    if (weekday < 0)
      this.#problem(`WKST must be one of ${WEEKDAYS.join(', ')}, and ${shown(value ?? '')} is none; correct it.`)
    return Math.max(weekday, 0)
  }

  /** What a key may be depends on FREQ. */
  #checkTogether(rule: Pick<Rule, 'frequency' | 'byDay' | 'byMonth'>): void {
    const { frequency } = rule
    const isLong = frequency === 'MONTHLY' || frequency === 'YEARLY'
    const ordinals = rule.byDay.map(({ ordinal }) => Math.abs(ordinal))
    if (!isLong && ordinals.some((ordinal) => ordinal > 0)) {
      this.#problem(
        `BYDAY may number its days, like 1SA, only with FREQ=MONTHLY and FREQ=YEARLY; leave the numbers out, or use one of those.`,
      )
    }
    const inMonths = frequency === 'MONTHLY' || rule.byMonth.length > 0
    const most = inMonths ? 5 : 53
    if (isLong && ordinals.some((ordinal) => ordinal > most)) {
      this.#problem(`BYDAY may count to ${most} in a ${inMonths ? 'month' : 'year'}, like -1FR; give a smaller number.`)
    }
    if (this.#values.has('BYSETPOS') && !isLong) {
      this.#problem('BYSETPOS may be used only with FREQ=MONTHLY and FREQ=YEARLY; leave it out, or use one of those.')
    }
    if (this.#values.has('BYMONTHDAY') && frequency === 'WEEKLY') {
      this.#problem('BYMONTHDAY may not be used with FREQ=WEEKLY; use FREQ=MONTHLY, or FREQ=DAILY with BYDAY.')
    }
    if (this.#values.has('BYMINUTE') && isElapsed(rule)) {
      this.#problem(
        `BYMINUTE may not be used with FREQ=${frequency}, which counts from the start; use FREQ=DAILY with BYHOUR and BYMINUTE.`,
      )
    }
  }
}
