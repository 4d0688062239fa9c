import { storableJson } from '../domain/storable.ts'

/** JSON that PostgreSQL's jsonb takes: without NUL characters and lone surrogates, which it refuses. */
export function toJsonb(value: unknown): string {
  const text = JSON.stringify(value)
  // Both are rare and escaped by JSON.stringify, so that a look at the text tells whether there is work to do.
  return text.includes('\\u0000') || text.includes('\\ud') ? JSON.stringify(storableJson(value)) : text
}
