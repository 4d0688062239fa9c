import { once } from 'node:events'
import { type SubscriptionArgs, subscribe as subscribeAsSpecified } from 'graphql'
import { createClient } from 'graphql-ws'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { MAX_BODY_BYTES } from '../../src/server/graphql-endpoint.ts'
import { MAX_UNSENT_BYTES } from '../../src/server/unsent.ts'
import { eventually } from '../support/eventually.ts'
import { AUTHORIZATION, Numbers, smallApi, startServer } from './small-api.ts'

/** Of it in many messages there is more than the network and the bound hold. */
const bulk = 'x'.repeat(100_000)
const MANY = 400

type Message = { id?: string; type: string; payload?: unknown }

/** A socket that speaks frames, so that a test sees exactly what goes over the wire. */
async function openSocket(url: string, options: { origin?: string; headers?: Record<string, string> } = {}) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', options)
  onTestFinished(() => socket.terminate())
  const received: Message[] = []
  let notify: () => void = () => {}
  socket.on('message', (data) => {
    received.push(JSON.parse(String(data)))
    notify()
  })
  const closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }))
  await once(socket, 'open')
  return {
    socket,
    closed,
    send: (message: Message) => socket.send(JSON.stringify(message)),
    async next(): Promise<Message> {
      for (;;) {
        const message = received.shift()
        if (message !== undefined) return message
        await new Promise<void>((resolve) => {
          notify = resolve
        })
      }
    },
  }
}

async function openAcknowledged(url: string) {
  const opened = await openSocket(url)
  opened.send({ type: 'connection_init', payload: { authorization: AUTHORIZATION } })
  expect(await opened.next()).toEqual({ type: 'connection_ack' })
  return opened
}

const subscribe = (id: string, query: string): Message => ({ id, type: 'subscribe', payload: { query } })

test.each([
  ['without connectionParams', undefined],
  ['with a wrong token', { authorization: 'Bearer wrong' }],
  ['with a token that is no text', { authorization: { toString: 1 } }],
])('a socket %s is closed with 4401 and never acknowledged', async (_case, payload) => {
  const { url } = await startServer()
  const { send, closed, next } = await openSocket(url)
  let message: Message | undefined
  next().then((received) => {
    message = received
  })
  send({ type: 'connection_init', ...(payload === undefined ? {} : { payload }) })
  send(subscribe('1', '{ hello }'))
  expect(await closed).toEqual({ code: 4401, reason: 'Unauthorized' })
  expect(message).toBeUndefined()
})

test('a token in the header of the handshake serves too', async () => {
  const { url } = await startServer()
  const { send, next } = await openSocket(url, { headers: { authorization: AUTHORIZATION } })
  send({ type: 'connection_init' })
  expect(await next()).toEqual({ type: 'connection_ack' })
})

test.each(['database', 'key-set'])(
  'while the %s that tells of the token is away the client is told to try again later',
  async (what) => {
    const { url } = await startServer()
    const { send, closed } = await openSocket(url)
    send({ type: 'connection_init', payload: { authorization: `Bearer ${what}-is-away` } })
    expect(await closed).toEqual({ code: 1013, reason: 'Try again later' })
  },
)

test('queries and subscriptions are answered on one socket, as the caller of its token', async () => {
  const numbers = new Numbers()
  const { url } = await startServer({ api: smallApi(() => numbers) })
  const { send, next } = await openAcknowledged(url)
  send(subscribe('q', '{ caller }'))
  expect(await next()).toEqual({ id: 'q', type: 'next', payload: { data: { caller: 'admin' } } })
  expect(await next()).toEqual({ id: 'q', type: 'complete' })
  send(subscribe('s', 'subscription { numbers }'))
  numbers.push(1)
  expect(await next()).toEqual({ id: 's', type: 'next', payload: { data: { numbers: 1 } } })
  send({ id: 's', type: 'complete' })
  await numbers.returned
})

test('the usual client works against it', async () => {
  const numbers = new Numbers()
  const { url } = await startServer({ api: smallApi(() => numbers) })
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: AUTHORIZATION },
  })
  onTestFinished(() => void client.dispose())
  const iterator = client.iterate({ query: 'subscription { numbers }' })
  numbers.push(5)
  expect((await iterator.next()).value).toEqual({ data: { numbers: 5 } })
  await iterator.return?.()
  await numbers.returned
})

test.each([
  ['a syntax error', '{ hello', /Syntax Error/],
  ['an unknown field', '{ nothing }', /Cannot query field/],
  ['no operation', 'fragment F on Query { hello }', /./],
])('%s ends that operation and leaves the others on the socket alive', async (_case, query, message) => {
  const numbers = new Numbers()
  const { url } = await startServer({ api: smallApi(() => numbers) })
  const { send, next } = await openAcknowledged(url)
  send(subscribe('alive', 'subscription { numbers }'))
  send(subscribe('broken', query))
  expect(await next()).toEqual({
    id: 'broken',
    type: 'error',
    payload: expect.arrayContaining([expect.objectContaining({ message: expect.stringMatching(message) })]),
  })
  numbers.push(3)
  expect(await next()).toEqual({ id: 'alive', type: 'next', payload: { data: { numbers: 3 } } })
})

test('internal faults are masked: in a query, on subscribing and in the middle of a stream', async () => {
  const numbers = new Numbers()
  let subscribed = 0
  const api = smallApi(() => {
    subscribed++
    if (subscribed === 1) throw new Error('a secret of the database')
    return numbers
  })
  const { url } = await startServer({ api })
  const { send, next } = await openAcknowledged(url)
  const masked = expect.objectContaining({ extensions: { code: 'INTERNAL_SERVER_ERROR', id: 'e-1' } })

  send(subscribe('query', '{ fail }'))
  expect(await next()).toEqual({ id: 'query', type: 'next', payload: { data: { fail: null }, errors: [masked] } })
  expect(await next()).toEqual({ id: 'query', type: 'complete' })

  send(subscribe('first', 'subscription { numbers }'))
  expect(JSON.stringify(await next())).not.toContain('secret')
  expect(await next()).toEqual({ id: 'first', type: 'complete' })

  send(subscribe('second', 'subscription { numbers }'))
  numbers.push(1)
  expect(await next()).toEqual({ id: 'second', type: 'next', payload: { data: { numbers: 1 } } })
  numbers.failAtNextRead(new Error('a secret of the database'))
  numbers.push(2)
  const rest = [await next(), await next()]
  expect(rest[1]).toEqual({ id: 'second', type: 'error', payload: [masked] })
})

test('a fault while the context is made leaves the socket open', async () => {
  const api = { ...smallApi(), contextFor: () => Promise.reject(new Error('a secret of the database')) as never }
  const { url } = await startServer({ api })
  const { send, next, socket } = await openAcknowledged(url)
  send(subscribe('1', '{ hello }'))
  const answer = await next()
  expect(answer).toMatchObject({ id: '1', type: 'error', payload: [{ extensions: { id: 'e-1' } }] })
  expect(socket.readyState).toBe(WebSocket.OPEN)
})

test('a socket may have 100 operations open, and is told when it asks for more', async () => {
  const { url } = await startServer()
  const { send, next } = await openAcknowledged(url)
  for (let id = 1; id <= 101; id++) send(subscribe(String(id), 'subscription { numbers }'))
  expect(await next()).toMatchObject({
    id: '101',
    type: 'error',
    payload: [{ extensions: { code: 'TOO_MANY_REQUESTS' } }],
  })
})

test('a message that is none, or too long, closes that socket only', async () => {
  const { url } = await startServer()
  const bystander = await openAcknowledged(url)
  const garbage = await openSocket(url)
  garbage.socket.send('nonsense')
  expect((await garbage.closed).code).toBe(4400)
  const flood = await openSocket(url)
  flood.socket.on('error', () => {})
  flood.socket.send('x'.repeat(MAX_BODY_BYTES + 1))
  expect((await flood.closed).code).toBe(1009)
  bystander.send(subscribe('1', '{ hello }'))
  expect(await bystander.next()).toMatchObject({ id: '1', type: 'next' })
})

test('a page of another origin may not connect unless the owner named it; ours and programs may', async () => {
  const { url } = await startServer({ allowedOrigins: ['https://dashboard.example'] })
  const answerTo = async (origin?: string) => {
    const socket = new WebSocket(
      `${url.replace('http', 'ws')}/graphql`,
      'graphql-transport-ws',
      origin ? { origin } : {},
    )
    socket.on('error', () => {})
    onTestFinished(() => socket.terminate())
    return Promise.race([
      once(socket, 'open').then(() => 'open'),
      once(socket, 'unexpected-response').then(([, response]) => response.statusCode),
    ])
  }
  expect(await answerTo('https://elsewhere.example')).toBe(403)
  expect(await answerTo('null')).toBe(403)
  expect(await answerTo('https://dashboard.example')).toBe('open')
  expect(await answerTo(url)).toBe('open')
  expect(await answerTo()).toBe('open')
})

test('a WebSocket on any other path is refused', async () => {
  const { url } = await startServer()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/elsewhere`, 'graphql-transport-ws')
  socket.on('error', () => {})
  onTestFinished(() => socket.terminate())
  const [, response] = await once(socket, 'unexpected-response')
  expect(response.statusCode).toBe(404)
})

test('when the server stops its sockets are closed with 1001, and their subscriptions are ended', async () => {
  const numbers = new Numbers()
  const { url, server } = await startServer({ api: smallApi(() => numbers) })
  const { send, closed, next } = await openAcknowledged(url)
  send(subscribe('s', 'subscription { numbers }'))
  numbers.push(1)
  await next()
  const stopped = server.close()
  expect((await closed).code).toBe(1001)
  await numbers.returned
  await stopped
})

test('a client that does not answer the close does not hold the server up', async () => {
  const { url, server } = await startServer()
  const { socket } = await openAcknowledged(url)
  socket.pause()
  await server.close()
})

/** An API whose subscriptions begin when the test lets the next of them. */
function gatedApi() {
  const begun: Numbers[] = []
  const gates: (() => void)[] = []
  const api = smallApi(() => {
    const numbers = new Numbers()
    begun.push(numbers)
    return numbers
  })
  const begin = async (args: SubscriptionArgs) => {
    await new Promise<void>((open) => gates.push(open))
    return subscribeAsSpecified(args)
  }
  const letOneBegin = () => eventually(() => (gates.shift() ?? expect.fail('Nothing waits to begin.'))())
  return { api: { ...api, subscribe: begin }, begun, letOneBegin, waiting: () => gates.length }
}

test('an id may be used again as soon as it is completed, and what had it before takes nothing of the new one', async () => {
  const { api, begun, letOneBegin, waiting } = gatedApi()
  const { url } = await startServer({ api })
  const { send, next } = await openAcknowledged(url)
  const allIsRead = async () => {
    send({ type: 'ping' })
    expect(await next()).toEqual({ type: 'pong' })
  }
  send(subscribe('1', 'subscription { old: numbers }'))
  send({ id: '1', type: 'complete' })
  send(subscribe('1', 'subscription { dropped: numbers }'))
  send({ id: '1', type: 'complete' })
  send(subscribe('1', 'subscription { new: numbers }'))
  await allIsRead()
  expect(waiting()).toBe(1)
  await letOneBegin()
  await letOneBegin()
  await begun[0]?.returned
  await eventually(() => expect(begun.length).toBe(2))
  begun[0]?.push(1)
  begun[1]?.push(2)
  expect(await next()).toEqual({ id: '1', type: 'next', payload: { data: { new: 2 } } })
  send({ id: '1', type: 'complete' })
  await begun[1]?.returned
  await allIsRead()
})

test.each([
  ['an open operation', false],
  ['one that waits for an earlier one to be over', true],
])('the id of %s is taken: the socket is closed with 4409', async (_case, completed) => {
  const { api } = gatedApi()
  const { url } = await startServer({ api })
  const { send, closed } = await openAcknowledged(url)
  send(subscribe('1', 'subscription { numbers }'))
  if (completed) {
    send({ id: '1', type: 'complete' })
    send(subscribe('1', 'subscription { numbers }'))
  }
  send(subscribe('1', 'subscription { numbers }'))
  expect(await closed).toEqual({ code: 4409, reason: 'Subscriber for 1 already exists' })
})

test.each([
  ['pings of the protocol', (socket: WebSocket) => socket.send(JSON.stringify({ type: 'ping', payload: { bulk } }))],
  [
    'operations that are refused',
    (socket: WebSocket, id: number) => socket.send(JSON.stringify(subscribe(`${id} ${bulk}`, '{ nothing }'))),
  ],
])('who sends %s and reads no answer is not heard on, until it reads', async (_case, sendOne) => {
  const { url, server } = await startServer()
  const { socket } = await openAcknowledged(url)
  let answered = 0
  socket.on('message', () => {
    answered += 1
  })
  socket.pause()
  for (let sent = 0; sent < MANY; sent++) sendOne(socket, sent)
  await eventually(() => expect(server.stats().unsentBytes).toBeGreaterThan(2 * MAX_UNSENT_BYTES))
  // As long as reading all the rest would take.
  for (let turns = 0; turns < 2_000; turns++) await new Promise((resolve) => setImmediate(resolve))
  expect(server.stats().unsentBytes).toBeLessThan(3 * MAX_UNSENT_BYTES)
  socket.resume()
  await eventually(() => expect(answered).toBe(MANY))
})
