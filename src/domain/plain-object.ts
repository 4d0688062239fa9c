/** Whether a value from outside is an object with keys, and not an array or null. Read its keys with `Object.hasOwn`. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
