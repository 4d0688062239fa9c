import { GraphQLError, type ValueNode, valueFromASTUntyped } from 'graphql'
import { parseInstant } from '../domain/instant.ts'
import { isObject } from '../domain/plain-object.ts'
import { hasNumberBeyondJson, MAX_JSON_DEPTH, nestsDeeperThan } from '../domain/storable.ts'
import { builder } from './builder.ts'

const bad = (message: string) => new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })

function instantOf(value: unknown): Date {
  const at = typeof value === 'string' ? parseInstant(value) : null
  if (at !== null) return at
  throw bad(`DateTime is an RFC 3339 instant like "2026-10-25T20:00:00Z" or "…T22:00:00+02:00", not ${quoted(value)}.`)
}

const quoted = (value: unknown) => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

builder.scalarType('DateTime', {
  description:
    'An instant, RFC 3339: answered in UTC with milliseconds ("2026-10-25T20:00:00.000Z"); taken with seconds and with Z or an offset.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  serialize: (value) => value.toISOString(),
  parseValue: instantOf,
})

// A draft may be unfinished: what is wrong with these comes back as an issue with a path, not as a refusal.
const anyString = (name: 'LocalDateTime' | 'TimeZone' | 'Duration', description: string) =>
  builder.scalarType(name, {
    description,
    serialize: (value) => value,
    parseValue: (value) => {
      if (typeof value !== 'string') throw bad(`${name} is a string, not ${quoted(value)}.`)
      return value
    },
  })

anyString(
  'LocalDateTime',
  'A date and time of day without a zone, "2026-10-25T20:00", seconds allowed. Any string is taken; what is wrong with it is an issue with a path.',
)
anyString(
  'TimeZone',
  'The IANA name of a time zone, "Europe/Berlin". Any string is taken; what is wrong with it is an issue with a path.',
)
anyString(
  'Duration',
  'A length of time: "90s", "30m", "1h30m", "1d", or ISO 8601 ("PT30M"). Any string is taken; what is wrong with it is an issue with a path.',
)

function parseJsonObject(value: unknown): Record<string, unknown> {
  if (!isObject(value)) throw bad(`JSONObject is an object with keys, not ${quoted(value)}.`)
  if (nestsDeeperThan(value, MAX_JSON_DEPTH))
    throw bad(`JSONObject nests at most ${MAX_JSON_DEPTH} levels deep; flatten it.`)
  // 1e999 is read as Infinity, which would be kept as null.
  if (hasNumberBeyondJson(value))
    throw bad('JSONObject holds a number that is too large to be kept, such as 1e999; send a smaller one, or a text.')
  return value
}

builder.scalarType('JSONObject', {
  description: `A JSON object. At most ${MAX_JSON_DEPTH} levels deep; numbers are double precision, so that whole ones are exact up to 2^53: send longer ids as texts.`,
  serialize: (value) => value,
  parseValue: parseJsonObject,
  parseLiteral: (node: ValueNode, variables) => parseJsonObject(valueFromASTUntyped(node, variables)),
})
