import { valueAt } from './dotted-path.ts'
import type { Issue } from './issue.ts'
import { isObject } from './plain-object.ts'

type Scalar = string | number | boolean | null

/** One comparison; `field` is a dotted path into a trigger's payload. */
export type Leaf =
  | { field: string; op: 'EQ' | 'NEQ'; value: Scalar }
  | { field: string; op: 'GT' | 'GTE' | 'LT' | 'LTE'; value: string | number }
  | { field: string; op: 'IN' | 'NOT_IN'; value: Scalar[] }
  | { field: string; op: 'CONTAINS'; value: Scalar }
  | { field: string; op: 'STARTS_WITH'; value: string }
  | { field: string; op: 'EXISTS'; value: boolean }

/** What a trigger's payload has to be like: data, never code. */
export type Condition = { all: Condition[] } | { any: Condition[] } | { not: Condition } | Leaf

export type ParsedCondition = { ok: true; condition: Condition } | { ok: false; issues: Issue[] }

/** Nesting and number of parts that a condition may have. */
const MAX_DEPTH = 10
const MAX_PARTS = 200
const MAX_LIST = 100
const MAX_FIELD_LENGTH = 200

const OPS = ['EQ', 'NEQ', 'GT', 'GTE', 'LT', 'LTE', 'IN', 'NOT_IN', 'CONTAINS', 'STARTS_WITH', 'EXISTS'] as const
const FORM = '{"all": […]}, {"any": […]}, {"not": …} or {"field": "boss", "op": "EQ", "value": "Balron"}'

/** Reads a condition from JSON of any shape. Every issue has its path below `path`. */
export function parseCondition(json: unknown, path: string): ParsedCondition {
  const reader: Reader = { issues: [], parts: 0 }
  const condition = readNode(reader, { json, path, depth: 1 })
  return condition !== null && reader.issues.length === 0
    ? { ok: true, condition }
    : { ok: false, issues: reader.issues }
}

type Reader = { issues: Issue[]; parts: number }
type Place = { json: unknown; path: string; depth: number }

function readNode(reader: Reader, { json, path, depth }: Place): Condition | null {
  const refuse = (message: string, at = path): null => {
    reader.issues.push({ path: at, message })
    return null
  }
  reader.parts += 1
  // Beyond the bound each part would be one more issue: said once, and no further part is read.
  if (reader.parts > MAX_PARTS) {
    return reader.parts === MAX_PARTS + 1
      ? refuse(`A condition may have at most ${MAX_PARTS} parts; make it simpler.`)
      : null
  }
  if (depth > MAX_DEPTH) return refuse(`A condition may nest at most ${MAX_DEPTH} deep; make it flatter.`)
  if (!isObject(json)) return refuse(`A condition must be an object: ${FORM}.`)

  const keys = Object.keys(json)
  const [key] = keys
  if (keys.length === 1 && (key === 'all' || key === 'any')) {
    const list = json[key]
    if (!Array.isArray(list) || list.length === 0) {
      return refuse(`"${key}" must be a list of at least one condition.`, `${path}.${key}`)
    }
    const parts = list.slice(0, MAX_PARTS + 1).map((item, index) => {
      return readNode(reader, { json: item, path: `${path}.${key}[${index}]`, depth: depth + 1 })
    })
    const read = parts.filter((part) => part !== null)
    return key === 'all' ? { all: read } : { any: read }
  }
  if (keys.length === 1 && key === 'not') {
    const part = readNode(reader, { json: json.not, path: `${path}.not`, depth: depth + 1 })
    return part === null ? null : { not: part }
  }
  return keys.includes('field') || keys.includes('op')
    ? readLeaf(reader, json, { path })
    : refuse(`A condition must be one of ${FORM}.`)
}

function readLeaf(reader: Reader, json: Record<string, unknown>, { path }: { path: string }): Leaf | null {
  const found = reader.issues.length
  const refuse = (key: string, message: string): null => {
    reader.issues.push({ path: `${path}.${key}`, message })
    return null
  }
  const own = (key: string) => (Object.hasOwn(json, key) ? json[key] : undefined)
  for (const key of Object.keys(json)) {
    if (!['field', 'op', 'value'].includes(key)) {
      refuse(short(key), 'A comparison has "field", "op" and "value" and nothing else; remove it.')
    }
  }
  const field = own('field')
  const op = OPS.find((known) => known === own('op'))
  const value = own('value')
  if (typeof field !== 'string' || field.length > MAX_FIELD_LENGTH || field.split('.').includes('')) {
    const max = `of up to ${MAX_FIELD_LENGTH} characters`
    refuse('field', `"field" must be a dotted path into the trigger's payload ${max}, like "boss" or "boss.level".`)
  }
  if (op === undefined) return refuse('op', `"op" must be one of ${OPS.join(', ')}.`)
  const leaf = typeof field === 'string' ? withValue(field, op, { value }) : null
  if (typeof field === 'string' && leaf === null) refuse('value', `"value" of ${op} must be ${NEEDS[op]}.`)
  return reader.issues.length === found ? leaf : null
}

const SCALAR = 'a text, a number, true, false or null'
const NEEDS: Record<Leaf['op'], string> = {
  EQ: SCALAR,
  NEQ: SCALAR,
  GT: 'a number or a text',
  GTE: 'a number or a text',
  LT: 'a number or a text',
  LTE: 'a number or a text',
  IN: `a list of 1 to ${MAX_LIST} values, each ${SCALAR}`,
  NOT_IN: `a list of 1 to ${MAX_LIST} values, each ${SCALAR}`,
  CONTAINS: SCALAR,
  STARTS_WITH: 'a text',
  EXISTS: 'true or false',
}

function withValue(field: string, op: Leaf['op'], { value }: { value: unknown }): Leaf | null {
  switch (op) {
    case 'EQ':
    case 'NEQ':
    case 'CONTAINS':
      return isScalar(value) ? { field, op, value } : null
    case 'GT':
    case 'GTE':
    case 'LT':
    case 'LTE':
      return isScalar(value) && (typeof value === 'string' || typeof value === 'number') ? { field, op, value } : null
    case 'IN':
    case 'NOT_IN':
      return Array.isArray(value) && value.length > 0 && value.length <= MAX_LIST && value.every(isScalar)
        ? { field, op, value }
        : null
    case 'STARTS_WITH':
      return typeof value === 'string' ? { field, op, value } : null
    case 'EXISTS':
      return typeof value === 'boolean' ? { field, op, value } : null
  }
}

function isScalar(value: unknown): value is Scalar {
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  )
}

/**
 * Whether a payload meets a condition. An absent field makes its comparison false, NEQ and NOT_IN too, and EXISTS with
 * false true. So does a type mismatch: values are compared with values of their own type only, except that null equals
 * null and anything but null is not null. Texts are ordered by code unit, which suits ISO dates.
 */
export function meets(condition: Condition, payload: unknown): boolean {
  if ('all' in condition) return condition.all.every((part) => meets(part, payload))
  if ('any' in condition) return condition.any.some((part) => meets(part, payload))
  if ('not' in condition) return !meets(condition.not, payload)
  const actual = valueAt(payload, condition.field)
  if (condition.op === 'EXISTS') return (actual !== undefined) === condition.value
  return actual !== undefined && compare(condition, actual)
}

function compare(leaf: Exclude<Leaf, { op: 'EXISTS' }>, actual: unknown): boolean {
  switch (leaf.op) {
    case 'EQ':
      return actual === leaf.value
    case 'NEQ':
      return isComparable(actual, leaf.value) && actual !== leaf.value
    case 'IN':
      return leaf.value.some((value) => actual === value)
    case 'NOT_IN':
      return leaf.value.some((value) => isComparable(actual, value)) && !leaf.value.some((value) => actual === value)
    case 'CONTAINS':
      if (Array.isArray(actual)) return actual.includes(leaf.value)
      return typeof actual === 'string' && typeof leaf.value === 'string' && actual.includes(leaf.value)
    case 'STARTS_WITH':
      return typeof actual === 'string' && actual.startsWith(leaf.value)
    default:
      return isOrdered(leaf.op, order(actual, leaf.value))
  }
}

const isComparable = (actual: unknown, value: Scalar) => value === null || typeof actual === typeof value

/** Below, equal to or above zero; null where the two are not of one type that has an order. */
function order(actual: unknown, value: string | number): number | null {
  if (typeof actual === 'number' && typeof value === 'number') return actual - value
  if (typeof actual === 'string' && typeof value === 'string') return actual < value ? -1 : actual > value ? 1 : 0
  return null
}

function isOrdered(op: 'GT' | 'GTE' | 'LT' | 'LTE', difference: number | null): boolean {
  if (difference === null) return false
  return { GT: difference > 0, GTE: difference >= 0, LT: difference < 0, LTE: difference <= 0 }[op]
}

/** A condition in English: "boss is Balron and level is at least 5". */
export function phraseOf(condition: Condition): string {
  if ('all' in condition) return joined(condition.all, 'and')
  if ('any' in condition) return joined(condition.any, 'or')
  if ('not' in condition) return `not (${phraseOf(condition.not)})`
  const { op, value } = condition
  const field = PLAIN_FIELD.test(condition.field) ? condition.field : JSON.stringify(condition.field)
  return op === 'EXISTS' ? `${field} is ${value ? 'present' : 'absent'}` : `${field} ${WORDS[op]} ${words(value)}`
}

const PLAIN_FIELD = /^[\p{L}\p{N}_$.-]+$/u

const WORDS = {
  EQ: 'is',
  NEQ: 'is not',
  GT: 'is more than',
  GTE: 'is at least',
  LT: 'is less than',
  LTE: 'is at most',
  IN: 'is one of',
  NOT_IN: 'is none of',
  CONTAINS: 'contains',
  STARTS_WITH: 'starts with',
} as const

/** In parentheses are the parts that "and" and "or" could be read into. */
function joined(group: readonly Condition[], word: 'and' | 'or'): string {
  if (group.length === 1) return group.map(phraseOf).join()
  return group.map((part) => (joins(part) ? `(${phraseOf(part)})` : phraseOf(part))).join(` ${word} `)
}

/** Whether a condition's phrase joins several: a group of one reads as its only part does. */
function joins(condition: Condition): boolean {
  const group = 'all' in condition ? condition.all : 'any' in condition ? condition.any : []
  return group.length > 1 || group.some(joins)
}

function words(value: Scalar | Scalar[]): string {
  if (!Array.isArray(value)) return typeof value === 'string' ? quotedWhereUnclear(value) : String(value)
  const list = value.map(words)
  const last = list.pop() ?? ''
  return list.length === 0 ? last : `${list.join(', ')} or ${last}`
}

/** A text as it is where it reads as one thing; quoted where it could be a number, words of a phrase or more than one thing. */
function quotedWhereUnclear(text: string): string {
  const plain = /^[\p{L}\p{N}][\p{L}\p{N} _'.:/-]*$/u.test(text) && !text.endsWith(' ')
  const number = text !== '' && !Number.isNaN(Number(text))
  const unclear = /^(true|false|null|present|absent|[\d.:/-]+)$|^(not|more|less|at|one|none)( |$)| (and|or) /i.test(
    text,
  )
  return plain && !number && !unclear ? text : JSON.stringify(text)
}

const short = (key: string) => (key.length > 40 ? `${key.slice(0, 40)}…` : key)
