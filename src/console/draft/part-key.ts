const keys = new WeakMap<object, string>()
let last = 0

/** What tells a part of a draft from the others for as long as it is written at, wherever it is moved to. */
export function keyOf(part: unknown): string {
  if (typeof part !== 'object' || part === null) return String(part)
  const known = keys.get(part)
  if (known !== undefined) return known
  last += 1
  const key = `part-${last}`
  keys.set(part, key)
  return key
}

/** The one has become the other. */
export function carryKey(from: object, to: object): void {
  keys.set(to, keyOf(from))
}
