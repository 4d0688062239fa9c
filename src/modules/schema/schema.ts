import { beginningOf } from '../../domain/censor.ts'
import type { JsonSchema } from '../module.ts'

export type Path = readonly (string | number)[]

/** A scalar that a text may stand for once placeholders are filled. */
export type ScalarType = 'number' | 'boolean'

export type Finding = {
  path: Path
  /** A clause that follows the name of the field: "must be at least 1, and is 0." */
  message: string
  /**
   * What it judges: the value at `path`; that value with all that is in it, as an alternative or a comparison does; or
   * that there is such a key at all.
   */
  judges: 'value' | 'whole' | 'key'
}

export type JudgedAs<T> =
  | { ok: true; value: T }
  /** `wants`: where a number or boolean was wanted and something else stood, alternatives that did not fit included. */
  | { ok: false; findings: Finding[]; wants: { path: Path; type: ScalarType }[] }
export type Judged = JudgedAs<unknown>

/** A module author's schema, whichever kind it was written as. */
export type Schema = {
  /** For the API and for forms. */
  json: JsonSchema
  /** Validates; `value` is as the schema makes it, with defaults and transforms. May throw what the author's code throws. */
  judge(value: unknown): Judged
}

/** `problem` is a clause that follows the name of what holds the schema. */
export type CompiledSchema = { ok: true; schema: Schema } | { ok: false; problem: string }

const NAMES: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  integer: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  never: 'left out',
}

/** A type of JSON Schema or zod in words; others as they are. */
export const typeName = (type: string): string => (Object.hasOwn(NAMES, type) ? (NAMES[type] ?? type) : type)

/** What kind of JSON value something is, in words. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeName(typeof value)
}

/** A value as a sentence shows it; long ones are cut. */
export function shown(value: unknown): string {
  const text =
    typeof value === 'object' && value !== null
      ? kindOf(value)
      : typeof value === 'string'
        ? JSON.stringify(value)
        : String(value)
  const cut = beginningOf(text, 60)
  return cut === '…' ? `a text of ${text.length} characters` : cut
}

/** Alternatives as a sentence lists them. */
export const listed = (values: readonly unknown[]): string => values.map(shown).join(', ')

export const missing = (type?: string): string =>
  type === undefined ? 'is missing; give a value.' : `is missing; give ${typeName(type)}.`
export const unknownKey = (known?: readonly string[]): string =>
  known === undefined || known.length === 0
    ? 'is not known here; remove it.'
    : `is not known here; use one of ${known.join(', ')}, or remove it.`
