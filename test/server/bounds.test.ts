import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { ExecutionResult } from 'graphql'
import { createClient } from 'graphql-ws'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../support/eventually.ts'
import { AUTHORIZATION, authenticate, Numbers, smallApi, startServer } from './small-api.ts'

type Message = { id?: string; type: string; payload?: unknown }

const addressOf = (url: string) => `${url.replace('http', 'ws')}/graphql`

/** A socket that says nothing by itself. */
async function openSocket(url: string, options: { autoPong?: boolean } = {}) {
  const socket = new WebSocket(addressOf(url), 'graphql-transport-ws', options)
  onTestFinished(() => socket.terminate())
  const closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }))
  await once(socket, 'open')
  const send = (message: Message) => socket.send(JSON.stringify(message))
  const over = closed.then((how) => Promise.reject(new Error(`It was closed: ${JSON.stringify(how)}`)))
  over.catch(() => {})
  const next = async (): Promise<Message> =>
    JSON.parse(String((await Promise.race([once(socket, 'message'), over]))[0]))
  return { socket, closed, send, next }
}

async function openProven(url: string, options: { autoPong?: boolean } = {}) {
  const opened = await openSocket(url, options)
  opened.send({ type: 'connection_init', payload: { authorization: AUTHORIZATION } })
  expect(await opened.next()).toEqual({ type: 'connection_ack' })
  return opened
}

/** The status of a refused upgrade, or that it was taken. */
async function upgrade(url: string): Promise<string> {
  const socket = new WebSocket(addressOf(url), 'graphql-transport-ws')
  socket.on('error', () => {})
  onTestFinished(() => socket.terminate())
  return Promise.race([
    once(socket, 'open').then(() => 'open'),
    once(socket, 'unexpected-response').then(async ([, response]) => `${response.statusCode}: ${await text(response)}`),
  ])
}

const subscribe = (id: string): Message => ({ id, type: 'subscribe', payload: { query: 'subscription { numbers }' } })
const hello = { id: 'hello', type: 'subscribe', payload: { query: '{ hello }' } }

function ask(url: string, { authorization, accept }: { authorization?: string; accept?: string } = {}) {
  const aborted = new AbortController()
  onTestFinished(() => aborted.abort())
  const query = accept === undefined ? '{ hello }' : 'subscription { numbers }'
  const answer = fetch(`${url}/graphql?query=${encodeURIComponent(query)}`, {
    headers: { accept: accept ?? 'application/json', ...(authorization === undefined ? {} : { authorization }) },
    signal: aborted.signal,
  })
  answer.catch(() => {})
  return { answer, abort: () => aborted.abort() }
}

/** What a server says to bytes of a connection until it ends it. */
async function rawAnswer(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.write(bytes)
  return text(socket)
}

test('a socket that does not say who it is in time is closed', async () => {
  const { url } = await startServer({ bounds: { init: 100 } })
  // A machine that is busy with something else may be too slow for the first.
  const proven = await eventually(() => openProven(url))
  const { closed } = await openSocket(url)
  expect(await closed).toEqual({ code: 4408, reason: 'Connection initialisation timeout' })
  expect(proven.socket.readyState).toBe(WebSocket.OPEN)
})

test('sockets without a token are bounded together, and one that proves a token or goes away makes room', async () => {
  const { url } = await startServer({ bounds: { unprovenSockets: 2 } })
  await openProven(url)
  const first = await openSocket(url)
  const second = await openSocket(url)
  const full = '503: Too many sockets wait to prove their token; try again in a moment.'
  expect(await upgrade(url)).toBe(full)
  first.send({ type: 'connection_init', payload: { authorization: AUTHORIZATION } })
  expect(await first.next()).toEqual({ type: 'connection_ack' })
  expect(await upgrade(url)).toBe('open')
  expect(await upgrade(url)).toBe(full)
  second.socket.close()
  await second.closed
  await eventually(async () => expect(await upgrade(url)).toBe('open'))
})

test('a token has so many sockets; one more is told to try again later, and the usual client comes back', async () => {
  const { url } = await startServer({ bounds: { socketsOfCaller: 1 } })
  const first = await openProven(url)
  const second = await openSocket(url)
  second.send({ type: 'connection_init', payload: { authorization: AUTHORIZATION } })
  expect(await second.closed).toEqual({
    code: 1013,
    reason: 'Too many sockets are open with this token; close some, or use another token.',
  })
  const refused: unknown[] = []
  const client = createClient({
    url: addressOf(url),
    webSocketImpl: WebSocket,
    connectionParams: { authorization: AUTHORIZATION },
    lazy: false,
    retryAttempts: 1_000,
    retryWait: () => delay(20),
    on: { closed: (event) => refused.push(event) },
  })
  onTestFinished(() => void client.dispose())
  const connected = new Promise<void>((resolve) => client.on('connected', () => resolve()))
  await eventually(() => expect(refused.length).toBeGreaterThan(0))
  first.socket.close()
  await connected
})

test('the sockets of a token have so many operations together, and whoever ends one may begin another', async () => {
  const { url } = await startServer({ bounds: { operationsOfCaller: 2 } })
  const [one, other] = [await openProven(url), await openProven(url)]
  one.send(subscribe('1'))
  other.send(subscribe('2'))
  other.send(subscribe('3'))
  expect(await other.next()).toEqual({
    id: '3',
    type: 'error',
    payload: [
      {
        message:
          'All sockets of one token together may have 2 operations open at a time; end some, or use another token.',
        extensions: { code: 'TOO_MANY_REQUESTS' },
      },
    ],
  })
  one.send({ id: '1', type: 'complete' })
  await eventually(async () => {
    other.send(hello)
    expect(await other.next()).toMatchObject({ id: 'hello', type: 'next' })
  })
})

test('a socket that answers no ping is cut off, and one that does stays, however quiet', async () => {
  const { url } = await startServer({ bounds: { ping: 1_000, silence: 100 } })
  const alive = await openProven(url)
  let pings = 0
  alive.socket.on('ping', () => pings++)
  const dead = await openProven(url, { autoPong: false })
  expect((await dead.closed).code).toBe(1006)
  expect(pings).toBeGreaterThan(0)
  alive.send(hello)
  expect(await alive.next()).toMatchObject({ id: 'hello', type: 'next' })
})

test('a request whose headers or body take too long is ended', async () => {
  const { url } = await startServer({ bounds: { headers: 150, request: 300, check: 20 } })
  const headers = 'POST /graphql HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n'
  expect(await rawAnswer(url, headers)).toMatch(/^HTTP\/1\.1 408 /)
  expect(await rawAnswer(url, `${headers}\r\n{"query":`)).toMatch(/^HTTP\/1\.1 408 /)
  await eventually(async () => expect((await ask(url).answer).status).toBe(200))
})

test('a connection on which nothing moves is ended', async () => {
  const endless = { ...smallApi(), execute: () => new Promise<never>(() => {}) }
  const { url } = await startServer({ api: endless, bounds: { silence: 200 } })
  const request = `GET /graphql?query=%7Bhello%7D HTTP/1.1\r\nhost: here\r\naccept: application/json\r\n\r\n`
  expect(await rawAnswer(url, request)).toBe('')
})

test('connections beyond the most are closed, and the others work', async () => {
  const { url } = await startServer({ bounds: { connections: 1 } })
  const first = await openProven(url)
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  first.send(hello)
  expect(await first.next()).toMatchObject({ id: 'hello', type: 'next' })
})

test('those without a token have so many requests answered at a time, and nobody with a token waits for them', async () => {
  const { url } = await startServer({ bounds: { anonymousRequests: 1 } })
  const stream = ask(url, { accept: 'text/event-stream' })
  expect((await stream.answer).status).toBe(200)
  const refused = await ask(url).answer
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.json()).toEqual({
    errors: [
      {
        message: 'Too many requests without a token are being answered; try again in a moment, or send a token.',
        extensions: { code: 'TOO_MANY_REQUESTS' },
      },
    ],
  })
  expect((await ask(url, { authorization: AUTHORIZATION }).answer).status).toBe(200)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  stream.abort()
  await eventually(async () => expect((await ask(url).answer).status).toBe(200))
})

test('a token has so many requests answered at a time, streams among them', async () => {
  const { url } = await startServer({ bounds: { requestsOfCaller: 1 } })
  const stream = ask(url, { authorization: AUTHORIZATION, accept: 'text/event-stream' })
  expect((await stream.answer).status).toBe(200)
  const refused = await ask(url, { authorization: AUTHORIZATION }).answer
  expect(refused.status).toBe(429)
  expect(JSON.stringify(await refused.json())).toContain('wait for some, or use another token.')
  expect((await ask(url).answer).status).toBe(200)
  stream.abort()
  await eventually(async () => expect((await ask(url, { authorization: AUTHORIZATION }).answer).status).toBe(200))
})

/** An API whose `hello` is answered when the test says so; at once after `hurry`. */
function slowApi() {
  const waiting: (() => void)[] = []
  let isSlow = true
  const result: ExecutionResult = { data: { hello: 'world' } }
  const execute = async () => {
    if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve))
    return result
  }
  const hurry = () => {
    isSlow = false
    for (const answer of waiting.splice(0)) answer()
  }
  return { api: { ...smallApi(), execute }, waiting, hurry }
}

const status = async (url: string) => (await ask(url, { authorization: AUTHORIZATION }).answer).status

test('a request whose client has left counts until its work is done', async () => {
  const { api, waiting, hurry } = slowApi()
  const { url } = await startServer({ api, bounds: { requestsOfCaller: 1 } })
  const left = ask(url, { authorization: AUTHORIZATION })
  await eventually(() => expect(waiting).toHaveLength(1))
  left.abort()
  await expect(left.answer).rejects.toThrow()
  // By then the server has seen it leave.
  for (let more = 1; more <= 5; more += 1) expect(await status(url)).toBe(429)
  hurry()
  await eventually(async () => expect(await status(url)).toBe(200))
})

const bytesOf = (query: string, headers: Record<string, string>) =>
  [
    `GET /graphql?query=${encodeURIComponent(query)} HTTP/1.1`,
    ...Object.entries({ host: 'here', accept: 'application/json', ...headers }).map(([name, is]) => `${name}: ${is}`),
    '\r\n',
  ].join('\r\n')

test.each([
  { what: 'a query', query: '{ hello }', accept: 'application/json', streams: 0 },
  { what: 'a stream', query: 'subscription { numbers }', accept: 'text/event-stream', streams: 1 },
])(
  '$what that waits behind another request makes room when its connection goes',
  async ({ query, accept, streams }) => {
    const { api, waiting, hurry } = slowApi()
    const { url, server } = await startServer({ api, bounds: { requestsOfCaller: 1 } })
    const { hostname, port } = new URL(url)
    const connection = connect(Number(port), hostname)
    connection.write(bytesOf('{ hello }', {}) + bytesOf(query, { accept, authorization: AUTHORIZATION }))
    await eventually(() => expect(waiting).toHaveLength(2 - streams))
    await eventually(() => expect(server.stats().subscribers).toBe(streams))
    expect(await status(url)).toBe(429)
    connection.destroy()
    await eventually(() => expect(server.stats().subscribers).toBe(0))
    // By the end of these the server has seen it go.
    for (let more = 1; more <= 5; more += 1) await fetch(`${url}/healthz`)
    hurry()
    await eventually(async () => expect(await status(url)).toBe(200))
  },
)

test('a token that is proven when its connection is gone is held for nothing', async () => {
  const proofs: (() => void)[] = []
  let held = 0
  const { url } = await startServer({
    authenticate: async (authorization) => {
      await new Promise<void>((resolve) => proofs.push(resolve))
      return { ...(await authenticate(authorization)), credential: { tokenId: 'x', expiresAt: null } }
    },
    credentials: {
      hold: () => {
        held += 1
        return () => {
          held -= 1
        }
      },
    },
  })
  const { hostname, port } = new URL(url)
  const connection = connect(Number(port), hostname)
  const stream = bytesOf('subscription { numbers }', { accept: 'text/event-stream', authorization: AUTHORIZATION })
  connection.write(stream + stream)
  await eventually(() => expect(proofs).toHaveLength(2))
  connection.destroy()
  // By the end of these the server has seen it go.
  for (let more = 1; more <= 5; more += 1) await fetch(`${url}/healthz`)
  for (const prove of proofs) prove()
  const behind = ask(url, { authorization: AUTHORIZATION })
  await eventually(() => expect(proofs).toHaveLength(3))
  proofs[2]?.()
  expect((await behind.answer).status).toBe(200)
  await eventually(() => expect(held).toBe(0))
})

test('a request that was never sent whole makes room when its connection goes', async () => {
  const { url } = await startServer({ bounds: { requestsOfCaller: 1 } })
  const { hostname, port } = new URL(url)
  const half = connect(Number(port), hostname)
  half.write(
    `POST /graphql HTTP/1.1\r\nhost: here\r\nauthorization: ${AUTHORIZATION}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
  )
  await eventually(async () => expect(await status(url)).toBe(429))
  half.destroy()
  await eventually(async () => expect(await status(url)).toBe(200))
})

test('an operation that was completed counts while it is worked on', async () => {
  const { api, waiting, hurry } = slowApi()
  const { url } = await startServer({ api, bounds: { operationsOfSocket: 2 } })
  const { send, next } = await openProven(url)
  const query = (id: string): Message => ({ id, type: 'subscribe', payload: { query: '{ hello }' } })
  for (const id of ['1', '2']) {
    send(query(id))
    send({ id, type: 'complete' })
  }
  await eventually(() => expect(waiting).toHaveLength(2))
  send(query('3'))
  expect(await next()).toMatchObject({
    id: '3',
    type: 'error',
    payload: [{ extensions: { code: 'TOO_MANY_REQUESTS' } }],
  })
  hurry()
  await eventually(async () => {
    send(query('4'))
    expect(await next()).toMatchObject({ id: '4', type: 'next' })
  })
})

test('what was refused or had no operation makes room again', async () => {
  const { url } = await startServer({ bounds: { operationsOfSocket: 1 } })
  const { send, next } = await openProven(url)
  for (const query of ['{', '{ nope }', 'query A { hello } query B { hello }', 'subscription { nope }', '']) {
    send({ id: 'bad', type: 'subscribe', payload: { query } })
    const answer = await next()
    expect(answer, query).toMatchObject({ id: 'bad', type: 'error' })
    expect(JSON.stringify(answer), query).not.toContain('TOO_MANY_REQUESTS')
  }
  send(hello)
  expect(await next()).toMatchObject({ id: 'hello', type: 'next' })
})

test('a stream whose id was used again before it began ends with its socket all the same', async () => {
  const { api, waiting } = slowApi()
  const numbers = new Numbers()
  const { url, server } = await startServer({ api: { ...smallApi(() => numbers), execute: api.execute } })
  const { send, socket, next } = await openProven(url)
  send({ id: '1', type: 'subscribe', payload: { query: '{ hello }' } })
  await eventually(() => expect(waiting).toHaveLength(1))
  send({ id: '1', type: 'complete' })
  send(subscribe('1'))
  waiting[0]?.()
  await eventually(() => expect(server.stats().subscribers).toBe(1))
  numbers.push(1)
  expect(await next()).toMatchObject({ id: '1', type: 'next' })
  socket.close()
  await numbers.returned
})

test('requests whose token is being looked up are bounded together, however many one connection sends', async () => {
  const lookUps: (() => void)[] = []
  const { url } = await startServer({
    bounds: { unprovenRequests: 2 },
    authenticate: (authorization) =>
      new Promise((resolve) => lookUps.push(() => resolve({ kind: authorization === null ? 'anonymous' : 'refused' }))),
  })
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.write('GET /graphql?query={hello} HTTP/1.1\r\nhost: here\r\nauthorization: Bearer wrong\r\n\r\n'.repeat(50))
  await eventually(() => expect(lookUps).toHaveLength(2))
  const refused = await ask(url).answer
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(JSON.stringify(await refused.json())).toContain('TOO_MANY_REQUESTS')
  expect((await fetch(`${url}/metrics`)).status).toBe(503)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  expect(lookUps).toHaveLength(2)
  for (const answer of lookUps.splice(0)) answer()
  const { answer } = ask(url)
  await eventually(() => expect(lookUps.length).toBe(1))
  lookUps[0]?.()
  expect((await answer).status).toBe(200)
})
