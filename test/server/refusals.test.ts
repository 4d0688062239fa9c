import { on, once } from 'node:events'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { systemClock } from '../../src/runner/clock.ts'
import { testDatabase } from '../support/database.ts'
import { wiredApi } from './wired-api.ts'

const { db } = await testDatabase()
const log = pino({ level: 'silent' })
const url = await wiredApi({ db, clock: systemClock, log })

type Refused = { errors?: { extensions?: { code?: unknown } }[] }

async function ask(
  query: string,
  { token = 'admin', accept = 'application/json' }: { token?: string | null; accept?: string } = {},
) {
  const headers = {
    'content-type': 'application/json',
    accept,
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  }
  const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
  const { errors = [] } = (await answer.json()) as Refused
  return { status: answer.status, headers: answer.headers, codes: errors.map((error) => error.extensions?.code) }
}

const codes = async (query: string, token: string | null = 'admin') => (await ask(query, { token })).codes

/** What a socket answers to a query first; it has to stay open. */
async function socketCodes(query: string): Promise<unknown[]> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  onTestFinished(() => socket.terminate())
  const frames = on(socket, 'message')
  const next = async () => JSON.parse(String((await frames.next()).value?.[0]))
  const send = (message: object) => socket.send(JSON.stringify(message))
  await once(socket, 'open')
  send({ type: 'connection_init', payload: { authorization: 'Bearer admin' } })
  expect(await next()).toEqual({ type: 'connection_ack' })
  send({ id: '1', type: 'subscribe', payload: { query } })
  const { type, payload } = await next()
  expect(type).toBe('error')
  send({ type: 'ping' })
  expect(await next()).toEqual({ type: 'pong' })
  return payload.map((error: { extensions: unknown }) => error.extensions)
}

const chain = `{ ...f0 } ${Array.from({ length: 3000 }, (_, n) => `fragment f${n} on Query { ...f${n + 1} }`).join(' ')} fragment f3000 on Query { viewer { name } }`

test.each([
  ['a chain of 3,000 fragments', chain],
  ['thousands of inline fragments', `{ ${'... { '.repeat(3000)} viewer { name } ${'}'.repeat(3000)} }`],
  ['a list of thousands of levels', `{ node(id: ${'['.repeat(3000)}${']'.repeat(3000)}) { id } }`],
  ['a type of thousands of levels', `query ($a: ${'['.repeat(3000)}Int${']'.repeat(3000)}) { viewer { name } }`],
])('%s is too complex, over HTTP and over WebSocket', async (_name, query) => {
  expect(await codes(query)).toEqual(['TOO_COMPLEX'])
  expect(await socketCodes(query)).toEqual([{ code: 'TOO_COMPLEX' }])
})

test('thousands of directives, operations and variables are refused in time', async () => {
  const many = (count: number, one: (index: number) => string) =>
    Array.from({ length: count }, (_, n) => one(n)).join(' ')
  expect(new Set(await codes(`{ viewer { name ${many(16_000, () => '@a')} } }`))).toEqual(new Set(['BAD_USER_INPUT']))
  expect(await codes(many(10_000, (n) => `query a${n} { viewer { name } }`))).toEqual(['BAD_USER_INPUT'])
  const variables = await codes(`query (${many(5_000, (n) => `$a${n}: Int`)}) { viewer { name } }`)
  expect(new Set(variables)).toEqual(new Set(['BAD_USER_INPUT']))
})

test.each([
  ['UNAUTHENTICATED', '{ runs { totalCount } }', null, 401, 401],
  ['FORBIDDEN', 'mutation { pauseRun(input: { id: "run_x" }) { __typename } }', 'viewer', 200, 403],
  ['BAD_USER_INPUT', '{ nope }', 'admin', 200, 400],
  ['TOO_COMPLEX', '{ run(id: "x") { steps { run { steps { run { steps { id } } } } } } }', 'admin', 200, 400],
])('%s has one status for JSON and one for GraphQL over HTTP', async (code, query, token, json, spec) => {
  for (const [accept, status] of [
    ['application/json', json],
    ['*/*', json],
    ['application/graphql-response+json', spec],
  ] as const) {
    const answer = await ask(query, { token, accept })
    expect(answer).toMatchObject({ status, codes: [code] })
    expect(answer.headers.get('www-authenticate')).toBe(code === 'UNAUTHENTICATED' ? 'Bearer' : null)
  }
})
