import type { Key, Page, Slice } from '../store/keyset.ts'
import { badUserInput } from './request-errors.ts'

/** How many a page holds where nobody says. */
export const DEFAULT_PAGE = 100
/** The most that a page may hold. */
export const MAX_PAGE = 500

/** The arguments that every connection has. */
export type ConnectionArgs = {
  first?: number | null | undefined
  last?: number | null | undefined
  after?: string | null | undefined
  before?: string | null | undefined
}

/**
 * A list's kind of cursor: its name, so that no list takes another's, and what the values of a key are. An instant is
 * given in milliseconds since the epoch.
 */
export type CursorKind = { name: string; values: readonly ('instant' | 'uuid' | 'text' | 'int')[] }

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** The year 1: PostgreSQL and RFC 3339 write no earlier instant alike. */
const EARLIEST_INSTANT = -62_135_596_800_000
const LATEST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const CHECKS = {
  instant: (value: unknown) =>
    Number.isInteger(value) && Number(value) >= EARLIEST_INSTANT && Number(value) <= LATEST_INSTANT,
  uuid: (value: unknown) => typeof value === 'string' && UUID.test(value),
  text: (value: unknown) => typeof value === 'string' && value.length <= 200 && !value.includes('\0'),
  int: (value: unknown) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31,
}

const formatCursor = (kind: CursorKind, key: Key) =>
  Buffer.from(JSON.stringify([kind.name, ...key])).toString('base64url')

function parseCursor(kind: CursorKind, { argument, cursor }: { argument: string; cursor: string }): Key {
  const bad = () =>
    badUserInput(
      `${argument} is no cursor of this list; pass one that it answered, or leave it out to begin at an end.`,
    )
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw bad()
  }
  if (!Array.isArray(parsed) || parsed.length !== kind.values.length + 1 || parsed[0] !== kind.name) throw bad()
  return kind.values.map((type, index) => {
    const value: unknown = parsed[index + 1]
    if (!CHECKS[type](value) || (typeof value !== 'string' && typeof value !== 'number')) throw bad()
    return value
  })
}

/** How many of a list are asked for. Throws BAD_USER_INPUT on a number below 0 or above 500. */
export function pageSize(argument: string, size: number): number {
  if (size < 0 || size > MAX_PAGE) throw badUserInput(`${argument} is from 0 to ${MAX_PAGE}, not ${size}.`)
  return size
}

/** What part of a list the arguments of a connection ask for. Throws BAD_USER_INPUT that names the wrong one. */
export function readSlice({ first, last, after, before }: ConnectionArgs, kind: CursorKind): Slice {
  if (first != null && last != null) throw badUserInput('Give first or last, not both.')
  return {
    take: last != null ? pageSize('last', last) : first != null ? pageSize('first', first) : DEFAULT_PAGE,
    backward: last != null,
    after: after == null ? null : parseCursor(kind, { argument: 'after', cursor: after }),
    before: before == null ? null : parseCursor(kind, { argument: 'before', cursor: before }),
  }
}

/** A page in the shape that a connection field answers. `nodeOf` null: the row is gone since the page was read. */
export function connectionFrom<Row, Node>(
  page: Page<Row>,
  {
    slice,
    kind,
    keyOf,
    nodeOf,
    totalCount,
  }: {
    slice: Slice
    kind: CursorKind
    keyOf: (row: Row) => Key
    nodeOf: (row: Row) => Node | undefined
    totalCount: () => Promise<number | null>
  },
) {
  const edges = page.rows.flatMap((row) => {
    const node = nodeOf(row)
    return node === undefined ? [] : [{ cursor: formatCursor(kind, keyOf(row)), node }]
  })
  return {
    edges,
    totalCount,
    pageInfo: {
      // Towards where the page was read, the extra row tells; on the other side, the cursor that it began at.
      hasNextPage: slice.backward ? slice.before !== null : page.more,
      hasPreviousPage: slice.backward ? page.more : slice.after !== null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  }
}
