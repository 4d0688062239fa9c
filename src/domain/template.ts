import { closedText, TURNING } from './bidi.ts'
import { isObject } from './plain-object.ts'
import { isStorable, UNSTORABLE } from './storable.ts'

/** What a placeholder may be filled with; null is no value. */
export type PlaceholderValues = Readonly<Record<string, string | number | boolean | null | undefined>>

/** A parameter's name, and what may stand between the braces of a placeholder. */
export const PARAMETER_NAME = /^[a-zA-Z][a-zA-Z0-9_]*$/
const PLACEHOLDER = /\{([a-zA-Z][a-zA-Z0-9_]*)\}/g

/** Scopes and rendered concurrency keys hold up to this many characters. */
export const MAX_KEY_LENGTH = 190

/** Fills `{name}` in a text, once: a value that holds braces is not filled again. What has no value is left standing. */
export function renderString(text: string, values: PlaceholderValues): string {
  return text.replace(PLACEHOLDER, (placeholder, name: string) => String(givenFor(name, values) ?? placeholder))
}

/** Fills the placeholders of all strings in a step's params, at any depth; keys stay as they are. */
export function renderParams(params: Record<string, unknown>, values: PlaceholderValues): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).map(([key, value]) => [key, renderValue(value, values)]))
}

/** The names of the placeholders in a text, or in all strings of a value, each once, in order. */
export function placeholdersIn(value: unknown): string[] {
  return [...new Set(textsIn(value).flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name)))]
}

/**
 * What looks like a placeholder in a text, or in all strings of a value, and is none: `{}`, `{ region }`,
 * `{event.name}`, each once. Braces around more than a name, such as JSON in a text, do not look like one.
 */
export function malformedPlaceholdersIn(value: unknown): string[] {
  const alike = textsIn(value).flatMap((text) => text.match(/\{[ \w.$-]{0,64}\}/g) ?? [])
  return [...new Set(alike)].filter((text) => !new RegExp(`^${PLACEHOLDER.source}$`).test(text))
}

/** All strings of a value at any depth, each with the keys that lead to it. */
export function textPlacesIn(value: unknown, keys: readonly (string | number)[] = []): TextPlace[] {
  if (typeof value === 'string') return [{ keys, text: value }]
  if (Array.isArray(value)) return value.flatMap((item, index) => textPlacesIn(item, [...keys, index]))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) => textPlacesIn(item, [...keys, key]))
}

export type TextPlace = { keys: readonly (string | number)[]; text: string }

/**
 * Fills a concurrency key. A placeholder without a value (missing, null or empty) stays, because a key with a hole in
 * it would be equal to every other such key. Refuse what `shownKeyProblem` names.
 */
export function renderKey(template: string, values: PlaceholderValues): string {
  return template.replace(PLACEHOLDER, (placeholder, name: string) => {
    const value = givenFor(name, values)
    return value === undefined || value === null || value === '' ? placeholder : String(value)
  })
}

/** Whether a key's template has a brace that belongs to no placeholder: a typing error that all runs would share. */
export function hasStrayBrace(template: string): boolean {
  return /[{}]/.test(template.replace(PLACEHOLDER, ''))
}

/** What is wrong with a key that is data (a member's, a request's), as a clause that follows its name; null: nothing. */
export function keyProblem(text: string): string | null {
  const length = [...text].length
  if (length > MAX_KEY_LENGTH) return `must be at most ${MAX_KEY_LENGTH} characters, and has ${length}; shorten it.`
  if (!isStorable(text)) return `must not hold ${UNSTORABLE}; remove it.`
  return null
}

/** The same of a scope or a rendered concurrency key, which stand in sentences. */
export function shownKeyProblem(text: string): string | null {
  return keyProblem(text) ?? (closedText(text) === text ? null : `must not ${TURNING}; remove it.`)
}

function renderValue(value: unknown, values: PlaceholderValues): unknown {
  if (typeof value === 'string') return renderString(value, values)
  if (Array.isArray(value)) return value.map((item) => renderValue(item, values))
  if (isObject(value)) return renderParams(value, values)
  return value
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.values(value).flatMap(textsIn) : []
}

const givenFor = (name: string, values: PlaceholderValues) => (Object.hasOwn(values, name) ? values[name] : undefined)
