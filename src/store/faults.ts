import { Silence } from './pool.ts'

/** SQLSTATE classes of what is wrong with the data or the statement itself: sending it again brings the same. */
const REFUSALS = /^(0A|21|22|23|42|54)/

/**
 * Whether what was sent is refused, by the database or because it could not even be written (too long a text);
 * false for a database that cannot be reached or is in trouble.
 */
export function isRefusedByDatabase(error: unknown): boolean {
  if (error instanceof RangeError) return true
  const code = sqlState(error)
  return code !== null && REFUSALS.test(code)
}

/** The SQLSTATE of a failed raw statement; null where the error has none. */
export function sqlState(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('meta' in error)) return null
  const meta = error.meta as { code?: unknown; driverAdapterError?: { cause?: { originalCode?: unknown } } } | undefined
  const code = meta?.driverAdapterError?.cause?.originalCode ?? meta?.code
  return typeof code === 'string' ? code : null
}

/** What Prisma says where it got no connection, lost it, or got none in time. */
const NO_CONNECTION = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028'])
/** SQLSTATE classes of a database that broke the connection, lacks something, or was told to stop. */
const IN_TROUBLE = /^(08|53|57|58)/
/** It may only be read (it was switched over to another), takes no connections now, or ended a transaction that stood still. */
const NOT_NOW = new Set(['25006', '55000', '25P03'])
/** What pg says of a connection, which has no code. */
const CONNECTION_LOST = /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered)/

/** Whether a failure is the database's, which cannot be reached or does not answer: the same may well work later. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof Silence) return true
  if (typeof error !== 'object' || error === null) return false
  const state = sqlState(error)
  if (state !== null && (IN_TROUBLE.test(state) || NOT_NOW.has(state))) return true
  if ('code' in error && NO_CONNECTION.has(String(error.code))) return true
  const kind = (error as { meta?: { driverAdapterError?: { cause?: { kind?: unknown } } } }).meta?.driverAdapterError
    ?.cause?.kind
  if (kind === 'DatabaseNotReachable' || kind === 'ConnectionClosed' || kind === 'SocketTimeout') return true
  return error instanceof Error && CONNECTION_LOST.test(error.message)
}

/** Why a statement failed, in a few words of PostgreSQL's or the network's: what Prisma says of it is many lines. */
export function inShort(error: unknown): string {
  const cause = (error as { meta?: { driverAdapterError?: { cause?: Record<string, unknown> } } } | null)?.meta
    ?.driverAdapterError?.cause
  if (cause?.kind === 'DatabaseNotReachable') return `nobody answers at ${cause.host}:${cause.port}`
  const said = [cause?.originalMessage, cause?.kind].find((text) => typeof text === 'string')
  const text = typeof said === 'string' ? said : error instanceof Error ? error.message : String(error)
  return text.trim().split('\n').at(-1) ?? ''
}
