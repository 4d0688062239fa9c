/** A JSON Schema, of which nothing is known for sure: a module wrote it. */
type Schema = { readonly [keyword: string]: unknown }

/** One value that a schema asks for, in words. */
export type SchemaField = {
  name: string
  isRequired: boolean
  /** What kind of value it is: "a whole number". */
  kind: string
  /** What else has to hold: "from 1 to 500". */
  bounds: readonly string[]
  description: string | null
  /** What is in it, where it is an object or a list of them. */
  fields: readonly SchemaField[]
}

/** Deeper than people read; and a schema may hold itself. */
const DEEPEST = 6

/** The values of an object that a schema describes, in its order. What these words leave out stands in the schema alone. */
export const fieldsOf = (schema: Schema): readonly SchemaField[] => propertiesOf(schema, { root: schema, depth: 0 })

type Place = { root: Schema; depth: number }

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const schemasOf = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : [])
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

function propertiesOf(schema: Schema, place: Place): readonly SchemaField[] {
  if (place.depth > DEEPEST) return []
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const own = Object.entries(isSchema(schema.properties) ? schema.properties : {}).map(([name, value]) =>
    fieldOf(name, { schema: isSchema(value) ? value : {}, isRequired: required.has(name) }, place),
  )
  return [...own, ...schemasOf(schema.allOf).flatMap((part) => propertiesOf(resolved(part, place), deeper(place)))]
}

const deeper = ({ root, depth }: Place): Place => ({ root, depth: depth + 1 })

function fieldOf(
  name: string,
  { schema: given, isRequired }: { schema: Schema; isRequired: boolean },
  place: Place,
): SchemaField {
  const schema = resolved(given, place)
  return {
    name,
    isRequired,
    kind: kindOf(schema, place),
    bounds: boundsOf(schema),
    description: textOf(given.description) ?? textOf(schema.description),
    fields: within(schema, deeper(place)),
  }
}

/** The fields of an object, of a list's objects, or of the one object that it may be. */
function within(schema: Schema, place: Place): readonly SchemaField[] {
  if (place.depth > DEEPEST) return []
  if (isSchema(schema.items)) return within(resolved(schema.items, place), deeper(place))
  const options = [...schemasOf(schema.anyOf), ...schemasOf(schema.oneOf)].flatMap((option) => {
    const fields = within(resolved(option, place), deeper(place))
    return fields.length === 0 ? [] : [fields]
  })
  return options.length === 1 ? (options[0] ?? []) : propertiesOf(schema, place)
}

/** Follows references within the document; one that leads nowhere is a schema of anything. */
function resolved(schema: Schema, { root }: Place): Schema {
  let found = schema
  for (let steps = 0; typeof found.$ref === 'string' && steps < 20; steps += 1) {
    const path = found.$ref.replace(/^#\/?/, '').split('/').filter(Boolean)
    if (!found.$ref.startsWith('#')) return {}
    let at: unknown = root
    for (const part of path) at = isSchema(at) ? at[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined
    found = isSchema(at) ? at : {}
  }
  return found
}

const KINDS: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'nothing (null)',
}

function kindOf(schema: Schema, place: Place): string {
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return anyOf(schema.enum.map((value) => JSON.stringify(value)))
  const options = [...schemasOf(schema.anyOf), ...schemasOf(schema.oneOf)]
  if (options.length > 0 && place.depth <= DEEPEST) {
    return anyOf(options.map((option) => kindOf(resolved(option, place), deeper(place))))
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  return anyOf(types.map((type) => kindOfType(type, schema, place)))
}

function kindOfType(type: unknown, schema: Schema, place: Place): string {
  if (type === 'array') {
    if (!isSchema(schema.items) || place.depth > DEEPEST) return 'a list'
    return `a list, each ${kindOf(resolved(schema.items, place), deeper(place))}`
  }
  if (type === 'object' || (type === undefined && isSchema(schema.properties))) {
    const others = schema.additionalProperties
    if (isSchema(schema.properties) || !isSchema(others) || Object.keys(others).length === 0) return 'an object'
    return `an object of any names, each ${kindOf(resolved(others, place), deeper(place))}`
  }
  return KINDS[String(type)] ?? 'anything'
}

function anyOf(words: readonly string[]): string {
  const different = [...new Set(words)]
  return different.length < 2
    ? (different[0] ?? 'nothing')
    : `${different.slice(0, -1).join(', ')} or ${different.at(-1)}`
}

function boundsOf(schema: Schema): string[] {
  const format = textOf(schema.format)
  const pattern = textOf(schema.pattern)
  return [
    range(schema.minimum, schema.maximum, ''),
    typeof schema.exclusiveMinimum === 'number' ? `more than ${schema.exclusiveMinimum}` : null,
    typeof schema.exclusiveMaximum === 'number' ? `less than ${schema.exclusiveMaximum}` : null,
    typeof schema.multipleOf === 'number' ? `a multiple of ${schema.multipleOf}` : null,
    schema.minLength === 1 && schema.maxLength === undefined
      ? 'not empty'
      : range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' entries'),
    schema.uniqueItems === true ? 'each only once' : null,
    format === null ? null : `a ${format}`,
    pattern === null ? null : `matching ${pattern}`,
    'default' in schema ? `${JSON.stringify(schema.default)} where omitted` : null,
  ].filter((bound) => bound !== null)
}

function range(least: unknown, most: unknown, unit: string): string | null {
  const [from, to] = [typeof least === 'number' ? least : null, typeof most === 'number' ? most : null]
  if (from !== null && to !== null) return from === to ? `exactly ${from}${unit}` : `from ${from} to ${to}${unit}`
  if (from !== null) return `at least ${from}${unit}`
  return to === null ? null : `at most ${to}${unit}`
}
