import { GraphQLError, specifiedRules, validate } from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { formatId } from '../../src/domain/ids.ts'
import { parseDocument } from '../../src/graphql/limits.ts'
import { maskError } from '../../src/graphql/request-errors.ts'
import { schema } from '../../src/graphql/schema.ts'
import type { Database } from '../../src/store/database.ts'
import { testDatabase } from '../support/database.ts'
import { Client } from './client.ts'
import { insertEvent, insertRun } from './fixtures.ts'

let db: Database
beforeAll(async () => {
  ;({ db } = await testDatabase())
})

test('a fault is masked, and told under the id that the client got', async () => {
  const runId = await insertRun(db, await insertEvent(db))
  const client = new Client(db)
  client.control.clock.now = () => {
    throw new Error('the clock fell off the wall: secret')
  }
  const { errors, data } = await client.execute(
    `{ run(id: "${formatId('Run', runId)}") { status waitingOn { kind } } }`,
  )
  expect(errors).toHaveLength(1)
  const [error] = errors ?? []
  expect(error?.extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', id: client.faults[0]?.id })
  expect(error?.path).toEqual(['run', 'waitingOn'])
  expect(JSON.stringify(errors)).not.toContain('secret')
  expect(String(client.faults[0]?.error)).toContain('secret')
  expect(data).toEqual({ run: { status: 'SCHEDULED', waitingOn: null } })
})

test('fields of one answer that meet the same fault are told of once', async () => {
  const runId = await insertRun(db, await insertEvent(db))
  const client = new Client(db)
  client.control.clock.now = () => {
    throw new Error('the clock fell off the wall')
  }
  const { errors = [] } = await client.execute(
    `{ one: run(id: "${formatId('Run', runId)}") { waitingOn { kind } } two: run(id: "${formatId('Run', runId)}") { waitingOn { kind } } }`,
  )
  expect(errors).toHaveLength(2)
  expect(client.faults).toHaveLength(1)
  expect(new Set(errors.map(({ extensions }) => extensions.id))).toEqual(new Set([client.faults[0]?.id]))
})

test('a database that is gone is a fault like any other, in a subscription too', async () => {
  const other = await testDatabase()
  const runId = await insertRun(other.db, await insertEvent(other.db))
  await other.drop()
  const client = new Client(other.db)
  const query = await client.error('{ definitions { totalCount } }')
  expect(query.extensions.code).toBe('INTERNAL_SERVER_ERROR')
  expect(query.message).toContain(String(query.extensions.id))
  const refused = await client.subscribe(`subscription { runLog(runId: "${formatId('Run', runId)}") { cursor } }`)
  expect(refused).toMatchObject({ errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }] })
  expect(client.faults).toHaveLength(2)
})

test.each([
  ['{ runs(first: "ten") { totalCount } }', {}],
  ['{ nope }', {}],
  ['query ($at: DateTime) { runs(filter: { scheduledFrom: $at }) { totalCount } }', { at: 'yesterday' }],
  ['query ($filter: RunFilter) { runs(filter: $filter) { totalCount } }', { filter: { status: ['ASLEEP'] } }],
  ['query ($first: Int) { runs(first: $first) { totalCount } }', { first: 3_000_000_000 }],
  ['query ($id: ID!) { run(id: $id) { id } }', {}],
  [
    'mutation ($deep: JSONObject) { startRun(input: { definitionId: "x", params: { a: $deep } }) { __typename } }',
    { deep: JSON.parse(`${'{"a":'.repeat(32)}1${'}'.repeat(32)}`) },
  ],
  [
    'mutation ($s: ScheduleInput!) { createDefinition(input: { slug: "a", title: "a", spec: { schedule: $s, phases: [] } }) { __typename } }',
    { s: { manual: true, once: { at: 'x' } } },
  ],
])('%s with %j is BAD_USER_INPUT', async (source, variables) => {
  const client = new Client(db)
  const masked = (error: GraphQLError) => maskError(error, (fault) => client.faults.push(fault))
  const document = parseDocument(source)
  const problems = validate(schema, document, specifiedRules)
  const error = problems[0] === undefined ? await client.error(source, variables) : masked(problems[0])
  expect(error.extensions.code).toBe('BAD_USER_INPUT')
  expect(client.faults).toEqual([])
})

test('an answer that cannot be written is a fault of ours and not of the request', () => {
  const at = new Date(Number.NaN)
  const cause = new Error('Invalid time value')
  const faults: unknown[] = []
  const located = new GraphQLError(cause.message, { path: ['run', 'endedAt'], originalError: cause })
  expect(maskError(located, (fault) => faults.push(fault)).extensions.code).toBe('INTERNAL_SERVER_ERROR')
  const unwritable = new GraphQLError(`Int cannot represent ${at}`)
  const wrapped = new GraphQLError(unwritable.message, { path: ['run', 'lastLine'], originalError: unwritable })
  expect(maskError(wrapped, (fault) => faults.push(fault)).extensions.code).toBe('INTERNAL_SERVER_ERROR')
  expect(faults).toHaveLength(2)
})

test('so many equal fields that graphql-js gives up on them are too complex, in a sentence', () => {
  const names = Array.from({ length: 1900 }, (_, index) => `... on Query { a: version b${index}: version }`)
  const problems = validate(schema, parseDocument(`{ ${names.join(' ')} }`), specifiedRules)
  const [error] = problems.map((problem) => maskError(problem, () => {}))
  expect(error?.extensions.code).toBe('TOO_COMPLEX')
  expect(error?.message).toContain('split it')
})
