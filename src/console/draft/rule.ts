/** The parts of a recurrence rule in their order; those that no form knows stay as they are. */
export type Rule = ReadonlyMap<string, string>

export function readRule(text: string): Rule {
  const parts = text
    .replace(/^RRULE:/i, '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return new Map(
    parts.map((part) => {
      const at = part.indexOf('=')
      return at < 0 ? [part.toUpperCase(), ''] : [part.slice(0, at).trim().toUpperCase(), part.slice(at + 1).trim()]
    }),
  )
}

export const writeRule = (rule: Rule): string =>
  [...rule].map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join(';')

/** The rule with other parts; null takes one away. */
export function withParts(rule: Rule, parts: Readonly<Record<string, string | null>>): Rule {
  const made = new Map(rule)
  for (const [name, value] of Object.entries(parts)) {
    if (value === null) made.delete(name)
    else made.set(name, value)
  }
  return made
}

export const DAYS = [
  { code: 'MO', name: 'Monday' },
  { code: 'TU', name: 'Tuesday' },
  { code: 'WE', name: 'Wednesday' },
  { code: 'TH', name: 'Thursday' },
  { code: 'FR', name: 'Friday' },
  { code: 'SA', name: 'Saturday' },
  { code: 'SU', name: 'Sunday' },
] as const

/** Days of the week that a rule names; null: it names them in a way that a row of days cannot show. */
export function daysOf(rule: Rule): string[] | null {
  const text = rule.get('BYDAY') ?? ''
  const days = text === '' ? [] : text.toUpperCase().split(',')
  return days.every((day) => DAYS.some(({ code }) => code === day)) ? days : null
}

/** The one day of a month that a rule names, as 2SU; null: none, or several. */
export function nthDayOf(rule: Rule): { nth: string; day: string } | null {
  const [, nth, day] = /^([1-5]|-1)(MO|TU|WE|TH|FR|SA|SU)$/i.exec(rule.get('BYDAY') ?? '') ?? []
  return nth === undefined || day === undefined ? null : { nth, day: day.toUpperCase() }
}
