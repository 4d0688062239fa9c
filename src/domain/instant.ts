const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/

/** Reads an RFC 3339 instant, with seconds and with Z or an offset, of the years 1 to 9999; null where it is none. */
export function parseInstant(text: string): Date | null {
  if (!INSTANT.test(text)) return null
  const written = text.toUpperCase()
  const at = new Date(written)
  // Date takes 30 February for 2 March: the wall time has to come back as it was written.
  const wall = new Date(`${written.slice(0, 19)}Z`)
  if (Number.isNaN(at.getTime()) || Number.isNaN(wall.getTime())) return null
  if (wall.toISOString().slice(0, 19) !== written.slice(0, 19)) return null
  return at.getUTCFullYear() < 1 || at.getUTCFullYear() > 9999 ? null : at
}
