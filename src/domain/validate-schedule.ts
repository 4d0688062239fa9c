import type { Issue } from './issue.ts'
import { isLocalDate, isLocalDateTime, isUtcInstant } from './local-time.ts'
import { isObject } from './plain-object.ts'
import { parseRule } from './recurrence/rule.ts'
import { compileSchedule, InvalidSchedule } from './recurrence/schedule.ts'
import { warningsOf } from './recurrence/warnings.ts'
import type { ZoneData } from './recurrence/zone-data.ts'
import { parseSchedule } from './spec.ts'
import { unknownKeys } from './unknown-keys.ts'
import { zoneProblem } from './zone.ts'

const MAX_DATES = 500
const LOCAL_FORM = 'a local date and time that the calendar has, like 2026-03-06T20:00'

/** Where a schedule's local times are; the zone may be anything. */
export type SchedulePlace = { timeZone: unknown; zones: ZoneData }

/**
 * All that is wrong with a schedule, which may be JSON of any shape. A zone that is wrong is another matter: it is not
 * named here, and what only a zone can tell is not either.
 */
export function checkSchedule(schedule: unknown, place: SchedulePlace): Issue[] {
  const issues = checkForm(schedule)
  const read = issues.length === 0 ? parseSchedule(schedule) : null
  const zone = knownZone(place)
  if (read === null || zone === null) return issues
  try {
    compileSchedule(read, zone, place.zones)
    return []
  } catch (error) {
    if (!(error instanceof InvalidSchedule)) throw error
    return [{ path: error.path, message: error.message }]
  }
}

/** What in a schedule is allowed but odd. A schedule or zone that is wrong has none: its issues come first. */
export function scheduleWarnings(schedule: unknown, place: SchedulePlace): Issue[] {
  const zone = knownZone(place)
  if (zone === null || checkSchedule(schedule, place).length > 0) return []
  const read = parseSchedule(schedule)
  return read === null ? [] : warningsOf(read, zone, place.zones)
}

function knownZone({ timeZone, zones }: SchedulePlace): string | null {
  if (typeof timeZone !== 'string' || zoneProblem(timeZone) !== null) return null
  return zones.has(timeZone) ? timeZone : null
}

function checkForm(schedule: unknown): Issue[] {
  const one = 'A schedule must be exactly one of "manual", "once" and "recurring".'
  if (!isObject(schedule)) return [{ path: 'schedule', message: one }]
  const strays = unknownKeys(schedule, { path: 'schedule', known: ['manual', 'once', 'recurring'] })
  if (strays.length > 0) return strays
  const kinds = Object.keys(schedule)
  const [kind] = kinds
  if (kinds.length !== 1) return [{ path: 'schedule', message: one }]
  switch (kind) {
    case 'manual':
      return schedule.manual === true
        ? []
        : [
            {
              path: 'schedule.manual',
              message: '"manual" must be true; for a schedule give "once" or "recurring" instead.',
            },
          ]
    case 'once':
      return checkOnce(schedule.once)
    case 'recurring':
      return checkRecurring(schedule.recurring)
    default:
      return [{ path: 'schedule', message: one }]
  }
}

function checkOnce(once: unknown): Issue[] {
  const issues = isObject(once) ? unknownKeys(once, { path: 'schedule.once', known: ['at'] }) : []
  const at = isObject(once) ? once.at : undefined
  if (typeof at !== 'string' || !isLocalDateTime(at)) {
    issues.push({ path: 'schedule.once.at', message: `"at" must be ${LOCAL_FORM}.` })
  }
  return issues
}

function checkRecurring(recurring: unknown): Issue[] {
  const issues: Issue[] = []
  const refuse = (key: string, message: string) => issues.push({ path: `schedule.recurring${key}`, message })
  if (!isObject(recurring)) {
    refuse('', '"recurring" must be an object with "start" and "rule".')
    return issues
  }
  issues.push(...unknownKeys(recurring, { path: 'schedule.recurring', known: ['start', 'rule', 'exclude', 'include'] }))
  const { start, rule } = recurring
  if (typeof start !== 'string' || !isLocalDateTime(start)) refuse('.start', `"start" must be ${LOCAL_FORM}.`)
  if (typeof rule !== 'string') {
    refuse('.rule', '"rule" must be a recurrence rule as a text, like FREQ=WEEKLY;BYDAY=FR.')
  } else {
    for (const problem of parseRule(rule).problems) refuse('.rule', problem)
  }
  const dates = [
    ['exclude', (entry: string) => isLocalDate(entry) || isLocalDateTime(entry) || isUtcInstant(entry)],
    ['include', (entry: string) => isLocalDateTime(entry) || isUtcInstant(entry)],
  ] as const
  for (const [key, fits] of dates) {
    const entries = recurring[key] ?? []
    if (!Array.isArray(entries)) {
      refuse(`.${key}`, `"${key}" must be a list of up to ${MAX_DATES} dates.`)
      continue
    }
    if (entries.length > MAX_DATES) {
      refuse(`.${key}`, `"${key}" may hold up to ${MAX_DATES} dates, and has ${entries.length}; remove some.`)
    }
    for (const [index, entry] of entries.entries()) {
      if (typeof entry === 'string' && fits(entry)) continue
      const form = `${key === 'exclude' ? 'a local date, ' : ''}a local date and time, or an instant in UTC that ends in Z`
      refuse(`.${key}[${index}]`, `Each of "${key}" must be ${form}, and this is none that the calendar has.`)
    }
  }
  return issues
}
