import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { endOfMessage } from '../../src/graphql/subscriptions/outlet.ts'
import { EventStreamOutlet } from '../../src/server/event-stream-outlet.ts'
import { MAX_UNSENT_BYTES } from '../../src/server/unsent.ts'

/** A response whose head is not sent yet, and its client, which does not read; what it got, once it does. */
async function stalled() {
  const server = createServer()
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // Its kernel takes some 200 KB of it; of TCP it takes megabytes, when it likes to.
  const folder = mkdtempSync(join(tmpdir(), 'cuelight-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  server.listen(join(folder, 'socket'))
  await once(server, 'listening')
  const asked: Promise<[unknown, ServerResponse]> = once(server, 'request') as never
  const client = connect(join(folder, 'socket'))
  onTestFinished(() => void client.destroy())
  client.pause()
  client.on('error', () => {})
  client.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n')
  const [, response] = await asked
  let received = ''
  client.setEncoding('utf8').on('data', (text) => {
    received += text
  })
  client.pause()
  /** The head, and a body of which this is the beginning. */
  const begin = () => {
    response.writeHead(200)
    Readable.from([':\n\n'], { objectMode: false }).pipe(response, { end: false })
  }
  return { client, response, outlet: new EventStreamOutlet(response), begin, received: () => received }
}

const event = (payload: unknown) => endOfMessage(JSON.stringify(payload))

/** Sends until it is full, and the network takes no more; how many it took. */
async function fill(outlet: EventStreamOutlet, bytes: number): Promise<number> {
  const text = event('x'.repeat(bytes))
  let sent = 0
  while (!outlet.isFull) {
    for (; !outlet.isFull; sent++) {
      if (sent === 10_000) throw new Error('It is never full.')
      outlet.send(text)
    }
    await turns()
  }
  return sent
}

/** As long as something that was about to happen would have taken to happen. */
const turns = async () => {
  for (let times = 0; times < 50; times++) await new Promise((resolve) => setImmediate(resolve))
}

/** Results that bring nothing until they are ended. */
function silent() {
  let returned = 0
  const results: AsyncIterableIterator<number> = {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => new Promise(() => {}),
    return: async () => {
      returned += 1
      return { done: true, value: undefined }
    },
  }
  return { results, returned: () => returned }
}

test('nothing is given to it before the head, and each event is one of the stream then', async () => {
  const { client, response, outlet, begin, received } = await stalled()
  client.resume()
  let begun = false
  const room = outlet.whenRoom(async () => {
    begun = true
  })
  await turns()
  expect([outlet.isFull, begun]).toEqual([true, false])
  begin()
  expect(await room).toBe(true)
  expect(outlet.isFull).toBe(false)
  outlet.send(event({ data: { text: 'grüße' } }))
  outlet.send(event({ data: 2 }))
  await turns()
  response.end()
  while (!received().endsWith('0\r\n\r\n')) await once(client, 'data')
  const body = received().slice(received().indexOf('\r\n\r\n') + 4)
  const chunks = [...body.matchAll(/([0-9a-f]+)\r\n([^\r]*)\r\n/g)].map(([, , chunk]) => chunk)
  expect(chunks.filter((chunk) => chunk !== ':\n\n')).toEqual([
    'event: next\ndata: {"data":{"text":"grüße"}}\n\n',
    'event: next\ndata: {"data":2}\n\n',
    '',
  ])
})

test('it is full at 1 MiB and an event, and tasks wait, one after another, until all was read', async () => {
  const { client, response, outlet, begin, received } = await stalled()
  begin()
  const sent = await fill(outlet, 200_000)
  expect(response.writableLength).toBeGreaterThan(MAX_UNSENT_BYTES)
  expect(response.writableLength).toBeLessThan(MAX_UNSENT_BYTES + 201_000)
  const done: string[] = []
  const task = (name: string) => async () => {
    done.push(`${name} begins`)
    await turns()
    done.push(`${name} ends`)
  }
  const tasks = [outlet.whenRoom(task('one')), outlet.whenRoom(task('two'))]
  await turns()
  expect(done).toEqual([])
  client.resume()
  expect(await Promise.all(tasks)).toEqual([true, true])
  expect(done).toEqual(['one begins', 'one ends', 'two begins', 'two ends'])
  while (received().length < sent * 200_000) await once(client, 'data')
  expect(outlet.isFull).toBe(false)
})

test('many small events fill it too, and count no more when they were read', async () => {
  const { client, response, outlet, begin } = await stalled()
  begin()
  await fill(outlet, 100)
  expect(response.writableLength).toBeLessThan(MAX_UNSENT_BYTES / 2)
  client.resume()
  expect(await outlet.whenRoom(async () => {})).toBe(true)
  expect([response.writableLength, outlet.isFull]).toEqual([0, false])
  client.pause()
  outlet.send(event('x'.repeat(MAX_UNSENT_BYTES - 1_000)))
  await turns()
  expect(response.writableLength).toBeGreaterThan(MAX_UNSENT_BYTES / 2)
  expect(outlet.isFull).toBe(false)
})

test('all streams send the same bytes of an event', async () => {
  const [one, other] = [await stalled(), await stalled()]
  const written: unknown[] = []
  for (const { response } of [one, other]) {
    response.write = (chunk: unknown) => written.push(chunk) > 0
  }
  const shared = event({ data: 1 })
  one.outlet.send(shared)
  other.outlet.send(shared)
  expect(written).toHaveLength(2)
  expect(written[0]).toBe(written[1])
})

test.each(['before', 'behind'])(
  'who waits for room on a connection that goes, %s the head, is told so',
  async (when) => {
    const { client, outlet, begin } = await stalled()
    if (when === 'behind') {
      begin()
      await fill(outlet, 200_000)
    }
    const { results, returned } = silent()
    outlet.through(results)
    const waiting = outlet.whenRoom(async () => {
      throw new Error('there was no room')
    })
    client.destroy()
    expect(await waiting).toBe(false)
    expect(returned()).toBe(1)
  },
)

test('results of a connection that is gone already are ended at once', async () => {
  const { client, response, outlet } = await stalled()
  client.destroy()
  await once(response, 'close')
  const { results, returned } = silent()
  expect(await outlet.through(results).next()).toEqual({ done: true, value: undefined })
  expect(returned()).toBe(1)
})

test('a subscription that ends while it waits for room waits no more, and sends no more', async () => {
  const { response, outlet, begin } = await stalled()
  begin()
  await fill(outlet, 200_000)
  let begun = 0
  const gone = outlet.whenRoom(async () => {
    begun += 1
  })
  await turns()
  outlet.end()
  expect(await gone).toBe(false)
  const unsent = response.writableLength
  outlet.send(event('late'))
  expect([begun, response.writableLength]).toEqual([0, unsent])
})

test('who closes its half of the connection while it does not read costs no more than what is unsent', async () => {
  const { client, response, outlet, begin } = await stalled()
  begin()
  await fill(outlet, 200_000)
  client.end()
  while (response.socket?.writable) await turns()
  const unsent = response.writableLength
  for (let times = 0; times < 10; times++) outlet.send(event('x'.repeat(200_000)))
  expect(response.writableLength).toBeLessThanOrEqual(unsent)
  expect(await outlet.whenRoom(async () => {})).toBe(false)
})

test('into a response that was ended nothing more is written', async () => {
  const { client, response, outlet, begin, received } = await stalled()
  client.resume()
  begin()
  await turns()
  response.end()
  outlet.send(event('late'))
  expect(await outlet.whenRoom(async () => {})).toBe(false)
  while (!received().endsWith('0\r\n\r\n')) await once(client, 'data')
  expect(received()).not.toContain('late')
})

test('results that fail tell of it once, and are over', async () => {
  const { outlet } = await stalled()
  const failing: AsyncIterableIterator<number> = {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => Promise.reject(new Error('a fault')),
  }
  const results = outlet.through(failing)
  await expect(results.next()).rejects.toThrow('a fault')
  expect(await results.next()).toEqual({ done: true, value: undefined })
})
