import { expect, test } from 'vitest'
import { sizeOf } from '../../src/graphql/answer-size.ts'
import { testDatabase } from '../support/database.ts'
import { Client } from './client.ts'

const { db } = await testDatabase()
const client = new Client(db)

const CREATE = `mutation ($input: CreateDefinitionInput!) {
  createDefinition(input: $input) { ... on CreateDefinitionPayload { definition { id draft { asInput } } } } }`

/** A definition whose draft is as large as a request lets it be. */
async function create(slug: string, steps: { count: number; message: string }) {
  const step = { actionId: 'core.log', params: { message: steps.message } }
  const spec = {
    schedule: { manual: true },
    phases: [{ key: 'main', steps: Array.from({ length: steps.count }, () => step) }],
  }
  return client.query(CREATE, { input: { slug, title: 'Large', spec } })
}

const times = (count: number, field: string) => Array.from({ length: count }, (_, n) => `a${n}: ${field}`).join(' ')

await create('long', { count: 200, message: 'x'.repeat(4_500) })
await create('many', { count: 10_000, message: '' })

test.each([
  ['one draft under many names', 'long', times(450, 'asInput')],
  ['the params of its steps', 'long', times(400, 'phases { steps { params } }')],
  ['small values of very many steps', 'many', times(400, 'phases { steps { actionId } }')],
])('%s that are too much for one answer are refused, with one error and no data', async (_name, slug, fields) => {
  const result = await client.execute(`{ definition(slug: "${slug}") { draft { ${fields} } } }`)
  expect(result).toEqual({ errors: [expect.objectContaining({ extensions: { code: 'TOO_COMPLEX' } })] })
  expect(result.errors?.[0]?.message).toContain('larger than 33554432 characters; ask for less at a time.')
  expect(client.faults).toEqual([])
})

test('one text under many names counts as often as it is answered, and so does checking a draft', async () => {
  const input = {
    slug: 'told',
    title: 'Told',
    description: 'x'.repeat(900_000),
    spec: { schedule: { manual: true }, phases: [] },
  }
  await client.query(CREATE, { input })
  const error = await client.error(`{ definition(slug: "told") { ${times(100, 'description')} } }`)
  expect(error.extensions.code).toBe('TOO_COMPLEX')
  const checks = await client.error(`{ definition(slug: "long") { ${times(20, 'draftIssues { path }')} } }`)
  expect(checks.extensions.code).toBe('TOO_COMPLEX')
})

test('20 of the largest drafts fit into one answer', async () => {
  const { data, errors } = await client.execute(`{ ${times(20, 'definition(slug: "long") { draft { asInput } }')} }`)
  expect(errors).toBeUndefined()
  expect(Object.keys(data ?? {})).toHaveLength(20)
})

test('a mutation whose answer would be too large is done all the same, and says so', async () => {
  const fields = times(450, 'asInput')
  const input = {
    slug: 'done',
    title: 'Done',
    spec: {
      schedule: { manual: true },
      phases: [{ key: 'a', steps: [{ actionId: 'a', params: { m: 'x'.repeat(500_000) } }] }],
    },
  }
  const error = await client.error(
    `mutation ($input: CreateDefinitionInput!) { createDefinition(input: $input) {
      ... on CreateDefinitionPayload { definition { draft { ${fields} } } } } }`,
    { input },
  )
  expect(error.message).toContain('If it was a mutation, it was done.')
  expect((await client.query('{ definition(slug: "done") { title } }')).text('definition', 'title')).toBe('Done')
})

test('a value is about as large as its JSON', () => {
  const value = { a: ['text', 1, true, null], b: { c: 'x'.repeat(1_000) } }
  const { length } = JSON.stringify(value)
  expect(sizeOf(value)).toBeGreaterThan(length * 0.9)
  expect(sizeOf(value)).toBeLessThan(length * 1.1)
})
