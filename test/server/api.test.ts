import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { IntlZones } from '../../src/domain/recurrence/intl-zones.ts'
import { Registry } from '../../src/modules/registry.ts'
import { systemClock } from '../../src/runner/clock.ts'
import { createApi } from '../../src/server/api.ts'
import { createHttpServer } from '../../src/server/http.ts'
import { Changes } from '../../src/store/changes.ts'
import { testDatabase } from '../support/database.ts'

const { db } = await testDatabase()
const log = pino({ level: 'silent' })
const registry = new Registry()
const server = createHttpServer({
  api: createApi({
    control: { db, changes: new Changes(), clock: systemClock, catalog: registry, zones: new IntlZones() },
    registry,
    log,
  }),
  authenticate: async (authorization) => {
    if (authorization === null) return { kind: 'anonymous' }
    const role = authorization.endsWith('viewer') ? 'VIEWER' : 'ADMIN'
    return { kind: 'caller', caller: { actor: { kind: 'TOKEN', name: role }, role } }
  },
  readiness: async () => ({ ready: true, reasons: [], warnings: [] }),
  zoneData: 'none',
  allowedOrigins: [],
  log,
})
const url = await server.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => server.close())

async function codes(query: string, token: string | null = 'admin'): Promise<unknown[]> {
  const headers = {
    'content-type': 'application/json',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  }
  const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
  const { errors = [] } = (await answer.json()) as { errors?: { extensions?: { code?: unknown } }[] }
  return errors.map((error) => error.extensions?.code)
}

const deep = `{ node(id: "x") { ${'... on Run { steps { run { '.repeat(9)} id ${'} } }'.repeat(9)} } }`

test.each([
  ['an unknown field', '{ nope }', 'BAD_USER_INPUT'],
  ['a syntax error', '{ viewer { ', 'BAD_USER_INPUT'],
  ['a document that is too deep', deep, 'TOO_COMPLEX'],
  [
    'too many fields',
    `{ ${Array.from({ length: 2100 }, (_, n) => `a${n}: viewer { name }`).join(' ')} }`,
    'TOO_COMPLEX',
  ],
  ['too many entries', '{ run(id: "x") { steps { run { steps { run { steps { id } } } } } } }', 'TOO_COMPLEX'],
  ['too large a page', '{ runs(first: 501) { edges { cursor } } }', 'BAD_USER_INPUT'],
])('%s is answered with its code over HTTP', async (_name, query, code) => {
  const answered = await codes(query)
  expect(answered.length).toBeGreaterThan(0)
  expect(new Set(answered)).toEqual(new Set([code]))
})

test('who may not is told so over HTTP', async () => {
  expect(await codes('{ runs { totalCount } }', null)).toEqual(['UNAUTHENTICATED'])
  expect(await codes('mutation { pauseRun(input: { id: "run_x" }) { __typename } }', 'viewer')).toEqual(['FORBIDDEN'])
  expect(await codes('{ viewer { name } }', null)).toEqual([])
})
