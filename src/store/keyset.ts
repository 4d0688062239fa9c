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
  table: Prisma.Sql
  /** What the other parts call a row of it. */
  alias: Prisma.Sql
  /** What is selected besides `parent`. */
  columns: Prisma.Sql
  where: Prisma.Sql
  /** Columns whose values together are unique within the list, as SQL; and how a key's value becomes one of theirs. */
  order: readonly { column: Prisma.Sql; bind: (value: string | number) => Prisma.Sql }[]
  descending: boolean
  /** The column that the parents' ids are in; null: the list is nobody's, and `parents` is ['']. */
  parentColumn: Prisma.Sql | null
  /** Where no index has the whole list in its order: how it is put together of parts that indexes have. Else none. */
  parts: readonly Part[]
}

/**
 * A part of a list, of which the front is looked up by itself: the rows for which a condition holds, or that have a value
 * in a column which leads an index over the columns of the order. Each row of the list is in exactly one of its parts.
 */
export type Part = { only: Prisma.Sql } | { lead: Prisma.Sql; value: Prisma.Sql }

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
  const rows = await db.prisma.$queryRaw<(Row & { parent: string })[]>`
    SELECT p.id AS parent, page.*
    FROM ${parentsOf(parents, list)}
    CROSS JOIN LATERAL (
      SELECT ${list.columns} FROM ${rowsOf(list, (part) => front(list, slice, part))} WHERE ${front(list, slice)}
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
  const limit = Prisma.sql`TRUE LIMIT ${COUNTED_UP_TO + 1}`
  const rows = await db.prisma.$queryRaw<{ parent: string; count: number }[]>`
    SELECT p.id AS parent, (
      SELECT count(*)::int FROM (SELECT 1 FROM ${rowsOf(list, () => limit)} WHERE ${limit}) counted
    ) AS count
    FROM ${parentsOf(parents, list)}`
  return new Map(rows.map(({ parent, count }) => [parent, count > COUNTED_UP_TO ? null : count]))
}

/** The rows of a parent's list; of each of its parts no more than `frontOf` leaves. */
function rowsOf({ table, alias, where, parts, parentColumn }: List, frontOf: (part: Part) => Prisma.Sql): Prisma.Sql {
  const ofParent = parentColumn === null ? Prisma.sql`TRUE` : Prisma.sql`${parentColumn} = p.id`
  const rows = Prisma.sql`SELECT ${alias}.* FROM ${table} ${alias} WHERE ${ofParent} AND ${where}`
  if (parts.length === 0) return Prisma.sql`(${rows}) ${alias}`
  const fronts = parts.map((part) => Prisma.sql`(${rows} AND ${isIn(part)} AND ${frontOf(part)})`)
  return Prisma.sql`(${Prisma.join(fronts, ' UNION ALL ')}) ${alias}`
}

// Said of a range, as the planner would leave an equal value out of the order, and walk what is ordered by the rest alone.
const isIn = (part: Part) =>
  'only' in part ? part.only : Prisma.sql`${part.lead} >= ${part.value} AND ${part.lead} <= ${part.value}`

/** What of a list, or of a part of it, is within the slice, in the order in which it is read, and no more than is asked for. */
function front(list: List, { take, backward, after, before }: Slice, part?: Part): Prisma.Sql {
  const lead = part !== undefined && 'lead' in part ? part : null
  // Ascending in the statement means towards the front of a descending list.
  const direction = list.descending !== backward ? Prisma.sql`DESC` : Prisma.sql`ASC`
  const columns = [...(lead === null ? [] : [lead.lead]), ...list.order.map(({ column }) => column)]
  // Strictly past a place. A comparison of rows is what an index over the columns can seek to.
  const past = (key: Key | null, down: boolean) => {
    if (key === null) return Prisma.sql`TRUE`
    const bound = list.order.map(({ bind }, index) => bind(key[index] ?? ''))
    const place = Prisma.join([...(lead === null ? [] : [lead.value]), ...bound])
    return Prisma.sql`(${Prisma.join(columns)}) ${down ? Prisma.sql`<` : Prisma.sql`>`} (${place})`
  }
  return Prisma.sql`${past(after, list.descending)} AND ${past(before, !list.descending)}
    ORDER BY ${Prisma.join(columns.map((column) => Prisma.sql`${column} ${direction}`))} LIMIT ${take + 1}`
}

const parentsOf = (parents: readonly string[], list: List) =>
  list.parentColumn === null ? Prisma.sql`(VALUES ('')) AS p(id)` : Prisma.sql`unnest(${[...parents]}::uuid[]) AS p(id)`

/** A pattern for ILIKE that finds the text anywhere, taken literally. */
export const containing = (text: string) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

/** A list of enum values as SQL literals, for a planner that has to see them to use a partial index. */
export function literals<Value extends string>(values: readonly Value[], all: readonly Value[]): Prisma.Sql {
  const known = all.filter((value) => values.includes(value))
  return Prisma.raw(known.map((value) => `'${value}'`).join(', '))
}
