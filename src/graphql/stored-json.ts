import { isObject } from '../domain/plain-object.ts'

// What the database holds as JSON was checked when it was written; these read it without trusting that.

/** An object; an empty one where the column holds something else. */
export const objectOf = (json: unknown): Record<string, unknown> => (isObject(json) ? json : {})
export const objectOrNull = (json: unknown): Record<string, unknown> | null => (isObject(json) ? json : null)
/** The objects in a list; empty where the column holds no list. */
export const objectsOf = (json: unknown): Record<string, unknown>[] =>
  Array.isArray(json) ? json.filter((item) => isObject(item)) : []
export const textOrNull = (json: unknown): string | null => (typeof json === 'string' ? json : null)
export const textOf = (json: unknown): string => (typeof json === 'string' ? json : '')
export const numberOrNull = (json: unknown): number | null => (typeof json === 'number' ? json : null)
export const textsOf = (json: unknown): string[] =>
  Array.isArray(json) ? json.filter((item) => typeof item === 'string') : []
