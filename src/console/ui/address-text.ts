/** A text of an address; undefined: it is none. One of digits alone comes out of an address as a number. */
export const addressText = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : undefined
