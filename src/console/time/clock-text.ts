import { twoDigits } from './two-digits.ts'

/** The zone of this device. */
export const viewerZone = Intl.DateTimeFormat().resolvedOptions().timeZone

const formats = new Map<string, Intl.DateTimeFormat>()

function format(options: Intl.DateTimeFormatOptions & { timeZone: string }): Intl.DateTimeFormat {
  const key = JSON.stringify(options)
  const known = formats.get(key)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-GB', { hourCycle: 'h23', ...options })
  formats.set(key, made)
  return made
}

const TIME = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
const DAY = { weekday: 'short', day: 'numeric', month: 'short' } as const

/** What a zone is called for people: its city. */
export const cityOf = (zone: string): string => zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone

const inZone = (at: Date, timeZone: string, options: Intl.DateTimeFormatOptions): string =>
  format({ ...options, timeZone }).format(at)

/** An instant as shown: in the zone of who looks, and in the event's where its clocks differ. */
export type ShownInstant = { text: string; event: string | null; full: string }

export function showInstant(instant: string, eventZone: string | null, now: number): ShownInstant {
  const at = new Date(instant)
  const differs =
    eventZone !== null && isZone(eventZone) && wall(at, eventZone) !== wall(at, viewerZone) ? eventZone : null
  const text = shortIn(at, viewerZone, now)
  return {
    text,
    event: differs === null ? null : `${shortIn(at, differs, now)} ${cityOf(differs)}`,
    full: [viewerZone, ...(differs === null ? [] : [differs])]
      .map((zone) => `${inZone(at, zone, { ...DAY, year: 'numeric', ...TIME })} ${cityOf(zone)}`)
      .join(' · '),
  }
}

/** The time of day in a calendar: where who looks is, and in the event's zone where its clocks differ, with the day where that does. */
export function showTimeOfDay(instant: string, eventZone: string): { text: string; event: string | null } {
  const at = new Date(instant)
  const time = { hour: '2-digit', minute: '2-digit' } as const
  const text = inZone(at, viewerZone, time)
  if (!isZone(eventZone) || wall(at, eventZone) === wall(at, viewerZone)) return { text, event: null }
  const isSameDay = inZone(at, eventZone, DAY) === inZone(at, viewerZone, DAY)
  const there = inZone(at, eventZone, isSameDay ? time : { weekday: 'short', ...time })
  return { text, event: `${there} ${cityOf(eventZone)}` }
}

/** An instant in full, by the clocks of a zone; null where this browser does not know it. */
export function showFull(instant: string, zone: string): string | null {
  return isZone(zone) ? wall(new Date(instant), zone) : null
}

/** The time of day with milliseconds, where who looks is: for the log. */
export function showMoment(instant: string): string {
  return inZone(new Date(instant), viewerZone, { ...TIME, fractionalSecondDigits: 3 })
}

const wall = (at: Date, zone: string): string => inZone(at, zone, { ...DAY, year: 'numeric', ...TIME })

/** From so far away on a day needs its year: the same day of another year would look the same. */
const YEAR_FROM_MS = 180 * 86_400_000

/** The time of day today, with the day otherwise, and its year where that is not plain. */
function shortIn(at: Date, zone: string, now: number): string {
  const day = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const isToday = inZone(at, zone, day) === inZone(new Date(now), zone, day)
  if (isToday) return inZone(at, zone, TIME)
  const year = Math.abs(at.getTime() - now) < YEAR_FROM_MS ? {} : ({ year: 'numeric' } as const)
  return inZone(at, zone, { ...DAY, ...year, hour: '2-digit', minute: '2-digit' })
}

/** Zones of an event come from who wrote it; the browser may know fewer than the server. */
function isZone(zone: string): boolean {
  try {
    format({ timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** A length of time as a clock shows it: 0:07, 12:34, 1:02:03, 2 d 03:04. */
export function showSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const days = Math.floor(seconds / 86_400)
  const hours = Math.floor((seconds % 86_400) / 3_600)
  const minutes = Math.floor((seconds % 3_600) / 60)
  if (days > 0) return `${days} d ${twoDigits(hours)}:${twoDigits(minutes)}`
  return hours > 0
    ? `${hours}:${twoDigits(minutes)}:${twoDigits(seconds % 60)}`
    : `${minutes}:${twoDigits(seconds % 60)}`
}

/** How long something took, as short as it was: 40 ms, 2.4 s, 12:34. */
export function showTook(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : showSpan(ms)
}
