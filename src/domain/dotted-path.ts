import { isObject } from './plain-object.ts'

/** The value at a dotted path; undefined where there is none. List items by number; nothing that is inherited. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root
  for (const key of path.split('.')) {
    const steps = Array.isArray(value) ? /^\d+$/.test(key) : isObject(value)
    if (!steps || !Object.hasOwn(Object(value), key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}
