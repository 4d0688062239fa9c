const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The longest duration that is taken anywhere: 366 days, in milliseconds. */
export const LONGEST_DURATION_MS = 366 * DAY

const FORM = 'write it like 90s, 30m, 2h, 1h30m or 1d, or as ISO 8601 like PT30M'
const SHORT = /^(?:(\d+)d)?\s*(?:(\d+)h)?\s*(?:(\d+)m)?\s*(?:(\d+)s)?$/
const ISO = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/
/** What every duration looks like, as the source of a pattern; `parseDuration` refuses some besides, such as 0s. */
export const DURATION_PATTERN = `^(?=.*\\d)\\s*(?:${SHORT.source.slice(1, -1)}|${ISO.source.slice(1, -1)})\\s*$`
const ISO_CALENDAR = /^P\d+[YM]/

/** `problem` is a clause that follows the name of the field: "must be …; write …". */
export type ParsedDuration = { ok: true; ms: number } | { ok: false; problem: string }

/**
 * Reads `90s`, `30m`, `2h`, `1h30m`, `1d` or ISO 8601 (`PT30M`, `P1W`), in whole numbers, largest unit first; space
 * around it and between its parts is allowed. Years and months are refused, since their length varies.
 * `max` is the longest that is allowed, in milliseconds. What is refused is named in `problem`.
 */
export function parseDuration(text: string, { max = LONGEST_DURATION_MS }: { max?: number } = {}): ParsedDuration {
  const trimmed = text.trim()
  const shown = JSON.stringify(trimmed.length > 40 ? `${trimmed.slice(0, 40)}…` : trimmed)
  const refuse = (problem: string): ParsedDuration => ({ ok: false, problem })

  if (trimmed === '') return refuse(`must be a duration; ${FORM}.`)
  if (/^[-−]|^P?T?-/.test(trimmed)) return refuse(`must be longer than zero, and ${shown} is negative; ${FORM}.`)
  if (/^\d+$/.test(trimmed)) return refuse(`needs a unit: ${shown} may be seconds, minutes or hours; ${FORM}.`)
  if (ISO_CALENDAR.test(trimmed)) return refuse(`must be in weeks, days or less, since years and months vary; ${FORM}.`)
  if (/\d[.,]\d/.test(trimmed))
    return refuse(`must be in whole numbers, and ${shown} is not: 1h30m is 1.5 hours; ${FORM}.`)

  const short = SHORT.exec(trimmed)
  const iso = ISO.exec(trimmed)
  const parts = short?.slice(1) ?? iso?.slice(2)
  const given = [iso?.[1], ...(parts ?? [])]
  if (parts === undefined || given.every((part) => part === undefined)) {
    return refuse(`must be a duration, and ${shown} is none; ${FORM}.`)
  }
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = given.map((part) => Number(part ?? 0))
  const ms = (weeks * 7 + days) * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND
  if (ms === 0) return refuse(`must be longer than zero; ${FORM}.`)
  if (ms > max) return refuse(`must be at most ${formatDuration(max)}, and ${shown} is longer; give a shorter one.`)
  return { ok: true, ms }
}

/** A length of time for sentences: "1 h 30 min", "45 s", "250 ms". Negative counts as zero. */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms))
  if (whole > 0 && whole < SECOND) return `${whole} ms`
  const parts = [
    [Math.floor(whole / DAY), 'd'],
    [Math.floor((whole % DAY) / HOUR), 'h'],
    [Math.floor((whole % HOUR) / MINUTE), 'min'],
    [(whole % MINUTE) / SECOND, 's'],
  ] as const
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`)
  return shown.length === 0 ? '0 s' : shown.join(' ')
}
