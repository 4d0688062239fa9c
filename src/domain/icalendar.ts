/** An event as iCalendar (RFC 5545) writes it. Instants in milliseconds since the epoch, written to the second in UTC. */
export type IcalEvent = {
  uid: string
  at: number
  /** Null: not known, or no later than `at`. */
  end: number | null
  /** Never shrinks while the event has this uid; it may stand still, where its maker runs out of numbers. */
  sequence: number
  modified: number
  status: 'TENTATIVE' | 'CONFIRMED' | 'CANCELLED'
  summary: string
  location: string
  description: string
  url: string | null
}

export type Icalendar = {
  name: string
  description: string
  /** How often whoever subscribed should ask again. */
  refreshMinutes: number
  /** As `icalEventText` writes them. */
  events: readonly string[]
}

/** The most octets of a line, without its end (RFC 5545, 3.1). */
const LINE_OCTETS = 75

/** A calendar as text/calendar. The same calendar is always the same text. */
export function icalendarText({ name, description, refreshMinutes, events }: Icalendar): string {
  const head = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Cuelight//Cuelight//EN',
    'CALSCALE:GREGORIAN',
    // The names that RFC 7986 has, and those that clients knew before.
    ...['NAME', 'X-WR-CALNAME'].map((property) => `${property}:${textValue(name)}`),
    ...['DESCRIPTION', 'X-WR-CALDESC'].map((property) => `${property}:${textValue(description)}`),
    `REFRESH-INTERVAL;VALUE=DURATION:PT${refreshMinutes}M`,
    `X-PUBLISHED-TTL:PT${refreshMinutes}M`,
  ]
  return [textOfLines(head), ...events, textOfLines(['END:VCALENDAR'])].join('')
}

/** An event as a part of a calendar's text. */
export const icalEventText = (event: IcalEvent): string => textOfLines(eventLines(event))

const textOfLines = (lines: readonly string[]): string => lines.map((line) => `${folded(line)}\r\n`).join('')

function eventLines(event: IcalEvent): string[] {
  const { uid, sequence, status, summary, location, description, url } = event
  const [at, end, modified] = [
    instantValue(event.at),
    instantValue(event.end ?? event.at),
    instantValue(event.modified),
  ]
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    // In a calendar that is not a message, this too is when the event was last revised (3.8.7.2).
    `DTSTAMP:${modified}`,
    `LAST-MODIFIED:${modified}`,
    `SEQUENCE:${sequence}`,
    `STATUS:${status}`,
    `DTSTART:${at}`,
    ...(end > at ? [`DTEND:${end}`] : []),
    `SUMMARY:${textValue(summary)}`,
    ...(location === '' ? [] : [`LOCATION:${textValue(location)}`]),
    `DESCRIPTION:${textValue(description)}`,
    ...(url === null ? [] : [`URL:${url}`]),
    'END:VEVENT',
  ]
}

const instantValue = (instant: number): string => new Date(instant).toISOString().replace(/[-:]|\.\d+/g, '')

/** Control characters have no place in a text; a line break is written as one. */
const textValue = (text: string): string =>
  text
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r\n|\r|\n/g, '\\n')
    .replace(/[^\P{Cc}\t]/gu, ' ')

/** A line in pieces of at most 75 octets in UTF-8, each but the first behind a space; no character is cut. */
function folded(line: string): string {
  let text = ''
  let octets = 0
  for (const character of line) {
    const size = octetsOf(character.codePointAt(0) ?? 0)
    if (octets + size > LINE_OCTETS) {
      text += '\r\n '
      octets = 1
    }
    text += character
    octets += size
  }
  return text
}

function octetsOf(codePoint: number): number {
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x1_0000 ? 3 : 4
}
