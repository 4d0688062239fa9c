/** SQLSTATE classes of what is wrong with the data or the statement itself: sending it again brings the same. */
const REFUSALS = /^(22|23|42)/

/** Whether the database is there and refuses what was sent; false for one that cannot be reached or is in trouble. */
export function isRefusedByDatabase(error: unknown): boolean {
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
