import { Prisma } from '../generated/prisma/client.ts'
import type { Database } from './database.ts'

/** A place in a list: the values of its ordering columns. Instants as milliseconds since the epoch. */
export type Key = readonly (string | number)[]

/** Which part of a list: at most `take` from the front, or from the end where `backward`, strictly between two places. */
export type Slice = { take: number; backward: boolean; after: Key | null; before: Key | null }

/** One page in the list's order, and whether there is more behind the end that it was read towards. */
export type Page<Row> = { rows: Row[]; more: boolean }

/** Counting stops here: beyond, an exact number costs more than it is worth. */
const COUNTED_UP_TO = 10_000

/** A list that has pages: whose it is, what is in it and its order. */
export type List = {
  /** Table and alias. */
  from: Prisma.Sql
  /** What is selected besides `parent`. */
  columns: Prisma.Sql
  where: Prisma.Sql
  /** Columns whose values together are unique within the list, as SQL; and how a key's value becomes one of theirs. */
  order: readonly { column: Prisma.Sql; bind: (value: string | number) => Prisma.Sql }[]
  descending: boolean
  /** The column that the parents' ids are in; null: the list is nobody's, and `parents` is ['']. */
  parentColumn: Prisma.Sql | null
}

export const bindInstant = (ms: string | number) => Prisma.sql`${new Date(ms)}::timestamptz`
export const bindUuid = (id: string | number) => Prisma.sql`${id}::uuid`
export const bindText = (text: string | number) => Prisma.sql`${text}::text`
export const bindInt = (number: string | number) => Prisma.sql`${number}::int`

/**
 * The same slice of the list of each parent, in one statement: the index gives each parent's first rows, and no more
 * are read. Rows have a column `parent`.
 */
export async function pagesOf<Row>(
  db: Database,
  parents: readonly string[],
  { list, slice }: { list: List; slice: Slice },
): Promise<Map<string, Page<Row>>> {
  const pages = new Map<string, Page<Row>>(parents.map((parent) => [parent, { rows: [], more: false }]))
  // Ascending in the statement means towards the front of a descending list.
  const down = list.descending !== slice.backward
  const direction = down ? Prisma.sql`DESC` : Prisma.sql`ASC`
  const order = Prisma.join(list.order.map(({ column }) => Prisma.sql`${column} ${direction}`))
  const rows = await db.prisma.$queryRaw<(Row & { parent: string })[]>`
    SELECT p.id AS parent, page.*
    FROM ${parentsOf(parents, list)}
    CROSS JOIN LATERAL (
      SELECT ${list.columns} FROM ${list.from}
      WHERE ${ofParent(list)} AND ${list.where}
        AND ${beyond(list, slice.after, list.descending)} AND ${beyond(list, slice.before, !list.descending)}
      ORDER BY ${order} LIMIT ${slice.take + 1}
    ) page`
  for (const row of rows) pages.get(row.parent)?.rows.push(row)
  for (const page of pages.values()) {
    page.more = page.rows.length > slice.take
    page.rows.splice(slice.take)
    if (slice.backward) page.rows.reverse()
  }
  return pages
}

/** How many are in each parent's list; null where it is more than 10,000. */
export async function countsOf(
  db: Database,
  parents: readonly string[],
  list: List,
): Promise<Map<string, number | null>> {
  const rows = await db.prisma.$queryRaw<{ parent: string; count: number }[]>`
    SELECT p.id AS parent, (
      SELECT count(*)::int FROM (
        SELECT 1 FROM ${list.from} WHERE ${ofParent(list)} AND ${list.where} LIMIT ${COUNTED_UP_TO + 1}
      ) counted
    ) AS count
    FROM ${parentsOf(parents, list)}`
  return new Map(rows.map(({ parent, count }) => [parent, count > COUNTED_UP_TO ? null : count]))
}

const parentsOf = (parents: readonly string[], list: List) =>
  list.parentColumn === null ? Prisma.sql`(VALUES ('')) AS p(id)` : Prisma.sql`unnest(${[...parents]}::uuid[]) AS p(id)`

const ofParent = (list: List) =>
  list.parentColumn === null ? Prisma.sql`TRUE` : Prisma.sql`${list.parentColumn} = p.id`

/** Strictly past a place, in the direction given. A comparison of rows is what an index over the columns can seek to. */
function beyond(list: List, key: Key | null, down: boolean): Prisma.Sql {
  if (key === null) return Prisma.sql`TRUE`
  const columns = Prisma.join(list.order.map(({ column }) => column))
  const values = Prisma.join(list.order.map(({ bind }, index) => bind(key[index] ?? '')))
  return down ? Prisma.sql`(${columns}) < (${values})` : Prisma.sql`(${columns}) > (${values})`
}

/** A pattern for ILIKE that finds the text anywhere, taken literally. */
export const containing = (text: string) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

/** A list of enum values as SQL literals, for a planner that has to see them to use a partial index. */
export function literals<Value extends string>(values: readonly Value[], all: readonly Value[]): Prisma.Sql {
  const known = all.filter((value) => values.includes(value))
  return Prisma.raw(known.map((value) => `'${value}'`).join(', '))
}
