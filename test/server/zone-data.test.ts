import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { IntlZones } from '../../src/domain/recurrence/intl-zones.ts'
import { isNewer, openZones, SystemZones, type ZoneLog } from '../../src/server/zone-data.ts'

const HOUR = 3_600_000
const intl = new IntlZones()

type Written = { changes?: [at: number, type: number][]; offsets: number[]; footer: string; version?: string }

/** A compiled time zone file as RFC 9636 has it; the 32-bit block is empty. Instants and offsets in seconds. */
function tzif({ changes = [], offsets, footer, version = '2' }: Written): Buffer {
  const header = (timeCount: number, typeCount: number) => {
    const bytes = Buffer.alloc(44)
    bytes.write(`TZif${version}`, 'latin1')
    const counts = [0, 0, 0, timeCount, typeCount, 4]
    for (const [index, count] of counts.entries()) bytes.writeUInt32BE(count, 20 + index * 4)
    return bytes
  }
  const types = (seconds: number[]) =>
    Buffer.concat(
      seconds.map((offset) => {
        const type = Buffer.alloc(6)
        type.writeInt32BE(offset)
        return type
      }),
    )
  const times = changes.map(([at]) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64BE(BigInt(at))
    return bytes
  })
  const indexes = Buffer.from(changes.map(([, type]) => type))
  const name = Buffer.from('ABC\0')
  const first = [header(0, 1), types([0]), name]
  return Buffer.concat([
    ...first,
    header(changes.length, offsets.length),
    ...times,
    indexes,
    types(offsets),
    name,
    Buffer.from(`\n${footer}\n`),
  ])
}

function folderOf(files: Record<string, Buffer | string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cuelight-zones-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

const NEWER = { 'tzdata.zi': '# version 2999a\n# and so on\n' }
const silent = { warn: () => {} }
const systemZones = (folder: string, log: ZoneLog = silent) =>
  new SystemZones({ folder, version: '2999a', own: intl, log })

test('files that are newer than those of Node serve, by either sign of their version', () => {
  const vancouver = tzif({ offsets: [-7 * 3600], footer: 'MST7' })
  for (const sign of [NEWER, { '+VERSION': '2999a\n' }]) {
    const folder = folderOf({ ...sign, 'America/Vancouver': vancouver })
    const { zones, source } = openZones(folder, silent)
    expect(zones.version).toBe('2999a')
    expect(source).toBe(`2999a, of ${folder}`)
    expect(zones.offset('America/Vancouver', Date.UTC(2026, 11, 1))).toBe(-7 * HOUR)
  }
})

test('older files, and a folder that is not there or is none, leave it to Node', () => {
  const old = folderOf({ 'tzdata.zi': '# version 2007a\n' })
  const odd = folderOf({ 'tzdata.zi': 'nothing of the kind', '+VERSION/deeper': 'a folder of that name' })
  for (const folder of [old, odd, join(old, 'missing'), join(old, 'tzdata.zi')]) {
    const { zones, source } = openZones(folder, silent)
    expect(zones.version).toBe(process.versions.tz)
    expect(source).toContain(`${process.versions.tz}, of Node.js; `)
    expect(zones.offset('Europe/Berlin', 0)).toBe(HOUR)
  }
})

test.each([
  ['2026a', '2025c', true],
  ['2025c', '2026a', false],
  ['2025c', '2025c', false],
  ['2025za', '2025z', true],
  ['2025c-dirty', '2025b', true],
  ['unknown', '2025b', false],
  ['2025b', 'unknown', true],
])('%s is newer than %s: %s', (version, than, newer) => {
  expect(isNewer(version, than)).toBe(newer)
})

const good = tzif({ offsets: [3600], footer: 'CET-1' })
test.each([
  ['empty', Buffer.alloc(0)],
  ['text', Buffer.from('not a zone')],
  ['cut off', good.subarray(0, good.length - 12)],
  ['without its end', good.subarray(0, 60)],
  ['of version 1', tzif({ offsets: [3600], footer: 'CET-1', version: '\0' })],
  [
    'with changes out of order',
    tzif({
      changes: [
        [20, 0],
        [10, 0],
      ],
      offsets: [3600],
      footer: 'CET-1',
    }),
  ],
  ['with a type that is not there', tzif({ changes: [[20, 7]], offsets: [3600], footer: 'CET-1' })],
  ['with an offset of days', tzif({ offsets: [999_999], footer: 'CET-1' })],
  ['with a footer that is none', tzif({ offsets: [3600], footer: 'whenever' })],
  ['with a month 13', tzif({ offsets: [3600], footer: 'CET-1CEST,M13.1.0,M10.5.0' })],
  ['with counts of billions', Buffer.concat([good.subarray(0, 20), Buffer.alloc(24, 0xff), good.subarray(44)])],
])('a zone whose file is %s has the offsets of Node', (_, bytes) => {
  const zones = systemZones(folderOf({ 'Europe/Berlin': bytes, 'Europe/Paris': good }))
  expect(zones.offset('Europe/Berlin', Date.UTC(2026, 6, 1))).toBe(2 * HOUR)
  expect(zones.offset('Europe/Paris', Date.UTC(2026, 6, 1))).toBe(HOUR)
})

test('a zone that has no file, and one that is a folder, have the offsets of Node; a link is found by its zone', () => {
  const zones = systemZones(
    folderOf({ 'Europe/Berlin/x': '', 'America/Los_Angeles': tzif({ offsets: [0], footer: 'UTC0' }) }),
  )
  expect(zones.offset('Europe/Berlin', Date.UTC(2026, 6, 1))).toBe(2 * HOUR)
  expect(zones.offset('Asia/Tokyo', 0)).toBe(9 * HOUR)
  expect(zones.offset('US/Pacific', 0)).toBe(0)
})

test('no name leads out of the folder, and one that Node does not have is none', () => {
  const outside = folderOf({ Evil: good, 'zones/tzdata.zi': NEWER['tzdata.zi'] })
  const { zones } = openZones(join(outside, 'zones'), silent)
  for (const name of ['../Evil', 'Europe/../../Evil', join(outside, 'Evil'), '.', '', 'Evil\0', 'localtime']) {
    expect(zones.has(name)).toBe(false)
    expect(() => zones.offset(name, 0)).toThrow(/has no offset/)
  }
})

test.each([
  ['EST5EDT,M3.2.0,M11.1.0', 'America/New_York'],
  ['IST-1GMT0,M10.5.0,M3.5.0/1', 'Europe/Dublin'],
  ['<+1030>-10:30<+11>-11,M10.1.0,M4.1.0', 'Australia/Lord_Howe'],
  ['<+00>0<+02>-2,M3.5.0/1,M10.5.0/3', 'Antarctica/Troll'],
  ['NST3:30NDT,M3.2.0,M11.1.0', 'America/St_Johns'],
  ['<-04>4<-03>,M9.1.6/24,M4.1.6/24', 'America/Santiago'],
  ['EET-2EEST,M3.4.4/50,M10.4.4/50', 'Asia/Gaza'],
  ['EET-2EEST,M3.5.0/0,M10.5.0/0', 'Asia/Beirut'],
])('the footer %s has the offsets of %s', (footer, zone) => {
  const zones = systemZones(folderOf({ [zone]: tzif({ offsets: [0], footer }) }))
  const differ: string[] = []
  // Asia/Gaza has changes of its own around each Ramadan until 2086.
  for (let at = Date.UTC(2090, 0, 1); at < Date.UTC(2094, 0, 1); at += HOUR) {
    if (zones.offset(zone, at) !== intl.offset(zone, at)) differ.push(new Date(at).toISOString())
  }
  expect(differ).toEqual([])
})

test.each([
  ['J60/0', [2027, 2, 1], [2028, 2, 1]],
  ['59/0', [2027, 2, 1], [2028, 1, 29]],
])('the day %s of a footer counts leap days or does not', (day, common, leap) => {
  const zones = systemZones(folderOf({ 'Asia/Tokyo': tzif({ offsets: [0], footer: `AAA0BBB,${day},J300` }) }))
  for (const [year = 0, month = 0, date = 0] of [common, leap]) {
    const begin = Date.UTC(year, month, date)
    expect([begin - 1, begin].map((at) => zones.offset('Asia/Tokyo', at))).toEqual([0, HOUR])
  }
})

test('summer time all year, as a footer has to write it, never ends', () => {
  const zones = systemZones(folderOf({ 'Asia/Tokyo': tzif({ offsets: [0], footer: 'XXX3EDT4,0/0,J365/23' }) }))
  for (let at = Date.UTC(2027, 11, 30); at < Date.UTC(2028, 0, 3); at += HOUR / 2) {
    expect(zones.offset('Asia/Tokyo', at)).toBe(-4 * HOUR)
  }
})

const SYSTEM = process.env.TZDIR ?? '/usr/share/zoneinfo'
describe.skipIf(!existsSync(join(SYSTEM, 'Europe/Dublin')))('the files of this machine', () => {
  // None of them has changed its clocks by other rules in a recent version of the data, nor its past since 1980.
  test.each([
    'Europe/Dublin',
    'Europe/London',
    'America/New_York',
    'America/Sao_Paulo',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'Antarctica/Troll',
    'Pacific/Apia',
    'Asia/Tehran',
    'Asia/Kathmandu',
    'UTC',
  ])('have the offsets that Node has for %s', (zone) => {
    const zones = systemZones(SYSTEM)
    const differ: string[] = []
    const compare = (from: number, to: number, step: number) => {
      for (let at = from; at < to; at += step) {
        if (zones.offset(zone, at) !== intl.offset(zone, at)) differ.push(new Date(at).toISOString())
      }
    }
    compare(Date.UTC(1980, 0, 1), Date.UTC(2120, 0, 1), 5.3 * 24 * HOUR)
    compare(Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1), HOUR)
    compare(Date.UTC(2011, 11, 25), Date.UTC(2012, 0, 5), HOUR / 2)
    compare(Date.UTC(2899, 0, 1), Date.UTC(2900, 0, 1), 24 * HOUR)
    expect(differ).toEqual([])
  })
})

test('a file that cannot be used is said once and by its name, and its zone has the offsets of Node', () => {
  const folder = folderOf({
    ...NEWER,
    'Europe/Berlin': 'no zone',
    'Europe/Paris': Buffer.alloc(2 << 20),
    'Asia/Tokyo': good,
  })
  const said: string[] = []
  const zones = systemZones(folder, { warn: (_fields, message) => said.push(message) })
  for (const zone of [
    'Europe/Berlin',
    'europe/berlin',
    'Europe/Berlin',
    'Europe/Paris',
    'Asia/Tokyo',
    'America/Lima',
  ]) {
    zones.offset(zone, Date.UTC(2026, 6, 1))
  }
  expect(zones.offset('Europe/Berlin', Date.UTC(2026, 6, 1))).toBe(2 * HOUR)
  expect(said).toHaveLength(2)
  expect(said[0]).toContain(
    `the time zone file ${join(folder, 'Europe/Berlin')} cannot be used (it is no time zone file)`,
  )
  expect(said[1]).toContain(`${join(folder, 'Europe/Paris')} cannot be used (it cannot be read or is larger than`)
})
