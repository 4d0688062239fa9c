import { IANAZone } from 'luxon'
import type { ZoneData } from './zone-data.ts'

const DAY_MS = 86_400_000
/** Days whose offsets are kept, of all zones together: some megabytes. */
const MAX_KEPT = 100_000
/** There are some 600 zones; names may be written in any case. */
const MAX_NAMES = 5_000

/**
 * The zone data that Node brings. It is slow to ask (some 6 µs), so that offsets are kept by day; a day on which clocks
 * change is asked every time.
 */
export class IntlZones implements ZoneData {
  readonly version = process.versions.tz ?? 'unknown'
  readonly #offsets = new Map<string, Map<number, number | null>>()
  #kept = 0
  /** Asking costs as much as expanding a schedule. */
  readonly #known = new Set<string>()
  /** The end of the day that was read last is the beginning of the one that is likely to be asked for next. */
  #midnight = { zone: '', day: 0, offset: 0 }

  has(zone: string): boolean {
    if (this.#known.has(zone)) return true
    const isKnown = IANAZone.isValidZone(zone)
    // Names that are none are not kept: there is no end to them.
    if (isKnown && this.#known.size < MAX_NAMES) this.#known.add(zone)
    return isKnown
  }

  offset(zone: string, at: number): number {
    const day = Math.floor(at / DAY_MS)
    const days = this.#daysOf(zone)
    let offset = days.get(day)
    if (offset === undefined) {
      const next = this.#midnight
      const begin = next.zone === zone && next.day === day ? next.offset : read(zone, day * DAY_MS)
      this.#midnight = { zone, day: day + 1, offset: read(zone, (day + 1) * DAY_MS) }
      offset = begin === this.#midnight.offset ? begin : null
      this.#kept += 1
      days.set(day, offset)
    }
    return offset ?? read(zone, at)
  }

  #daysOf(zone: string): Map<number, number | null> {
    if (this.#kept >= MAX_KEPT) {
      this.#offsets.clear()
      this.#kept = 0
    }
    let days = this.#offsets.get(zone)
    if (days === undefined) {
      days = new Map()
      this.#offsets.set(zone, days)
    }
    return days
  }
}

function read(zone: string, at: number): number {
  const offset = Math.round(IANAZone.create(zone).offset(at) * 60_000)
  if (Number.isNaN(offset)) throw new Error(`The zone ${JSON.stringify(zone)} has no offset at ${at}`)
  return offset
}
