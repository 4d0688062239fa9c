import { DateTime } from 'luxon'

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
