import { type Condition, type Leaf, meets } from './condition.ts'
import type { Issue } from './issue.ts'
import { isObject } from './plain-object.ts'

/** JSON Schema of a trigger's payload. */
type Schema = Record<string, unknown>
type JsonType = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array'

/** A question about the value at a field, asked of what one schema says of it by itself. */
type Question = {
  /** Whether a value of that type, within the schema's bounds, could be the answer. */
  fits: (type: JsonType, schema: Schema) => boolean
  /** Whether this whole payload, or part of it, with the rest of the path, is the answer: for values that are listed. */
  isMet: (value: unknown, rest: string[]) => boolean
}

type Reader = {
  root: Schema
  /** True: only what is named in a schema's properties is there, although it allows more. */
  closed: boolean
  /** References that are being followed: a schema may contain itself. */
  depth: number
}

const TYPES: readonly JsonType[] = ['string', 'number', 'boolean', 'null', 'object', 'array']
const MAX_DEPTH = 64

/**
 * Where a gate's condition does not fit what its trigger's payload can be: a field that is not there, an op that does
 * not fit the field's type, a value that nothing in the payload can ever match. Only what is certain is an issue: where a
 * schema allows anything, so does this. A warning: a field that the schema allows and does not name.
 */
export function payloadFit(
  condition: Condition,
  { schema, path, trigger }: { schema: Schema; path: string; trigger: string },
): { issues: Issue[]; warnings: Issue[] } {
  const found = { issues: [] as Issue[], warnings: [] as Issue[] }
  const visit = (node: Condition, at: string): void => {
    if ('all' in node) for (const [index, part] of node.all.entries()) visit(part, `${at}.all[${index}]`)
    else if ('any' in node) for (const [index, part] of node.any.entries()) visit(part, `${at}.any[${index}]`)
    else if ('not' in node) visit(node.not, `${at}.not`)
    else judgeLeaf(node, { schema, path: at, trigger, found })
  }
  visit(condition, path)
  return found
}

type Place = { schema: Schema; path: string; trigger: string; found: { issues: Issue[]; warnings: Issue[] } }

function judgeLeaf(leaf: Leaf, { schema, path, trigger, found }: Place): void {
  const open: Reader = { root: schema, closed: false, depth: 0 }
  const keys = leaf.field.split('.')
  const issue = (key: string, message: string) => found.issues.push({ path: `${path}.${key}`, message })
  if (!possible(open, schema, keys, PRESENT)) {
    issue('field', `The payload of ${trigger} never has "${leaf.field}"; ${namesOf(schema)}.`)
    return
  }
  if (!possible({ ...open, closed: true }, schema, keys, PRESENT)) {
    const message = `The payload of ${trigger} is not said to have "${leaf.field}", although it may; ${namesOf(schema)}, or leave it if you know better.`
    found.warnings.push({ path: `${path}.field`, message })
  }
  const types = TYPES.filter((type) => possible(open, schema, keys, ofType(type)))
  const opTypes = OP_TYPES[leaf.op] ?? TYPES
  if (!types.some((type) => opTypes.includes(type))) {
    issue(
      'op',
      `${leaf.op} compares ${typeWords(opTypes)}, and "${leaf.field}" is ${typeWords(types)}; ${otherOps(types)}.`,
    )
    return
  }
  if (leaf.op === 'EXISTS') {
    if (!leaf.value && alwaysThere(open, schema, keys))
      issue('value', `"${leaf.field}" is in every payload of ${trigger}, so that this never holds; remove it.`)
    return
  }
  if (leaf.op === 'IN') {
    const never = leaf.value.flatMap((value, index) =>
      possible(open, schema, keys, matching({ field: leaf.field, op: 'EQ', value })) ? [] : [{ value, index }],
    )
    for (const { value, index } of never)
      issue(
        `value[${index}]`,
        `"${leaf.field}" is never ${JSON.stringify(value)}; it ${allowedAt(schema, keys, types)}.`,
      )
    return
  }
  if (!possible(open, schema, keys, matching(leaf)))
    issue('value', `No payload of ${trigger} can match this: "${leaf.field}" ${allowedAt(schema, keys, types)}.`)
}

const OP_TYPES: Partial<Record<Leaf['op'], readonly JsonType[]>> = {
  EQ: ['string', 'number', 'boolean', 'null'],
  IN: ['string', 'number', 'boolean', 'null'],
  GT: ['string', 'number'],
  GTE: ['string', 'number'],
  LT: ['string', 'number'],
  LTE: ['string', 'number'],
  CONTAINS: ['string', 'array'],
  STARTS_WITH: ['string'],
}

function otherOps(types: readonly JsonType[]): string {
  const ops = (Object.keys(OP_TYPES) as Leaf['op'][]).filter((op) => types.some((type) => OP_TYPES[op]?.includes(type)))
  return ops.length === 0 ? 'compare a field in it, or use EXISTS' : `use ${[...ops, 'EXISTS'].join(', ')}`
}

const PRESENT: Question = { fits: () => true, isMet: (value, rest) => valueIn(value, rest) !== undefined }

const ofType = (type: JsonType): Question => ({
  fits: (candidate) => candidate === type,
  isMet: (value, rest) => {
    const found = valueIn(value, rest)
    return found !== undefined && typeOf(found) === type
  },
})

/** Whether a leaf could hold. Where the value is one of a list each is tried; else its type and bounds decide. */
const matching = (leaf: Leaf): Question => ({
  fits: (type, schema) => couldMatch(leaf, type, schema),
  isMet: (value, rest) => holds(leaf, value, rest),
})

function couldMatch(leaf: Leaf, type: JsonType, schema: Schema): boolean {
  switch (leaf.op) {
    case 'EXISTS':
      return leaf.value
    case 'EQ':
      return type === typeOf(leaf.value) && isWithin(leaf.value, schema)
    case 'IN':
      return leaf.value.some((value) => type === typeOf(value) && isWithin(value, schema))
    case 'NEQ':
      return leaf.value === null ? type !== 'null' : type === typeOf(leaf.value)
    case 'NOT_IN':
      return leaf.value.some((value) => value === null || type === typeOf(value))
    case 'CONTAINS':
      return type === 'array' || (type === 'string' && typeof leaf.value === 'string')
    case 'STARTS_WITH':
      return type === 'string'
    default:
      return type === typeOf(leaf.value) && (typeof leaf.value === 'string' || reaches(leaf.op, leaf.value, schema))
  }
}

/** Whether a number or text keeps the bounds that a schema sets for its like. */
function isWithin(value: unknown, schema: Schema): boolean {
  if (typeof value === 'string') {
    const length = [...value].length
    return length >= boundOf(schema.minLength, 0) && length <= boundOf(schema.maxLength, Number.POSITIVE_INFINITY)
  }
  if (typeof value !== 'number') return true
  const types = typesIn(schema)
  const mayBeFraction = types.length === 0 || types.includes('number')
  return (mayBeFraction || Number.isInteger(value)) && reaches('GTE', value, schema) && reaches('LTE', value, schema)
}

/** Whether a number within the schema's bounds can compare so with `value`. */
function reaches(op: 'GT' | 'GTE' | 'LT' | 'LTE', value: number, schema: Schema): boolean {
  const { low, high } = rangeOf(schema)
  if (op === 'GT') return high > value
  if (op === 'LT') return low < value
  if (op === 'GTE') return schema.exclusiveMaximum === high ? high > value : high >= value
  return schema.exclusiveMinimum === low ? low < value : low <= value
}

function rangeOf(schema: Schema): { low: number; high: number } {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  return {
    low: Math.max(boundOf(minimum, Number.NEGATIVE_INFINITY), boundOf(exclusiveMinimum, Number.NEGATIVE_INFINITY)),
    high: Math.min(boundOf(maximum, Number.POSITIVE_INFINITY), boundOf(exclusiveMaximum, Number.POSITIVE_INFINITY)),
  }
}

const boundOf = (bound: unknown, none: number): number => (typeof bound === 'number' ? bound : none)

/**
 * Whether a payload that the schema allows could have something at that path that answers the question. What the schema
 * says beyond types, bounds, listed values and properties is taken to allow it, so that "no" is certain.
 */
function possible(reader: Reader, node: unknown, keys: string[], question: Question): boolean {
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
  if (key === undefined) return types.some((type) => question.fits(type, node))
  return (
    (types.includes('object') && inObject(deeper, node, { key, rest, question })) ||
    (types.includes('array') && /^\d+$/.test(key) && inArray(deeper, node, { index: Number(key), rest, question }))
  )
}

/** Every part has to allow it; what one part names, another part that is read as closed need not. */
function combined(reader: Reader, node: Schema, keys: string[], question: Question): boolean {
  const parts: unknown[] = Array.isArray(node.allOf) ? node.allOf : []
  const open = { ...reader, closed: false }
  if (!parts.every((part) => possible(open, part, keys, question))) return false
  return !reader.closed || isObject(node.properties) || parts.some((part) => possible(reader, part, keys, question))
}

/** Where the rest of an object's fields may be named. */
const COMBINING = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas']

type Step<At> = At & { rest: string[]; question: Question }

function inObject(reader: Reader, node: Schema, { key, rest, question }: Step<{ key: string }>): boolean {
  const { properties, patternProperties, additionalProperties } = node
  if (isObject(properties) && Object.hasOwn(properties, key)) return possible(reader, properties[key], rest, question)
  // Which pattern fits is the schema's engine to say.
  if (isObject(patternProperties) && Object.keys(patternProperties).length > 0) return true
  if (additionalProperties !== undefined) return possible(reader, additionalProperties, rest, question)
  const isElsewhere = COMBINING.some((word) => Object.hasOwn(node, word))
  return !reader.closed || !isObject(properties) || isElsewhere
}

function inArray(reader: Reader, node: Schema, { index, rest, question }: Step<{ index: number }>): boolean {
  const { prefixItems, items, maxItems } = node
  if (typeof maxItems === 'number' && index >= maxItems) return false
  const tuple: unknown[] = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  if (index < tuple.length) return possible(reader, tuple[index], rest, question)
  return Array.isArray(items) ? true : possible(reader, items, rest, question)
}

/** Whether every payload has it, as far as `required` says so in one place. */
function alwaysThere(reader: Reader, node: unknown, keys: string[]): boolean {
  const [key, ...rest] = keys
  if (key === undefined) return true
  if (!isObject(node) || !Array.isArray(node.required) || !node.required.includes(key)) return false
  if (rest.length === 0) return true
  const next = isObject(node.properties) ? node.properties[key] : undefined
  return isObject(next) && next.type === 'object' && alwaysThere(reader, next, rest)
}

/** A schema within the same document; true, which allows anything, where it points elsewhere. */
function referred(root: Schema, ref: string): unknown {
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

const typesIn = ({ type }: Schema): unknown[] => (Array.isArray(type) ? type : type === undefined ? [] : [type])

function jsonTypesOf(schema: Schema): readonly JsonType[] {
  const named = typesIn(schema)
  if (named.length === 0) return TYPES
  const isNamed = (type: JsonType) => named.includes(type) || (type === 'number' && named.includes('integer'))
  return TYPES.filter((type) => isNamed(type) || (type === 'null' && schema.nullable === true))
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}

/** Whether a comparison holds for what is at a path within a value. */
function holds(leaf: Leaf, value: unknown, rest: string[]): boolean {
  const found = valueIn(value, rest)
  return meets({ ...leaf, field: 'found' }, found === undefined ? {} : { found })
}

function valueIn(value: unknown, keys: string[]): unknown {
  return keys.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
    value,
  )
}

const TYPE_WORDS: Record<JsonType, string> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  object: 'an object',
  array: 'a list',
}

function typeWords(types: readonly JsonType[]): string {
  const words = types.map((type) => TYPE_WORDS[type])
  const last = words.pop() ?? 'nothing'
  return words.length === 0 ? last : `${words.join(', ')} or ${last}`
}

const MAX_NAMES = 20

function namesOf(schema: Schema): string {
  const names = isObject(schema.properties) ? Object.keys(schema.properties) : []
  if (names.length === 0) return 'look at the schema of the trigger'
  const more = names.length > MAX_NAMES ? ', …' : ''
  return `use one of ${names.slice(0, MAX_NAMES).join(', ')}${more}`
}

/** What a field may be, where one schema says it: its listed values, its bounds, or its types. */
function allowedAt(schema: Schema, keys: string[], types: readonly JsonType[]): string {
  let node: unknown = schema
  for (const key of keys) node = isObject(node) && isObject(node.properties) ? node.properties[key] : undefined
  if (!isObject(node)) return `is ${typeWords(types)}`
  const values: unknown[] = Array.isArray(node.enum) ? node.enum : Object.hasOwn(node, 'const') ? [node.const] : []
  if (values.length > 0) {
    const shown = values.slice(0, MAX_NAMES).map((value) => JSON.stringify(value))
    return `is ${values.length === 1 ? '' : 'one of '}${shown.join(', ')}${values.length > MAX_NAMES ? ', …' : ''}`
  }
  const bounds = BOUNDS.flatMap(([name, words]) => {
    const bound = isObject(node) ? node[name] : undefined
    return typeof bound === 'number' ? [`${words} ${bound}${name.endsWith('Length') ? ' characters' : ''}`] : []
  })
  const whole = typesIn(node).includes('integer') ? 'a whole number' : typeWords(types)
  return [`is ${whole}`, ...bounds].join(', ')
}

const BOUNDS = [
  ['minimum', 'at least'],
  ['exclusiveMinimum', 'more than'],
  ['maximum', 'at most'],
  ['exclusiveMaximum', 'less than'],
  ['minLength', 'at least'],
  ['maxLength', 'at most'],
] as const
