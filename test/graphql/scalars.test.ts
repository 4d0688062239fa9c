import { GraphQLScalarType, parseValue } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../src/graphql/schema.ts'

function scalar(name: string): GraphQLScalarType {
  const type = schema.getType(name)
  if (!(type instanceof GraphQLScalarType)) throw new Error(`${name} is no scalar`)
  return type
}
const taken = (name: string, value: unknown) => scalar(name).parseValue(value)
const literal = (name: string, source: string) => scalar(name).parseLiteral(parseValue(source))

test('DateTime is answered in UTC with milliseconds', () => {
  expect(scalar('DateTime').serialize(new Date(Date.UTC(2026, 9, 25, 20)))).toBe('2026-10-25T20:00:00.000Z')
})

test.each([
  ['2026-10-25T20:00:00Z', '2026-10-25T20:00:00.000Z'],
  ['2026-10-25t22:00:00.5+02:00', '2026-10-25T20:00:00.500Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
])('DateTime takes %s', (text, iso) => {
  expect(taken('DateTime', text)).toEqual(new Date(iso))
  expect(literal('DateTime', JSON.stringify(text))).toEqual(new Date(iso))
})

test.each([
  '2026-10-25',
  '2026-10-25T20:00Z',
  '2026-10-25T20:00:00',
  '2026-02-30T20:00:00Z',
  '2026-10-25T24:00:01Z',
  '2026-10-25T20:00:00+25:00',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+10:00',
  'tomorrow',
  '',
  1_700_000_000_000,
  null,
])('DateTime does not take %j', (value) => {
  expect(() => taken('DateTime', value)).toThrow('RFC 3339')
})

test.each(['LocalDateTime', 'TimeZone', 'Duration'])('%s takes any string and nothing else', (name) => {
  expect(taken(name, 'soon, I guess')).toBe('soon, I guess')
  expect(literal(name, '"soon"')).toBe('soon')
  expect(() => taken(name, 7)).toThrow(`${name} is a string`)
  expect(() => literal(name, '7')).toThrow()
})

test('JSONObject takes objects and refuses the rest', () => {
  expect(taken('JSONObject', { a: [1, { b: null }] })).toEqual({ a: [1, { b: null }] })
  expect(literal('JSONObject', '{ a: [1, 2.5, true, null, "x", ENUM] }')).toEqual({
    a: [1, 2.5, true, null, 'x', 'ENUM'],
  })
  for (const value of [[], 'x', 1, null, true])
    expect(() => taken('JSONObject', value)).toThrow('JSONObject is an object')
  expect(() => literal('JSONObject', '[1]')).toThrow('JSONObject is an object')
})

test('JSONObject is bounded in depth, and keys of prototypes are only keys', () => {
  const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
  expect(taken('JSONObject', nested(32))).toEqual(nested(32))
  expect(() => taken('JSONObject', nested(33))).toThrow('at most 32 levels deep')
  const hostile = literal('JSONObject', '{ __proto__: { admin: true }, constructor: 1 }')
  expect(Object.keys(Object(hostile))).toEqual(['__proto__', 'constructor'])
  expect(Reflect.get({}, 'admin')).toBeUndefined()
})

test('JSONObject takes no number that would be kept as null', () => {
  expect(() => taken('JSONObject', JSON.parse('{"level": [1e999]}'))).toThrow('too large to be kept')
  expect(() => literal('JSONObject', '{level: -1e999}')).toThrow('too large to be kept')
  expect(taken('JSONObject', { level: 1e308 })).toEqual({ level: 1e308 })
})
