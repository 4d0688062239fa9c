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
