import { closedText } from './bidi.ts'

/** Deepest nesting that a JSON value from outside may have: deeper ones are nobody's work. */
export const MAX_JSON_DEPTH = 32

/** What `isStorable` refuses, for sentences. */
export const UNSTORABLE = 'the character U+0000 or half of a surrogate pair'

// \p{Cs} is a surrogate that stands alone: a pair is read as one character.
const UNSTORABLE_CHARACTER = /[\0\p{Cs}]/u

/** Whether PostgreSQL can keep a text: it takes neither U+0000 nor half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !UNSTORABLE_CHARACTER.test(text)
}

/**
 * What somebody wrote for people to read, as it is kept: with each character that cannot be kept replaced by U+FFFD, which
 * shows, and closed against what it will stand beside (`closedText`).
 */
export function storableText(text: string): string {
  return closedText(storableData(text))
}

/** The same of a text that is data, or is only looked for: it stays open. */
export function storableData(text: string): string {
  return text.replace(new RegExp(UNSTORABLE_CHARACTER, 'gu'), '\uFFFD')
}

/**
 * A JSON value with such characters replaced in all texts and keys, which are data, and without what JSON cannot hold:
 * undefined, functions and the like are left out of objects and null in arrays. The value may not nest deeper than
 * `MAX_JSON_DEPTH`.
 */
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableData(value)
  if (Array.isArray(value)) return value.map((item) => storableJson(item) ?? null)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, item]) => {
        const kept = storableJson(item)
        return kept === undefined ? [] : [[storableData(key), kept]]
      }),
    )
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'boolean' || value === null ? value : undefined
}

/** Whether a value nests deeper than `depth` levels of arrays and objects; true for one that contains itself. */
export function nestsDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((item) => nestsDeeperThan(item, depth - 1))
}

/** Whether a number in a value is infinite or none, as 1e999 is once it is read: JSON cannot hold it. Not for deep values. */
export function hasNumberBeyondJson(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasNumberBeyondJson)
}
