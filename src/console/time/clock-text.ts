const viewerZone = Intl.DateTimeFormat().resolvedOptions().timeZone

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

/** The time of day with milliseconds, where who looks is: for the log. */
export function showMoment(instant: string): string {
  return inZone(new Date(instant), viewerZone, { ...TIME, fractionalSecondDigits: 3 })
}

const wall = (at: Date, zone: string): string => inZone(at, zone, { ...DAY, year: 'numeric', ...TIME })

/** The time of day today, with the day otherwise. */
function shortIn(at: Date, zone: string, now: number): string {
  const day = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const isToday = inZone(at, zone, day) === inZone(new Date(now), zone, day)
  return inZone(at, zone, isToday ? TIME : { ...DAY, hour: '2-digit', minute: '2-digit' })
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
  const two = (count: number) => String(count).padStart(2, '0')
  const days = Math.floor(seconds / 86_400)
  const hours = Math.floor((seconds % 86_400) / 3_600)
  const minutes = Math.floor((seconds % 3_600) / 60)
  if (days > 0) return `${days} d ${two(hours)}:${two(minutes)}`
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/** How long something took, as short as it was: 40 ms, 2.4 s, 12:34. */
export function showTook(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : showSpan(ms)
}
