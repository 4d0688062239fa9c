import { buildSchema, getIntrospectionQuery, specifiedRules, validate } from 'graphql'
import { expect, test } from 'vitest'
import { complexityRule, parseDocument } from '../../src/graphql/limits.ts'
import { schema } from '../../src/graphql/schema.ts'

const deep = buildSchema('type Query { a: Query, b: Int }')
const problems = (source: string) => validate(deep, parseDocument(source), [complexityRule])
const nested = (depth: number) => `${'{ a '.repeat(depth - 1)}{ b }${' }'.repeat(depth - 1)}`

test('16 fields deep is allowed and 17 is not', () => {
  expect(problems(nested(16))).toEqual([])
  const [error] = problems(nested(17))
  expect(error?.extensions.code).toBe('TOO_COMPLEX')
  expect(error?.message).toBe(
    'The operation nests 17 fields deep; at most 16 are allowed. Ask for the deeper parts by their ids.',
  )
})

test('depth counts through fragments', () => {
  const [error] = problems(`{ a { ...f } } fragment f on Query ${nested(16)}`)
  expect(error?.message).toContain('nests 17 fields deep')
})

test('2,000 fields are allowed and 2,001 are not, aliases counted', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}: b`).join(' ')
  expect(problems(`{ ${fields(2000)} }`)).toEqual([])
  expect(problems(`{ ${fields(2001)} }`)[0]?.message).toBe(
    'The operation has 2001 fields; at most 2000 are allowed. Split it.',
  )
})

test('fragments that double each other are counted in full and in no time', () => {
  const bomb = Array.from(
    { length: 60 },
    (_, index) => `fragment f${index} on Query { ...f${index + 1} ...f${index + 1} }`,
  )
  const started = performance.now()
  const [error] = problems(`{ ...f0 } ${bomb.join(' ')} fragment f60 on Query { b }`)
  expect(error?.extensions.code).toBe('TOO_COMPLEX')
  // Counted one by one, they would take until the sun is cold.
  expect(performance.now() - started).toBeLessThan(30_000)
})

test('a fragment within itself does not hang', () => {
  expect(problems('{ ...f } fragment f on Query { a { ...f } }')).toEqual([])
})

test('a document of nothing but brackets is refused, and not a crash', () => {
  expect(() => parseDocument('{a'.repeat(200_000))).toThrow(expect.objectContaining({ name: 'GraphQLError' }))
  expect(() => parseDocument(`{ a(x: ${'['.repeat(40_000)}`)).toThrow(expect.objectContaining({ name: 'GraphQLError' }))
})

test('introspection is within the limits', () => {
  const document = parseDocument(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true }))
  expect(validate(schema, document, [...specifiedRules, complexityRule])).toEqual([])
})
