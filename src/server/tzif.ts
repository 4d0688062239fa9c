import { type PosixRule, parsePosixRule, posixOffset } from './posix-zone.ts'

/** The offsets of one zone. */
export type ZoneTable = {
  /** Instants of changes in milliseconds, ascending. */
  changes: Float64Array
  /** Offsets in milliseconds: the one before the first change, then the one from each change on. */
  offsets: Float64Array
  /** What holds after the last change; null: the last offset. */
  rule: PosixRule | null
}

const HEADER_BYTES = 44
const MAX_CHANGES = 10_000
const MAX_OFFSET_SECONDS = 26 * 3600

/**
 * Reads a compiled time zone file (RFC 9636): its 64-bit changes and its footer. Throws on anything else: a file of
 * version 1, one with leap seconds, one that is cut off or out of order.
 */
export function parseTzif(bytes: Buffer): ZoneTable {
  if (readHeader(bytes, 0).version < 0x32) throw new Error('a file of version 1 ends in 2037')
  const begin = dataEnd(readHeader(bytes, 0), HEADER_BYTES, 4)
  const header = readHeader(bytes, begin)
  const { changeCount, typeCount } = header
  if (header.leapCount > 0) throw new Error('instants here are without leap seconds')
  if (changeCount > MAX_CHANGES || typeCount < 1 || typeCount > 256) throw new Error('its counts make no sense')
  const changesAt = begin + HEADER_BYTES
  const indexesAt = changesAt + changeCount * 8
  const typesAt = indexesAt + changeCount
  const offsetOfType = (type: number): number => {
    const seconds = bytes.readInt32BE(typesAt + type * 6)
    if (type >= typeCount || Math.abs(seconds) > MAX_OFFSET_SECONDS) throw new Error('an offset makes no sense')
    return seconds * 1000
  }
  const changes = new Float64Array(changeCount)
  const offsets = new Float64Array(changeCount + 1)
  offsets[0] = offsetOfType(0)
  for (let index = 0; index < changeCount; index += 1) {
    const change = Number(bytes.readBigInt64BE(changesAt + index * 8)) * 1000
    if (index > 0 && change <= (changes[index - 1] ?? change)) throw new Error('its changes are out of order')
    changes[index] = change
    offsets[index + 1] = offsetOfType(bytes.readUInt8(indexesAt + index))
  }
  const footer = /^\n([^\n]*)\n/.exec(bytes.toString('latin1', dataEnd(header, changesAt, 8)))?.[1]
  if (footer === undefined) throw new Error('it has no footer')
  return { changes, offsets, rule: footer === '' ? null : parsePosixRule(footer) }
}

type Header = {
  version: number
  leapCount: number
  changeCount: number
  typeCount: number
  otherBytes: number
}

function readHeader(bytes: Buffer, at: number): Header {
  if (bytes.toString('latin1', at, at + 4) !== 'TZif') throw new Error('it is no time zone file')
  const count = (index: number) => bytes.readUInt32BE(at + 20 + index * 4)
  return {
    version: bytes.readUInt8(at + 4),
    leapCount: count(2),
    changeCount: count(3),
    typeCount: count(4),
    // Which changes were written in universal and in standard time, and the abbreviations.
    otherBytes: count(0) + count(1) + count(5),
  }
}

function dataEnd({ leapCount, changeCount, typeCount, otherBytes }: Header, begin: number, timeBytes: number): number {
  return begin + changeCount * (timeBytes + 1) + typeCount * 6 + leapCount * (timeBytes + 4) + otherBytes
}

/** Offset east of UTC at an instant, both in milliseconds. */
export function offsetAt({ changes, offsets, rule }: ZoneTable, at: number): number {
  let low = 0
  let high = changes.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((changes[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  if (low === changes.length && rule !== null) return posixOffset(rule, at)
  return offsets[low] ?? 0
}
