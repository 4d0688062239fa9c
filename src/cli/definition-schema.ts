import {
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'

import { FIELD_BOUNDS, SCALAR_BOUNDS } from './definition-bounds.ts'

type Json = Record<string, unknown>

/** Scalars whose values are no texts. */
const SCALARS: Readonly<Record<string, Json>> = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  JSONObject: { type: 'object' },
}

/**
 * The JSON Schema (draft 7, which editors know best) of an input of the API, as files hold it, with the bounds that
 * publishing sets.
 */
export function jsonSchemaOf(schema: GraphQLSchema, name: string): Json {
  const definitions: Record<string, Json> = {}
  const refer = (type: GraphQLInputType): Json => {
    if (isNonNullType(type)) return refer(type.ofType)
    if (isListType(type)) return { type: 'array', items: refer(type.ofType) }
    if (isEnumType(type)) return { enum: type.getValues().map((value) => value.name) }
    if (!isInputObjectType(type)) return { ...(SCALARS[type.name] ?? { type: 'string' }), ...SCALAR_BOUNDS[type.name] }
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
          fields.map((field) => {
            const held = { ...refer(field.type), ...FIELD_BOUNDS[`${type.name}.${field.name}`] }
            return [field.name, { description: field.description, allOf: [held] }]
          }),
        ),
      })
    }
    return { $ref: `#/definitions/${type.name}` }
  }
  const type = schema.getType(name)
  if (!isInputObjectType(type)) throw new Error(`${name} is no input of the API.`)
  const whole = refer(type)
  // By which a file of JSON names its schema.
  Object.assign(definitions[name]?.properties ?? {}, { $schema: { type: 'string' } })
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'An event of Cuelight',
    ...whole,
    definitions,
  }
}
