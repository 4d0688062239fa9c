import type { DstAdjustment } from '../../generated/console/documents.ts'
import { cityOf } from './clock-text.ts'

/** An occurrence whose local time the clocks of its zone skip, or show twice. */
type Occurrence = { local: string; adjusted: DstAdjustment | null; shiftMinutes: number | null }

/** What daylight saving did to an occurrence, in a few words and as a sentence; null: nothing. */
export function daylightSaving(
  { local, adjusted, shiftMinutes }: Occurrence,
  zone: string,
): { word: string; sentence: string } | null {
  if (adjusted === null) return null
  const time = local.slice(11).replace(/^(\d\d:\d\d):00$/, '$1')
  const city = cityOf(zone)
  return adjusted === 'GAP'
    ? {
        word: `Clocks skip ${time}: +${shiftMinutes ?? 0} min`,
        sentence: `There is no ${time} in ${city} on that day: the clocks go forward, and it starts ${shiftMinutes ?? 0} minutes later.`,
      }
    : {
        word: `Clocks show ${time} twice: the first`,
        sentence: `There are two ${time} in ${city} on that day: the clocks go back, and it starts at the first.`,
      }
}
