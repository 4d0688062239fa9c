/** JSON as events hold it: a draft may be unfinished, so that any part of it may be anything. */
export type JsonObject = Record<string, unknown>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const isNothing = (value: unknown): boolean =>
  value == null || (typeof value === 'object' && Object.keys(value).length === 0)

/** Whether two mean the same: the order of keys, and keys with nothing in them, make no difference. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other || (isNothing(one) && isNothing(other))) return true
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isSame(item, other[at]))
  }
  if (!isObject(one) || !isObject(other)) return false
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].every((key) => isSame(one[key], other[key]))
}
