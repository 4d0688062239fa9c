import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { IntlZones } from '../domain/recurrence/intl-zones.ts'
import type { ZoneData } from '../domain/recurrence/zone-data.ts'
import { offsetAt, parseTzif, type ZoneTable } from './tzif.ts'

/** No path leads out of the folder by a name like this. */
const ZONE_NAME = /^[A-Za-z0-9_+-]+(\/[A-Za-z0-9_+-]+){0,2}$/
/** The largest file of zones is below 4 KiB, the list of them all some 110 KiB. */
const MAX_FILE_BYTES = 1 << 20

export type OpenedZones = {
  zones: ZoneData
  /** Which zone data it is and where from, for the log and for operators: `2026f, of /usr/share/zoneinfo`. */
  source: string
}

/**
 * The zone data that schedules are computed with: the system's compiled time zone files in `folder` where they are newer
 * than Node's own, Node's otherwise. Countries change their clocks at short notice, and systems are updated more often
 * than Node. Never throws.
 */
export function openZones(folder: string): OpenedZones {
  const own = new IntlZones()
  const version = versionOf(folder)
  if (version === null) return { zones: own, source: `${own.version}, of Node.js; there is none in ${folder}` }
  if (!isNewer(version, own.version)) {
    return { zones: own, source: `${own.version}, of Node.js; that of ${folder} is ${version}` }
  }
  return { zones: new SystemZones({ folder, version, own }), source: `${version}, of ${folder}` }
}

function versionOf(folder: string): string | null {
  const list = readSmall(join(folder, 'tzdata.zi'))?.toString('latin1')
  const file = readSmall(join(folder, '+VERSION'))?.toString('latin1')
  return /^# version (\S+)/.exec(list ?? '')?.[1] ?? /^\d{4}\S*/.exec(file ?? '')?.[0] ?? null
}

/** Whether a version, such as `2026f`, is later than another. What is no version is never, and older than any. */
export function isNewer(version: string, than: string): boolean {
  const read = (text: string) => /^(\d{4})([a-z]{1,2})/.exec(text)
  const mine = read(version)
  const other = read(than)
  if (mine === null || other === null) return mine !== null
  const [, year = '', letters = ''] = mine
  const [, otherYear = '', otherLetters = ''] = other
  if (year !== otherYear) return year > otherYear
  return letters.length === otherLetters.length ? letters > otherLetters : letters.length > otherLetters.length
}

/** Null where it is no file, too large, or cannot be read. */
function readSmall(path: string): Buffer | null {
  try {
    const { size } = statSync(path)
    return statSync(path).isFile() && size <= MAX_FILE_BYTES ? readFileSync(path) : null
  } catch {
    return null
  }
}

/** The system's time zone files; a zone whose file is not there or cannot be read has Node's offsets. */
export class SystemZones implements ZoneData {
  readonly version: string
  readonly #folder: string
  readonly #own: ZoneData
  readonly #tables = new Map<string, ZoneTable | null>()

  constructor({ folder, version, own }: { folder: string; version: string; own: ZoneData }) {
    this.#folder = folder
    this.version = version
    this.#own = own
  }

  has(zone: string): boolean {
    return this.#own.has(zone)
  }

  offset(zone: string, at: number): number {
    let table = this.#tables.get(zone)
    if (table === undefined) {
      // Names that Node does not have are not kept: there is no end to them.
      if (!this.has(zone)) return this.#own.offset(zone, at)
      table = this.#read(zone) ?? this.#read(canonicalName(zone))
      this.#tables.set(zone, table)
    }
    return table === null ? this.#own.offset(zone, at) : offsetAt(table, at)
  }

  #read(zone: string): ZoneTable | null {
    const bytes = ZONE_NAME.test(zone) ? readSmall(join(this.#folder, zone)) : null
    if (bytes === null) return null
    try {
      return parseTzif(bytes)
    } catch {
      return null
    }
  }
}

/** Some systems leave out names that are links, and a name may be written in any case. */
function canonicalName(zone: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
}
