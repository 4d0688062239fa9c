import { getIntrospectionQuery } from 'graphql'
import { expect, test } from 'vitest'
import { parseDocument } from '../../src/graphql/limits.ts'
import { rowRefusal } from '../../src/graphql/row-limit.ts'
import { schema } from '../../src/graphql/schema.ts'

const refusal = (source: string, variables = {}) => rowRefusal(schema, { document: parseDocument(source), variables })
const nested = (outer: string, inner: string) =>
  `query ($n: Int) { definitions${outer} { edges { node { runs${inner} { edges { node { id } } } } } } }`

test('one level of pages is always allowed, and two of a usual size', () => {
  expect(refusal('{ runs(first: 500) { edges { node { id } } } }')).toBeNull()
  expect(refusal(nested('', ''))).toBeNull()
})

test('pages multiply: 500 definitions with 200 runs each are too many', () => {
  expect(refusal(nested('(first: 500)', '(first: 199)'))).toBeNull()
  const error = refusal(nested('(first: 500)', '(last: 200)'))
  expect(error?.extensions.code).toBe('TOO_COMPLEX')
  expect(error?.message).toContain('up to 100500 entries')
})

test('the size in a variable counts, and so does what nobody gave', () => {
  expect(refusal(nested('(first: $n)', '(first: 500)'), { n: 500 })).not.toBeNull()
  expect(refusal(nested('(first: $n)', '(first: 500)'), { n: 10 })).toBeNull()
  expect(refusal(nested('(first: 500)', '(first: $n)'), {})?.message).toBeUndefined()
  expect(
    refusal('{ runs { edges { node { definition { runs { edges { node { log { totalCount } } } } } } } } }'),
  ).not.toBeNull()
})

test('fragments, aliases and nodes hide nothing', () => {
  const fragments = `{ definitions(first: 500) { ...page } }
    fragment page on QueryDefinitionsConnection { edges { node { ... on EventDefinition { a: runs { ...runs } b: runs { ...runs } } } } }
    fragment runs on EventDefinitionRunsConnection { edges { node { id } } }`
  expect(refusal(fragments)?.message).toContain('up to 100500 entries')
  const ids = Array.from({ length: 400 }, () => '"run_x"')
  expect(refusal(`{ nodes(ids: [${ids}]) { ... on Run { log(first: 500) { totalCount } } } }`)).not.toBeNull()
})

test('lists without pages count, so that steps of runs of steps are too many, and what a dashboard shows is not', () => {
  expect(refusal('{ run(id: "x") { steps { run { steps { run { steps { id } } } } } } }')).not.toBeNull()
  expect(refusal('{ run(id: "x") { steps { run { steps { id } } } } }')).not.toBeNull()
  expect(refusal('{ cues { run { steps { run { cues { id } } } } } }')).not.toBeNull()
  const shown =
    '{ id status steps { id status cue { id } } cues { id } gates { phase } budget { dimension } stepCounts { count } }'
  expect(refusal(`{ runs(first: 100) { edges { node ${shown} } } }`)).toBeNull()
  expect(
    refusal(
      '{ definitions { edges { node { draft { phases { steps { actionId } } } currentVersion { version } } } } }',
    ),
  ).toBeNull()
})

test('introspection as tools ask for it is allowed, and within itself again it is not', () => {
  expect(refusal(getIntrospectionQuery())).toBeNull()
  expect(refusal('{ __schema { types { fields { type { ofType { fields { type { name } } } } } } } }')).not.toBeNull()
})

const names = (field: string) => Array.from({ length: 1900 }, (_, index) => `a${index}: ${field}`).join(' ')

test('many names for one field multiply with the entries of lists', () => {
  const error = refusal(`{ runs(first: 500) { edges { node { gates { ${names('id')} } } } } }`)
  expect(error?.extensions.code).toBe('TOO_COMPLEX')
  expect(error?.message).toContain('values in its lists; at most 1000000 are allowed')
  expect(refusal(`{ runs(first: 100) { edges { node { ${names('id')} } } } }`)).toBeNull()
})

test('introspection under many names is refused, and that of every tool is not', () => {
  expect(
    refusal(
      `{ __schema { types { fields { type { ofType { fields { type { ofType { ${names('name')} } } } } } } } } }`,
    ),
  ).not.toBeNull()
  const everything = { inputValueDeprecation: true, oneOf: true, schemaDescription: true, specifiedByUrl: true }
  expect(refusal(getIntrospectionQuery(everything))).toBeNull()
})
