import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { formatId } from '../../src/domain/ids.ts'
import { readConfig } from '../../src/server/config.ts'
import { createHttpServer } from '../../src/server/http.ts'
import { serve } from '../../src/server/serve.ts'
import { mintId } from '../../src/store/ids.ts'
import { appendLines } from '../graphql/fixtures.ts'
import { eventually } from '../support/eventually.ts'
import { countExecutions } from './executions.ts'
import { followedLog } from './followed-log.ts'
import { LogReader, RUN_LOG, upTo } from './log-reader.ts'
import { StreamReader } from './stream-reader.ts'
import { wiredParts } from './wired-api.ts'

const { db, databaseUrl, clock, quiet, changes, url, server, newRun, write, finish, subscribed } = await followedLog()
const listening = (count: number) => eventually(() => expect(changes.listeners).toBe(count))

const open: { cut(): void }[] = []
afterEach(async () => {
  for (const reader of open.splice(0)) reader.cut()
  await subscribed(0)
  await listening(0)
})

type Wanted = Omit<Parameters<typeof StreamReader.open>[0], 'url'>

/** Readers over server-sent events, subscribed, and gone when the test is over. */
async function streams(count: number, wanted: Wanted): Promise<StreamReader[]> {
  const readers = await Promise.all(Array.from({ length: count }, () => StreamReader.open({ url, ...wanted })))
  open.push(...readers)
  return readers
}

/** The same over WebSocket, with the payloads as they came. */
async function sockets(count: number, wanted: { runId: string }) {
  const before = server.stats().subscribers
  const readers = await Promise.all(
    Array.from({ length: count }, async () => {
      const payloads: string[] = []
      const head = '{"id":"log","type":"next","payload":'
      const onNext = (message: Buffer) => payloads.push(String(message).slice(head.length, -1))
      return { payloads, reader: await LogReader.open({ url, onNext, ...wanted }) }
    }),
  )
  open.push(...readers.map(({ reader }) => reader))
  await subscribed(before + count)
  return readers
}

test('readers over server-sent events and WebSocket share one source, one execution of each event, and its bytes', async () => {
  const runId = await newRun()
  const overStreams = [...(await streams(10, { runId })), ...(await streams(10, { runId, method: 'POST' }))]
  const overSockets = await sockets(10, { runId })
  expect(changes.listeners).toBe(1)
  const counted = countExecutions()
  for (let round = 1; round <= 5; round++) {
    const line = await write(runId, ['a', 'grüße\n\ndata: "b"'])
    await Promise.all(overStreams.map((reader) => reader.until(line)))
    await eventually(() => expect(overSockets.map(({ payloads }) => payloads.length)).toEqual(Array(10).fill(round)))
    expect(counted.events).toBe(round)
  }
  for (const { lines, payloads } of overStreams) {
    expect(lines).toEqual(upTo(10))
    expect(payloads).toEqual(overSockets[0]?.payloads)
  }
  expect(overStreams[0]?.payloads[4]).toBe(
    '{"data":{"runLog":{"cursor":10,"entries":[{"line":9,"text":"a"},{"line":10,"text":"grüße\\n\\ndata: \\"b\\""}]}}}',
  )
})

test('readers with different cursors share what is live, each behind its own replay', async () => {
  const runId = await newRun()
  await appendLines(db, runId, upTo(20).map(String))
  const asked = [0, 7, 20, 25]
  const groups: StreamReader[][] = []
  for (const after of asked) groups.push(await streams(3, { runId, after }))
  await Promise.all([...(groups[0] ?? []), ...(groups[1] ?? [])].map((reader) => reader.until(20)))
  expect(changes.listeners).toBe(1)
  // In the middle of it lies where the last group wants to begin.
  await write(runId, upTo(8).map(String))
  await Promise.all(groups.flat().map((reader) => reader.until(28)))
  for (const [index, after] of asked.entries())
    for (const { lines } of groups[index] ?? []) expect(lines).toEqual(upTo(28).slice(after))
  const counted = countExecutions()
  await write(runId, ['29'])
  await Promise.all(groups.flat().map((reader) => reader.until(29)))
  expect(counted.events).toBe(1)
  const [gone] = groups[0] ?? []
  gone?.cut()
  await gone?.ended
  const [again] = await streams(1, { runId, after: gone?.last ?? 0 })
  await write(runId, ['30', '31'])
  await again?.until(31)
  expect([...(gone?.lines ?? []), ...(again?.lines ?? [])]).toEqual(upTo(31))
})

test('a stream has the head, the events and the end that it always had', async () => {
  const runId = await newRun()
  await appendLines(db, runId, ['one'])
  const [reader] = await streams(1, { runId })
  await reader?.until(1)
  // It is kept alive meanwhile.
  const { pings = 0 } = reader ?? {}
  await eventually(() => expect(reader?.pings).toBeGreaterThan(pings + 1))
  await write(runId, ['two'])
  await finish(runId)
  expect(await reader?.ended).toBe('COMPLETE')
  expect(reader?.lines).toEqual([1, 2])
  await listening(0)
  const variables = JSON.stringify({ runId: formatId('Run', runId) })
  const whole = await fetch(`${url}/graphql?${new URLSearchParams({ query: RUN_LOG, variables })}`, {
    headers: { accept: 'text/event-stream', authorization: 'Bearer admin' },
  })
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'transfer-encoding': 'chunked',
  })
  const entries = '[{"line":1,"text":"one"},{"line":2,"text":"two"}]'
  expect((await whole.text()).replaceAll(/^:\n\n/gm, '')).toBe(
    `event: next\ndata: {"data":{"runLog":{"cursor":2,"entries":${entries}}}}\n\nevent: complete\ndata:\n\n`,
  )
})

test('what is refused is refused as it was, and nothing is followed', async () => {
  const runId = await newRun()
  const refused = async (wanted: Partial<Wanted>) => {
    const reader = StreamReader.ask({ url, runId, ...wanted })
    open.push(reader)
    const answer = await reader.answered
    await reader.ended
    const code = /"code":"(\w+)"/.exec(reader.payloads[0] ?? '')?.[1]
    return [answer.statusCode, answer.headers['content-type'], code]
  }
  const stream = 'text/event-stream'
  expect(await refused({ runId: mintId() })).toEqual([200, stream, 'NOT_FOUND'])
  expect(await refused({ after: -1 })).toEqual([200, stream, 'BAD_USER_INPUT'])
  expect(await refused({ query: 'subscription { nothing }' })).toEqual([200, stream, 'BAD_USER_INPUT'])
  expect(await refused({ token: null })).toEqual([401, stream, 'UNAUTHENTICATED'])
  expect(await refused({ accept: 'application/json' })).toEqual([406, 'application/json; charset=utf-8', undefined])
  await listening(0)
})

test('a line that a document makes larger than any answer ends that stream, which says so once', async () => {
  const runId = await newRun()
  const [bystander] = await streams(1, { runId })
  const many = upTo(400)
    .map((index) => `t${index}: text`)
    .join(' ')
  const [greedy] = await streams(1, { runId, query: RUN_LOG.replace('text', many) })
  await write(runId, ['x'.repeat(100_000)])
  expect(await greedy?.ended).toBe('COMPLETE')
  expect(greedy?.payloads.map((payload) => JSON.parse(payload))).toEqual([
    { errors: [{ message: expect.stringContaining('fewer names'), extensions: { code: 'TOO_COMPLEX' } }] },
  ])
  await write(runId, ['next'])
  await bystander?.until(2)
})

test('who leaves takes nothing but itself along, and the last one the source, whenever it leaves', async () => {
  const runId = await newRun()
  const [one, two] = await streams(2, { runId })
  const [socket] = await sockets(1, { runId })
  one?.cut()
  await subscribed(2)
  expect(changes.listeners).toBe(1)
  await write(runId, ['one'])
  await two?.until(1)
  two?.cut()
  await subscribed(1)
  expect(changes.listeners).toBe(1)
  socket?.reader.cut()
  await listening(0)
  // Some of these are gone before their answer has begun.
  for (let turns = 0; turns < 30; turns++) {
    const hasty = StreamReader.ask({ url, runId })
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
    hasty.cut()
  }
  // Answered by the same server behind them.
  const [last] = await streams(1, { runId })
  await last?.until(1)
  await subscribed(1)
  last?.cut()
  await listening(0)
})

test('a stream that is asked for behind another on its connection comes when that one is over', async () => {
  const [first, second] = [await newRun(), await newRun()]
  const { port } = new URL(url)
  const ask = (runId: string) => {
    const variables = JSON.stringify({ runId: formatId('Run', runId) })
    const parameters = new URLSearchParams({ query: RUN_LOG, variables })
    const headers = 'host: here\r\naccept: text/event-stream\r\nauthorization: Bearer admin\r\n\r\n'
    return `GET /graphql?${parameters} HTTP/1.1\r\n${headers}`
  }
  const both = () => {
    const connection = connect(Number(port), '127.0.0.1')
    open.push({ cut: () => connection.destroy() })
    connection.write(ask(first) + ask(second))
    return connection
  }
  const patient = both()
  const heard = text(patient)
  await listening(2)
  const hasty = both()
  await subscribed(4)
  hasty.destroy()
  await subscribed(2)
  await write(second, ['of the second'])
  await write(first, ['of the first'])
  for (const runId of [first, second]) await finish(runId)
  await eventually(() => expect(changes.listeners).toBe(0))
  patient.end()
  expect((await heard).match(/"text":"[^"]*"|event: complete/g)).toEqual([
    '"text":"of the first"',
    'event: complete',
    '"text":"of the second"',
    'event: complete',
  ])
})

test('a token that is revoked cuts its own streams, and others who share with them go on', async () => {
  const owner = 'the-admin-token-of-the-owner'
  const read = readConfig({ PORT: '0', DATABASE_URL: databaseUrl, CUELIGHT_ADMIN_TOKEN: owner })
  if (!read.ok) throw new Error(read.problems.join(' '))
  const running = await serve(read.config, { migrate: false, log: quiet, announceToken: () => {} })
  onTestFinished(() => running.stop())
  const ask = async (query: string) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${owner}` }
    const answer = await fetch(`${running.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    return answer.text()
  }
  const made = await ask(`mutation { createApiToken(input: { name: "one", role: ADMIN }) {
    ... on CreateApiTokenPayload { token apiToken { id } } } }`)
  const [id, token = ''] = [/tok_[0-9a-f-]+/.exec(made)?.[0], /cuelight_[\w-]{43}/.exec(made)?.[0]]
  const runId = await newRun()
  await appendLines(db, runId, ['one'])
  const follow = async (token: string) => {
    const reader = await StreamReader.open({ url: running.url, runId, token })
    onTestFinished(() => reader.cut())
    await reader.until(1)
    return reader
  }
  const [revoked, kept] = [await follow(token), await follow(owner)]
  await ask(`mutation { revokeApiToken(input: { id: "${id}" }) { __typename } }`)
  expect(await revoked.ended).toBe('CUT')
  // Found by looking, since nobody tells this server.
  await appendLines(db, runId, ['two'])
  await kept.until(2)
  expect([revoked.lines, kept.lines]).toEqual([[1], [1, 2]])
})

test('a stream of which nothing is taken for long is cut, and one that is read stays, however quiet', async () => {
  const parts = wiredParts({ db, clock, log: quiet, changes })
  const impatient = createHttpServer({ ...parts, bounds: { silence: 1_500 } })
  const at = await impatient.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => impatient.close())
  const runId = await newRun()
  const [read, stalled] = [await StreamReader.open({ url: at, runId }), await StreamReader.open({ url: at, runId })]
  await stalled.pause()
  // More than the network takes for it.
  for (let line = 1; impatient.stats().unsentBytes < 2 ** 20; line++) {
    await write(runId, ['x'.repeat(250_000)])
    await read.until(line)
  }
  await eventually(() => expect(impatient.stats().subscribers).toBe(1))
  // Nothing else moves on it for twice as long.
  const { pings } = read
  await eventually(() => expect(read.pings).toBeGreaterThanOrEqual(pings + 10))
  const line = await write(runId, ['more'])
  await read.until(line)
  read.cut()
  stalled.cut()
  await Promise.all([read.ended, stalled.ended])
})
