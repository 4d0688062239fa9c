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
 * than Node. Never throws; a file that cannot be used is said in `log` once.
 */
export function openZones(folder: string, log: ZoneLog): OpenedZones {
  const own = new IntlZones()
  const version = versionOf(folder)
  if (version === null) return { zones: own, source: `${own.version}, of Node.js; there is none in ${folder}` }
  if (!isNewer(version, own.version)) {
    return { zones: own, source: `${own.version}, of Node.js; that of ${folder} is ${version}` }
  }
  return { zones: new SystemZones({ folder, version, own, log }), source: `${version}, of ${folder}` }
}

/** Where it is said that a file cannot be used. */
export type ZoneLog = { warn(fields: object, message: string): void }

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

/**
 * The system's time zone files. A zone whose file is not there has Node's offsets; so has one whose file cannot be used,
 * which is said in the log once for each file.
 */
export class SystemZones implements ZoneData {
  readonly version: string
  readonly #folder: string
  readonly #own: ZoneData
  readonly #log: ZoneLog
  readonly #tables = new Map<string, ZoneTable | null>()
  readonly #unusable = new Set<string>()

  constructor({ folder, version, own, log }: { folder: string; version: string; own: ZoneData; log: ZoneLog }) {
    this.#folder = folder
    this.#log = log
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
    const path = join(this.#folder, zone)
    if (!ZONE_NAME.test(zone) || this.#unusable.has(path) || !isFile(path)) return null
    try {
      const bytes = readSmall(path)
      if (bytes === null) throw new Error(`it cannot be read or is larger than ${MAX_FILE_BYTES} bytes`)
      return parseTzif(bytes)
    } catch (error) {
      this.#unusable.add(path)
      const why = error instanceof Error ? error.message : String(error)
      this.#log.warn(
        { file: path, zone },
        `the time zone file ${path} cannot be used (${why}); ${zone} has the offsets of Node.js (${this.#own.version}) ` +
          'instead; install the zone data of the system again and start the server anew',
      )
      return null
    }
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Some systems leave out names that are links, and a name may be written in any case. */
function canonicalName(zone: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
}
