import type { Issue } from './issue.ts'
import { isLocalDate, isLocalDateTime, isUtcInstant } from './local-time.ts'
import { isObject } from './plain-object.ts'
import { unknownKeys } from './unknown-keys.ts'

const MAX_RULE_LENGTH = 500
const MAX_DATES = 500
const LOCAL_FORM = 'a local date and time that the calendar has, like 2026-03-06T20:00'

/** All that is wrong with a schedule, which may be JSON of any shape. */
export function checkSchedule(schedule: unknown): Issue[] {
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

/**
 * What of a schedule cannot be run yet. Nothing makes runs by a schedule in this release, so publishing one would promise
 * starts that never come.
 */
export function unsupportedSchedule(schedule: unknown): Issue[] {
  const kinds = isObject(schedule) ? Object.keys(schedule).join() : ''
  if (kinds !== 'once' && kinds !== 'recurring') return []
  const message =
    'Only a manual schedule can be published in this release; make it {"manual": true} and start each run yourself, at an instant to come if you like.'
  return [{ path: 'schedule', message }]
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
  if (typeof rule !== 'string' || rule.trim() === '' || rule.length > MAX_RULE_LENGTH) {
    refuse(
      '.rule',
      `"rule" must be a recurrence rule of up to ${MAX_RULE_LENGTH} characters, like FREQ=WEEKLY;BYDAY=FR.`,
    )
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
