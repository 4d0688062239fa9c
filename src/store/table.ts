import { storableData } from '../domain/storable.ts'
import { Prisma } from '../generated/prisma/client.ts'

type Scalar = string | number | boolean | null | undefined

/**
 * The columns of a table that a statement brings along: the type that PostgreSQL knows each by, and what an item has in
 * it. An `instant` is a timestamptz, in milliseconds since the epoch here. One column at least is never null.
 */
export type Columns<T> = Record<string, readonly [type: string, of: (item: T) => Scalar]>

/**
 * How items become a table for a statement's FROM, under this name: one row each, numbered from 1 by `ord` in their
 * order. Each column is one parameter: an array, or null where no item has it. To read the same rows from a JSON document
 * took two fifths of the hot path's statements.
 */
export function tableOf<T>(name: string, columns: Columns<T>): (items: readonly T[]) => Prisma.Sql {
  const names = Object.keys(columns)
  const each = Object.values(columns)
  const isInstant = (type: string) => type === 'instant'
  const picked = names.map((column, index) =>
    isInstant(each[index]?.[0] ?? '') ? `to_timestamp(${column} / 1000) AS ${column}` : column,
  )
  const types = each.map(([type]) => `::${isInstant(type) ? 'float8' : type}[]`)
  const strings = [
    `(SELECT ${picked.join(', ')}, ord::int AS ord FROM unnest(`,
    ...types.map((type, index) => (index === types.length - 1 ? type : `${type}, `)),
  ]
  strings[strings.length - 1] += `) WITH ORDINALITY AS ${name}(${names.join(', ')}, ord)) ${name}`
  const written = each.map(([type, of]) => {
    const element = elementOf(type)
    return (item: T) => {
      const value = of(item)
      return value == null ? null : element(value)
    }
  })
  return (items) => Prisma.sql(strings, ...written.map((of) => arrayOf(items, of)))
}

type Value = NonNullable<Scalar>

/** Types of which no value has a character that an array's text gives a meaning to, or is the word null. */
const BARE = new Set([
  'uuid',
  'int',
  'bool',
  'actor_kind',
  'cleanup_status',
  'gate_kind',
  'gate_opened_by',
  'run_health',
  'run_status',
  'step_status',
])

/** How a value of that type stands in an array's text. */
function elementOf(type: string): (value: Value) => string {
  if (type === 'instant') return instant
  return BARE.has(type) ? String : (value) => quoted(String(value))
}

const LAST_INSTANT = 8.64e15

/** Throws RangeError for what is no instant to JavaScript, as Date does: PostgreSQL would keep some of that. */
function instant(value: Value): string {
  if (!(Math.abs(Number(value)) <= LAST_INSTANT)) throw new RangeError(`${value} is no instant`)
  return String(value)
}

function quoted(value: string): string {
  // What UTF-8 cannot hold is replaced when the text is sent; U+0000 it can.
  const text = value.includes('\0') ? storableData(value) : value
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`
}

/** An array as PostgreSQL reads it from text. Null where nothing is in it: beside others, that is as many nulls. */
function arrayOf<T>(items: readonly T[], of: (item: T) => string | null): string | null {
  const elements = items.map(of)
  return elements.every((element) => element === null)
    ? null
    : `{${elements.map((element) => element ?? 'NULL').join(',')}}`
}
