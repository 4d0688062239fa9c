import { once } from 'node:events'
import { beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { formatId } from '../../src/domain/ids.ts'
import { createLogger } from '../../src/server/logger.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { insertEvent, insertRun } from '../graphql/fixtures.ts'
import { testDatabase } from '../support/database.ts'
import { wiredApi } from './wired-api.ts'

const { db } = await testDatabase()
const logged: string[] = []
const log = createLogger(
  { level: 'error', format: 'json' },
  { destination: { write: (line) => void logged.push(line) } },
)
const clock = new FakeClock('2026-03-06T20:00:00Z')
const url = await wiredApi({ db, clock, log })
beforeEach(() => {
  logged.length = 0
})

type Failure = { message: string; extensions?: { code?: unknown; id?: unknown } }

/** What a client gets, as it comes over the wire. */
type Ask = (query: string, token: string | null) => Promise<string>

const overHttp: Ask = async (query, token) => {
  const headers = {
    'content-type': 'application/json',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  }
  const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
  return answer.text()
}

const overWebSocket: Ask = async (query, token) => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  try {
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }))
    expect(JSON.parse(String((await once(socket, 'message'))[0]))).toEqual({ type: 'connection_ack' })
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }))
    return String((await once(socket, 'message'))[0])
  } finally {
    socket.terminate()
  }
}

/** The errors of an answer over HTTP, of a message "next", or of one "error". */
function failuresIn(text: string): Failure[] {
  const answer: { errors?: Failure[]; type?: string; payload?: { errors?: Failure[] } | Failure[] } = JSON.parse(text)
  if (Array.isArray(answer.payload)) return answer.payload
  return answer.errors ?? answer.payload?.errors ?? []
}

const deep = `{ node(id: "x") { ${'... on Run { steps { run { '.repeat(9)} id ${'} } }'.repeat(9)} } }`

describe.each([
  ['HTTP', overHttp],
  ['a WebSocket', overWebSocket],
])('over %s', (_transport, ask) => {
  const codes = async (query: string, token: string | null = 'admin') =>
    failuresIn(await ask(query, token)).map((error) => error.extensions?.code)

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
    ['a run that is not there', 'subscription { runLog(runId: "run_x") { cursor } }', 'NOT_FOUND'],
  ])('%s is answered with its code', async (_name, query, code) => {
    const answered = await codes(query)
    expect(answered.length).toBeGreaterThan(0)
    expect(new Set(answered)).toEqual(new Set([code]))
    expect(logged).toEqual([])
  })

  test('who may not is told so', async () => {
    const mutation = 'mutation { pauseRun(input: { id: "run_x" }) { __typename } }'
    expect(await codes(mutation, 'viewer')).toEqual(['FORBIDDEN'])
    expect(await codes('{ viewer { name } }', 'viewer')).toEqual([])
  })

  test('a fault of the server is masked, and in its log under the id that the client got', async () => {
    const runId = formatId('Run', await insertRun(db, await insertEvent(db)))
    clock.now = () => {
      throw new Error('planted: the clock fell off the wall')
    }
    try {
      const text = await ask(`{ run(id: "${runId}") { status waitingOn { kind } } }`, 'admin')
      const [failure, ...others] = failuresIn(text)
      expect(others).toEqual([])
      expect(failure?.extensions).toEqual({
        code: 'INTERNAL_SERVER_ERROR',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      })
      expect(failure?.message).toContain(failure?.extensions?.id)
      expect(text).not.toMatch(/planted|clock|stack|\.ts/)
      expect(logged.map((line) => JSON.parse(line))).toEqual([
        expect.objectContaining({
          id: failure?.extensions?.id,
          err: expect.objectContaining({ message: expect.stringContaining('planted') }),
        }),
      ])
    } finally {
      Reflect.deleteProperty(clock, 'now')
    }
  })
})

test('who has no token is told so over HTTP', async () => {
  const codes = async (query: string) => failuresIn(await overHttp(query, null)).map((error) => error.extensions?.code)
  expect(await codes('{ runs { totalCount } }')).toEqual(['UNAUTHENTICATED'])
  expect(await codes('{ viewer { name } }')).toEqual([])
})
