import { isObject } from './plain-object.ts'

/** JSON Schema of an object. */
export type JsonSchema = Record<string, unknown>
export type JsonType = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array'

/** A question about the value at a field, asked of what one schema says of it by itself. */
export type Question = {
  /** Whether a value of that type, within the schema's bounds, could be the answer; `reader` is for what is in it. */
  fits: (type: JsonType, schema: JsonSchema, reader: Reader) => boolean
  /** Whether this whole payload, or part of it, with the rest of the path, is the answer: for values that are listed. */
  isMet: (value: unknown, rest: string[]) => boolean
}

export type Reader = {
  root: JsonSchema
  /** True: only what is named in a schema's properties is there, although it allows more. */
  closed: boolean
  /** References that are being followed: a schema may contain itself. */
  depth: number
}

export const TYPES: readonly JsonType[] = ['string', 'number', 'boolean', 'null', 'object', 'array']
const MAX_DEPTH = 64

/**
 * Whether a payload that the schema allows could have something at that path that answers the question. What the schema
 * says beyond types, bounds, listed values and properties is taken to allow it, so that "no" is certain.
 */
export function possible(reader: Reader, node: unknown, keys: string[], question: Question): boolean {
  if (node === false) return false
  if (!isObject(node)) return true
  if (reader.depth > MAX_DEPTH) return true
  const deeper = { ...reader, depth: reader.depth + 1 }
  const also = (part: unknown) => possible(deeper, part, keys, question)
  if (typeof node.$ref === 'string' && !also(referred(reader.root, node.$ref))) return false
  if (Array.isArray(node.allOf) && !combined(deeper, node, keys, question)) return false
  if (Array.isArray(node.anyOf) && !node.anyOf.some(also)) return false
  if (Array.isArray(node.oneOf) && !node.oneOf.some(also)) return false
  if (Array.isArray(node.enum)) return node.enum.some((value) => question.isMet(value, keys))
  if (Object.hasOwn(node, 'const')) return question.isMet(node.const, keys)
  const [key, ...rest] = keys
  const types = jsonTypesOf(node)
  if (key === undefined) return types.some((type) => question.fits(type, node, deeper))
  return (
    (types.includes('object') && inObject(deeper, node, { key, rest, question })) ||
    (types.includes('array') && /^\d+$/.test(key) && inArray(deeper, node, { index: Number(key), rest, question }))
  )
}

/** Every part has to allow it; what one part names, another part that is read as closed need not. */
function combined(reader: Reader, node: JsonSchema, keys: string[], question: Question): boolean {
  const parts: unknown[] = Array.isArray(node.allOf) ? node.allOf : []
  const open = { ...reader, closed: false }
  if (!parts.every((part) => possible(open, part, keys, question))) return false
  return !reader.closed || isObject(node.properties) || parts.some((part) => possible(reader, part, keys, question))
}

/** Where the rest of an object's fields may be named. */
const COMBINING = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas']

type Step<At> = At & { rest: string[]; question: Question }

function inObject(reader: Reader, node: JsonSchema, { key, rest, question }: Step<{ key: string }>): boolean {
  const { properties, patternProperties, additionalProperties } = node
  if (isObject(properties) && Object.hasOwn(properties, key)) return possible(reader, properties[key], rest, question)
  // Which pattern fits is the schema's engine to say.
  if (isObject(patternProperties) && Object.keys(patternProperties).length > 0) return true
  if (additionalProperties !== undefined) return possible(reader, additionalProperties, rest, question)
  const isElsewhere = COMBINING.some((word) => Object.hasOwn(node, word))
  return !reader.closed || !isObject(properties) || isElsewhere
}

function inArray(reader: Reader, node: JsonSchema, { index, rest, question }: Step<{ index: number }>): boolean {
  const { maxItems } = node
  if (typeof maxItems === 'number' && index >= maxItems) return false
  const { tuple, others } = itemsIn(node)
  return possible(reader, index < tuple.length ? tuple[index] : others, rest, question)
}

/** Schemas of a list's items: of the first ones, each its own, and of those behind. */
function itemsIn({ prefixItems, items }: JsonSchema): { tuple: unknown[]; others: unknown } {
  const tuple: unknown[] = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  return { tuple, others: Array.isArray(items) ? true : items }
}

/** Whether a list could hold an item that answers the question. */
export function inSomeItem(reader: Reader, node: JsonSchema, question: Question): boolean {
  const { tuple, others } = itemsIn(node)
  return [...tuple, others].some((item) => possible(reader, item, [], question))
}

/**
 * Whether every payload has it, as far as `required` says so in one place. What has a default may be left out all the
 * same: it is filled in to be checked, and not told.
 */
export function alwaysThere(root: JsonSchema, node: unknown, keys: string[]): boolean {
  const [key, ...rest] = keys
  if (key === undefined) return true
  if (!isObject(node) || !Array.isArray(node.required) || !node.required.includes(key)) return false
  const next = propertyOf(root, node, key)
  if (next !== null && Object.hasOwn(next, 'default')) return false
  if (rest.length === 0) return true
  return next !== null && next.type === 'object' && alwaysThere(root, next, rest)
}

/** What a schema says of a property by name, itself or where its one reference leads; null: nothing. */
export function propertyOf(root: JsonSchema, node: JsonSchema, key: string): JsonSchema | null {
  const next = isObject(node.properties) && Object.hasOwn(node.properties, key) ? node.properties[key] : undefined
  const said = isObject(next) && typeof next.$ref === 'string' ? referred(root, next.$ref) : next
  return isObject(said) ? said : null
}

/** A schema within the same document; true, which allows anything, where it points elsewhere. */
function referred(root: JsonSchema, ref: string): unknown {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return true
  let node: unknown = root
  for (const part of ref.slice(2).split('/')) {
    const key = decoded(part)
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return true
    node = Reflect.get(node, key)
  }
  return node
}

function decoded(part: string): string {
  const pointer = part.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(pointer)
  } catch {
    return pointer
  }
}

/** The types that a schema names; none where it allows any. */
export const typesIn = ({ type }: JsonSchema): unknown[] =>
  Array.isArray(type) ? type : type === undefined ? [] : [type]

function jsonTypesOf(schema: JsonSchema): readonly JsonType[] {
  const named = typesIn(schema)
  if (named.length === 0) return TYPES
  const isNamed = (type: JsonType) => named.includes(type) || (type === 'number' && named.includes('integer'))
  return TYPES.filter((type) => isNamed(type) || (type === 'null' && schema.nullable === true))
}

export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}

/** The value at a path within a value; undefined where there is none. */
export function valueIn(value: unknown, keys: string[]): unknown {
  return keys.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
    value,
  )
}
