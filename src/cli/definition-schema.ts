import {
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'

type Json = Record<string, unknown>

/** Scalars whose values are no texts. */
const SCALARS: Readonly<Record<string, Json>> = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  JSONObject: { type: 'object' },
}

/** The JSON Schema (draft 7, which editors know best) of an input of the API, as files hold it. */
export function jsonSchemaOf(schema: GraphQLSchema, name: string): Json {
  const definitions: Record<string, Json> = {}
  const refer = (type: GraphQLInputType): Json => {
    if (isNonNullType(type)) return refer(type.ofType)
    if (isListType(type)) return { type: 'array', items: refer(type.ofType) }
    if (isEnumType(type)) return { enum: type.getValues().map((value) => value.name) }
    if (!isInputObjectType(type)) return { ...(SCALARS[type.name] ?? { type: 'string' }) }
    if (definitions[type.name] === undefined) {
      const shape: Json = {}
      definitions[type.name] = shape
      const fields = Object.values(type.getFields())
      const required = fields.filter((field) => isNonNullType(field.type)).map((field) => field.name)
      Object.assign(shape, {
        description: type.description,
        type: 'object',
        additionalProperties: false,
        ...(type.isOneOf ? { minProperties: 1, maxProperties: 1 } : { required }),
        properties: Object.fromEntries(
          fields.map((field) => [field.name, { description: field.description, allOf: [refer(field.type)] }]),
        ),
      })
    }
    return { $ref: `#/definitions/${type.name}` }
  }
  const type = schema.getType(name)
  if (!isInputObjectType(type)) throw new Error(`${name} is no input of the API.`)
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'An event of Cuelight',
    ...refer(type),
    definitions,
  }
}
