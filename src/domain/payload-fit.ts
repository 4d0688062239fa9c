import { type Condition, type Leaf, meets } from './condition.ts'
import type { Issue } from './issue.ts'
import { isObject } from './plain-object.ts'
import {
  alwaysThere,
  inSomeItem,
  type JsonSchema,
  type JsonType,
  possible,
  propertyOf,
  type Question,
  type Reader,
  TYPES,
  typeOf,
  typesIn,
  valueIn,
} from './schema-reach.ts'

/**
 * Where a gate's condition does not fit what its trigger's payload can be: a field that its schema does not know, an op
 * that does not fit the field's type, a value that nothing in the payload can ever match. A schema that names fields knows
 * no others unless it says so (`additionalProperties`), although payloads with others pass it: a field that nobody named
 * is a misspelt one, and its gate would never open. Beyond that only what is certain is an issue.
 */
export function payloadFit(
  condition: Condition,
  { schema, path, trigger }: { schema: JsonSchema; path: string; trigger: string },
): Issue[] {
  const found: Issue[] = []
  const visit = (node: Condition, at: string): void => {
    if ('all' in node) for (const [index, part] of node.all.entries()) visit(part, `${at}.all[${index}]`)
    else if ('any' in node) for (const [index, part] of node.any.entries()) visit(part, `${at}.any[${index}]`)
    else if ('not' in node) visit(node.not, `${at}.not`)
    else judgeLeaf(node, { schema, path: at, trigger, found })
  }
  visit(condition, path)
  return found
}

type Place = { schema: JsonSchema; path: string; trigger: string; found: Issue[] }

function judgeLeaf(leaf: Leaf, { schema, path, trigger, found }: Place): void {
  const open: Reader = { root: schema, closed: false, depth: 0 }
  const keys = leaf.field.split('.')
  const issue = (key: string, message: string) => found.push({ path: `${path}.${key}`, message })
  if (!possible({ ...open, closed: true }, schema, keys, PRESENT)) {
    const message = `The payload of ${trigger} is not said to have "${leaf.field}"; ${namesOf(schema)}, or have its module name the field in the payload's schema.`
    issue('field', message)
    return
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
    if (!leaf.value && alwaysThere(schema, schema, keys))
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
  if (!possible(open, schema, keys, matching(leaf))) {
    const isList = leaf.op === 'CONTAINS' && types.includes('array')
    const why = isList ? `never holds ${JSON.stringify(leaf.value)}` : allowedAt(schema, keys, types)
    issue('value', `No payload of ${trigger} can match this: "${leaf.field}" ${why}.`)
  }
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
  const fitting = (Object.keys(OP_TYPES) as Leaf['op'][]).filter((op) =>
    types.some((type) => OP_TYPES[op]?.includes(type)),
  )
  const ops = fitting.flatMap((op) => (op === 'EQ' ? ['EQ', 'NEQ'] : op === 'IN' ? ['IN', 'NOT_IN'] : [op]))
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
  fits: (type, schema, reader) =>
    leaf.op === 'CONTAINS' && type === 'array'
      ? inSomeItem(reader, schema, matching({ field: leaf.field, op: 'EQ', value: leaf.value }))
      : couldMatch(leaf, type, schema),
  isMet: (value, rest) => holds(leaf, value, rest),
})

function couldMatch(leaf: Leaf, type: JsonType, schema: JsonSchema): boolean {
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
      return type === 'string' && typeof leaf.value === 'string'
    case 'STARTS_WITH':
      return type === 'string'
    default:
      return type === typeOf(leaf.value) && (typeof leaf.value === 'string' || reaches(leaf.op, leaf.value, schema))
  }
}

/** Whether a number or text keeps the bounds that a schema sets for its like. */
function isWithin(value: unknown, schema: JsonSchema): boolean {
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
function reaches(op: 'GT' | 'GTE' | 'LT' | 'LTE', value: number, schema: JsonSchema): boolean {
  const { low, high } = rangeOf(schema)
  if (op === 'GT') return high > value
  if (op === 'LT') return low < value
  if (op === 'GTE') return schema.exclusiveMaximum === high ? high > value : high >= value
  return schema.exclusiveMinimum === low ? low < value : low <= value
}

function rangeOf(schema: JsonSchema): { low: number; high: number } {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  return {
    low: Math.max(boundOf(minimum, Number.NEGATIVE_INFINITY), boundOf(exclusiveMinimum, Number.NEGATIVE_INFINITY)),
    high: Math.min(boundOf(maximum, Number.POSITIVE_INFINITY), boundOf(exclusiveMaximum, Number.POSITIVE_INFINITY)),
  }
}

const boundOf = (bound: unknown, none: number): number => (typeof bound === 'number' ? bound : none)

/** Whether a comparison holds for what is at a path within a value. */
function holds(leaf: Leaf, value: unknown, rest: string[]): boolean {
  const found = valueIn(value, rest)
  return meets({ ...leaf, field: 'found' }, found === undefined ? {} : { found })
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

function namesOf(schema: JsonSchema): string {
  const names = isObject(schema.properties) ? Object.keys(schema.properties) : []
  if (names.length === 0) return 'look at the schema of the trigger'
  const more = names.length > MAX_NAMES ? ', …' : ''
  return `use one of ${names.slice(0, MAX_NAMES).join(', ')}${more}`
}

/** What a field may be, where one schema says it: its listed values, its bounds, or its types. */
function allowedAt(schema: JsonSchema, keys: string[], types: readonly JsonType[]): string {
  const said = keys.reduce<JsonSchema | null>((at, key) => (at === null ? null : propertyOf(schema, at, key)), schema)
  if (said === null) return `is ${typeWords(types)}`
  const values: unknown[] = Array.isArray(said.enum) ? said.enum : Object.hasOwn(said, 'const') ? [said.const] : []
  if (values.length > 0) {
    const shown = values.slice(0, MAX_NAMES).map((value) => JSON.stringify(value))
    return `is ${values.length === 1 ? '' : 'one of '}${shown.join(', ')}${values.length > MAX_NAMES ? ', …' : ''}`
  }
  const bounds = BOUNDS.flatMap(([name, words]) => {
    const bound = said[name]
    return typeof bound === 'number' ? [`${words} ${bound}${name.endsWith('Length') ? ' characters' : ''}`] : []
  })
  const whole = typesIn(said).includes('integer') ? 'a whole number' : typeWords(types)
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
