import { InvalidArgumentError } from 'commander'
import { DateTime } from 'luxon'
import { parseInstant } from '../domain/instant.ts'

const FORMATS = { minutes: 'yyyy-MM-dd HH:mm', seconds: 'yyyy-MM-dd HH:mm:ss', millis: 'yyyy-MM-dd HH:mm:ss.SSS' }

export type Precision = keyof typeof FORMATS

/**
 * An instant of the API (RFC 3339) for people: as the viewer's clocks show it, and in brackets what those of the event
 * show where that differs, with the date where that differs too.
 */
export function showInstant(
  instant: string,
  { viewerZone, eventZone, precision = 'minutes' }: { viewerZone: string; eventZone: string; precision?: Precision },
): string {
  const here = DateTime.fromISO(instant, { zone: viewerZone, locale: 'en' })
  const there = here.setZone(eventZone)
  const shown = here.toFormat(FORMATS[precision])
  if (!there.isValid || there.offset === here.offset) return shown
  const beside = there.toFormat(there.toISODate() === here.toISODate() ? 'HH:mm' : FORMATS.minutes)
  return `${shown} (${beside} ${eventZone})`
}

/** Reads the instant of an option, as the API takes it. */
export function instantOption(given: string): string {
  if (parseInstant(given) !== null) return given
  throw new InvalidArgumentError(
    'It may be an instant with its date, its seconds, and Z or an offset, like 2027-01-01T20:00:00Z or 2027-01-01T20:00:00+01:00.',
  )
}
