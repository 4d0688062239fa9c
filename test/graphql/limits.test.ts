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

test('20 drafts and specs are allowed and 21 are not, aliases and fragments counted', () => {
  const definitions = buildSchema(
    'type Query { definition: Definition } type Definition { draft: Int, draftIssues: Int }',
  )
  const found = (count: number) =>
    validate(
      definitions,
      parseDocument(
        `{ ${Array.from({ length: count - 1 }, (_, index) => `d${index}: definition { draft }`).join(' ')} definition { ...f } }
         fragment f on Definition { draftIssues }`,
      ),
      [complexityRule],
    )
  expect(found(20)).toEqual([])
  const [error] = found(21)
  expect(error?.extensions.code).toBe('TOO_COMPLEX')
  expect(error?.message).toBe(
    'The operation names 21 drafts and specs (draft, draftIssues, draftWarnings, spec); at most 20 are allowed. Read many by nodes(ids), or split it.',
  )
})

const chain = (length: number) =>
  Array.from({ length }, (_, index) => `fragment f${index} on Query { ...f${index + 1} }`).join(' ')

test.each([
  ['a chain of fragments', `{ ...f0 } ${chain(3000)} fragment f3000 on Query { b }`],
  ['a chain of fragments that nobody uses', `{ b } ${chain(3000)} fragment f3000 on Query { b }`],
  ['a circle of fragments', `{ ...f0 } ${chain(3000)} fragment f3000 on Query { ...f0 }`],
  [
    'fragments that each nest somewhat',
    `{ ...f0 } ${Array.from({ length: 90 }, (_, index) => `fragment f${index} on Query { ${'... { '.repeat(50)} ...f${index + 1} ${'} '.repeat(50)} }`).join(' ')} fragment f90 on Query { b }`,
  ],
  ['inline fragments', `{ ${'... { '.repeat(900)} b ${'}'.repeat(900)} }`],
  ['fields', nested(900)],
  ['a list in an argument', `{ b(x: ${'['.repeat(900)}${']'.repeat(900)}) }`],
  ['an object in an argument', `{ b(x: ${'{a: '.repeat(900)}1${'}'.repeat(900)}) }`],
  ['the type of a variable', `query ($x: ${'['.repeat(900)}Int${']'.repeat(900)}) { b }`],
])('%s too deep is refused as it is read', (_name, source) => {
  expect(() => parseDocument(source)).toThrow(
    expect.objectContaining({ name: 'GraphQLError', extensions: { code: 'TOO_COMPLEX' } }),
  )
})

test('a chain of 100 fragments is read, and so is a literal of params as deep as any may be', () => {
  expect(problems(`{ ...f0 } ${chain(99)} fragment f99 on Query { b }`)).toEqual([])
  const params = `${'{a: '.repeat(32)}1${'}'.repeat(32)}`
  const input = `{spec: {phases: [{steps: [{params: ${params}}]}]}}`
  expect(() => parseDocument(`mutation { a { a { a { b(input: ${input}) } } } }`)).not.toThrow()
})

test('introspection is within the limits', () => {
  const document = parseDocument(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true }))
  expect(validate(schema, document, [...specifiedRules, complexityRule])).toEqual([])
})
