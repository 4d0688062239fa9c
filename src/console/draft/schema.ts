import { isObject, type JsonObject, listOf, objectOf } from '../definitions/json.ts'

export type Scalar = string | number | boolean | null

/** What a JSON Schema asks for, as far as a form can. */
export type FieldSchema = {
  title: string | null
  description: string | null
} & (
  | { kind: 'text' | 'number' | 'integer' | 'boolean' | 'any' }
  | { kind: 'choice'; options: readonly Scalar[] }
  | { kind: 'object'; fields: readonly NamedField[] }
  | { kind: 'list'; item: FieldSchema }
)

export type NamedField = { name: string; isRequired: boolean; schema: FieldSchema }

/** Deeper ones are written as JSON; a schema may refer to itself. */
const MAX_DEPTH = 4

export function readSchema(schema: unknown, root: JsonObject = objectOf(schema), depth = 0): FieldSchema {
  const part = resolved(schema, root)
  const title = typeof part.title === 'string' ? part.title : null
  const description = typeof part.description === 'string' ? part.description : null
  const options = optionsOf(part)
  if (options !== null) return { title, description, kind: 'choice', options }
  const [type, ...others] = [part.type].flat().filter((one) => one !== 'null')
  if (others.length > 0 || depth > MAX_DEPTH) return { title, description, kind: 'any' }
  switch (type) {
    case 'string':
      return { title, description, kind: 'text' }
    case 'number':
    case 'integer':
    case 'boolean':
      return { title, description, kind: type }
    case 'array':
      return isObject(part.items)
        ? { title, description, kind: 'list', item: readSchema(part.items, root, depth + 1) }
        : { title, description, kind: 'any' }
    case 'object': {
      if (!isObject(part.properties)) return { title, description, kind: 'any' }
      const required = listOf(part.required)
      const fields = Object.entries(part.properties).map(([name, field]) => ({
        name,
        isRequired: required.includes(name),
        schema: readSchema(field, root, depth + 1),
      }))
      // What has to be given comes first.
      return {
        title,
        description,
        kind: 'object',
        fields: fields.sort((a, b) => Number(b.isRequired) - Number(a.isRequired)),
      }
    }
    default:
      return { title, description, kind: 'any' }
  }
}

/** Behind a reference within the schema, or the one of several that is not null. */
function resolved(schema: unknown, root: JsonObject, tries = 5): JsonObject {
  const part = objectOf(schema)
  const next = referred(part, root) ?? onlyOne(part)
  return next === null || tries === 0 ? part : resolved({ ...objectOf(next), ...labels(part) }, root, tries - 1)
}

function referred({ $ref }: JsonObject, root: JsonObject): unknown {
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return null
  const keys = $ref.slice(2).split('/')
  return keys.reduce<unknown>((at, key) => objectOf(at)[key.replaceAll('~1', '/').replaceAll('~0', '~')], root)
}

function onlyOne({ anyOf, oneOf, allOf }: JsonObject): unknown {
  const several = [anyOf, oneOf, allOf].find(Array.isArray)
  const real = listOf(several).filter((one) => objectOf(one).type !== 'null')
  return real.length === 1 ? real[0] : null
}

const labels = ({ title, description }: JsonObject) => ({
  ...(title === undefined ? {} : { title }),
  ...(description === undefined ? {} : { description }),
})

function optionsOf({ enum: values, const: only, anyOf, oneOf }: JsonObject): readonly Scalar[] | null {
  if (Array.isArray(values) && values.every(isScalar)) return values
  if (only !== undefined && isScalar(only)) return [only]
  const each = listOf(anyOf ?? oneOf).map((one) => objectOf(one).const)
  return each.length > 0 && each.every((one) => one !== undefined && isScalar(one)) ? (each as Scalar[]) : null
}

const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== 'object'

/** A place in a payload that a comparison can name, and what stands there. */
export type PayloadField = { path: string; schema: FieldSchema }

/** Every place in an object that has a name, as dotted paths. */
export function payloadFields(schema: unknown): PayloadField[] {
  const walk = (field: FieldSchema, path: string): PayloadField[] =>
    field.kind === 'object'
      ? field.fields.flatMap(({ name, schema: inner }) => walk(inner, path === '' ? name : `${path}.${name}`))
      : path === ''
        ? []
        : [{ path, schema: field }]
  return walk(readSchema(schema), '')
}
