import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { endOfMessage } from '../../src/graphql/subscriptions/outlet.ts'
import { SocketOutlet } from '../../src/server/socket-outlet.ts'
import { MAX_UNSENT_BYTES } from '../../src/server/unsent.ts'

/** Both ends of a socket whose client does not read, and what it got, once it does. */
async function stalled() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => client.terminate())
  const connected = once(server, 'connection')
  await once(client, 'open')
  const [socket, { socket: stream }]: [WebSocket, { socket: Socket }] = (await connected) as never
  client.pause()
  const received: { id: string; payload: unknown }[] = []
  client.on('message', (data) => received.push(JSON.parse(String(data))))
  return { client, socket, outlet: new SocketOutlet(socket, stream), received }
}

const event = (payload: unknown) => endOfMessage(JSON.stringify(payload))

/** Sends until it is full; how many it took. */
function fill(outlet: ReturnType<SocketOutlet['operation']>, bytes: number): number {
  const text = event('x'.repeat(bytes))
  let sent = 0
  for (; !outlet.isFull; sent++) outlet.send(text)
  return sent
}

/** As long as something that was about to happen would have taken to happen. */
const turns = async () => {
  for (let times = 0; times < 50; times++) await new Promise((resolve) => setImmediate(resolve))
}

test('an event is one message, with the id of its operation before what all have alike', async () => {
  const { client, outlet, received } = await stalled()
  client.resume()
  const operation = outlet.operation('a "quoted" id')
  operation.send(event({ data: { text: 'grüße' } }))
  operation.send(event({ data: 2 }))
  await once(client, 'message')
  if (received.length < 2) await once(client, 'message')
  expect(received).toEqual([
    { id: 'a "quoted" id', type: 'next', payload: { data: { text: 'grüße' } } },
    { id: 'a "quoted" id', type: 'next', payload: { data: 2 } },
  ])
})

test('an event of any size comes as it was sent, whatever else the socket sends', async () => {
  const { client, socket, outlet, received } = await stalled()
  client.resume()
  const operation = outlet.operation('1')
  // What the operation's end of a message has besides its text, and where frames say their length in more bytes.
  const around = JSON.stringify({ data: '' }).length + 1
  const sizes = [0, 125, 126, 127, 65_535, 65_536, 65_537, 300_000].map((size) => Math.max(size - around, 0))
  for (const size of sizes) {
    operation.send(event({ data: 'x'.repeat(size) }))
    socket.send(JSON.stringify({ id: 'between', payload: size }))
  }
  while (received.length < 2 * sizes.length) await once(client, 'message')
  expect(received).toEqual(
    sizes.flatMap((size) => [
      { id: '1', type: 'next', payload: { data: 'x'.repeat(size) } },
      { id: 'between', payload: size },
    ]),
  )
})

test('it is full at 1 MiB and an event, and tasks wait, one after another, until all was read', async () => {
  const { client, socket, outlet, received } = await stalled()
  const operation = outlet.operation('1')
  const sent = fill(operation, 200_000)
  expect(socket.bufferedAmount).toBeGreaterThan(MAX_UNSENT_BYTES)
  expect(socket.bufferedAmount).toBeLessThan(MAX_UNSENT_BYTES + 201_000)
  const done: string[] = []
  const task = (name: string) => async () => {
    done.push(`${name} begins`)
    await turns()
    done.push(`${name} ends`)
  }
  const tasks = [operation.whenRoom(task('one')), outlet.operation('2').whenRoom(task('two'))]
  await turns()
  expect(done).toEqual([])
  client.resume()
  expect(await Promise.all(tasks)).toEqual([true, true])
  expect(done).toEqual(['one begins', 'one ends', 'two begins', 'two ends'])
  while (received.length < sent) await once(client, 'message')
  expect(outlet.isFull).toBe(false)
})

test('many small events fill it too', async () => {
  const { socket, outlet } = await stalled()
  const operation = outlet.operation('1')
  fill(operation, 1_000_000)
  // What the network took since is for small ones.
  const small = fill(operation, 100)
  expect(small).toBeLessThan(10_000)
  expect(socket.bufferedAmount).toBeLessThan(MAX_UNSENT_BYTES + 1_001_000)
})

test('a source that is pulled is not asked while there is no room', async () => {
  const { client, outlet } = await stalled()
  fill(outlet.operation('1'), 200_000)
  let asked = 0
  const source: AsyncIterableIterator<number> = {
    [Symbol.asyncIterator]() {
      return this
    },
    next: async () => (asked++ === 0 ? { done: false, value: 7 } : { done: true, value: undefined }),
  }
  const events = outlet.paced(source)
  expect(outlet.subscribers).toBe(1)
  const next = events.next()
  await turns()
  expect(asked).toBe(0)
  client.resume()
  expect(await next).toEqual({ done: false, value: 7 })
  expect((await events.next()).done).toBe(true)
  expect(outlet.subscribers).toBe(0)
})

test('who waits for room on a connection that goes away is told so', async () => {
  const { client, outlet } = await stalled()
  fill(outlet.operation('1'), 200_000)
  const waiting = outlet.operation('2').whenRoom(async () => {
    throw new Error('there was no room')
  })
  client.terminate()
  expect(await waiting).toBe(false)
})

test('a subscription that ends while it waits for room waits no more, and is held by nothing', async () => {
  const { client, outlet } = await stalled()
  fill(outlet.operation('1'), 200_000)
  const [leaving, staying] = [outlet.operation('2'), outlet.operation('3')]
  let begun = 0
  const task = async () => {
    begun += 1
  }
  const gone = leaving.whenRoom(task)
  const stays = staying.whenRoom(task)
  leaving.end()
  expect(await gone).toBe(false)
  client.resume()
  expect(await stays).toBe(true)
  expect(begun).toBe(1)
})

test('a source that is pulled is ended at once, also where it waits for room', async () => {
  const { outlet } = await stalled()
  fill(outlet.operation('1'), 200_000)
  let returned = 0
  const source: AsyncIterableIterator<number> = {
    [Symbol.asyncIterator]() {
      return this
    },
    next: async (): Promise<IteratorResult<number, undefined>> => expect.fail('It was asked, without room.'),
    return: async () => {
      returned += 1
      return { done: true, value: undefined }
    },
  }
  const events = outlet.paced(source)
  const next = events.next()
  await events.return?.()
  expect(await next).toEqual({ done: true, value: undefined })
  expect(returned).toBe(1)
  expect(outlet.subscribers).toBe(0)
})
