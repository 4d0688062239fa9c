/** JSON that PostgreSQL's jsonb takes: without NUL characters and lone surrogates, which it refuses. */
export function toJsonb(value: unknown): string {
  const text = JSON.stringify(value)
  // Both are rare and escaped by JSON.stringify, so that a look at the text tells whether there is work to do.
  return text.includes('\\u0000') || text.includes('\\ud') ? JSON.stringify(value, clean) : text
}

/** Text that PostgreSQL takes. */
export function cleanText(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed()
}

function clean(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), inner]))
}
