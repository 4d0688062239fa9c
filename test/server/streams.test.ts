import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import pg from 'pg'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { readConfig } from '../../src/server/config.ts'
import { serve } from '../../src/server/serve.ts'
import { appendLines } from '../graphql/fixtures.ts'
import { eventually } from '../support/eventually.ts'
import { countExecutions } from './executions.ts'
import { followedLog } from './followed-log.ts'
import { LogReader, RUN_LOG, upTo } from './log-reader.ts'

const { db, databaseUrl, quiet, changes, url, server, newRun, write, finish, subscribed } = await followedLog()
const FRAME = 256 * 1024

const open: LogReader[] = []
afterEach(async () => {
  for (const reader of open.splice(0)) reader.cut()
  await subscribed(0)
})

/** Readers of one run, subscribed, and gone when the test is over. */
async function crowd(count: number, wanted: Omit<Parameters<typeof LogReader.open>[0], 'url'>): Promise<LogReader[]> {
  const before = server.stats().subscribers
  const readers = await Promise.all(Array.from({ length: count }, () => LogReader.open({ url, ...wanted })))
  open.push(...readers)
  await subscribed(before + count)
  return readers
}

test('all who ask the same cost one source, and one execution of each event', async () => {
  const runId = await newRun()
  const readers = await crowd(50, { runId })
  expect(changes.listeners).toBe(1)
  const counted = countExecutions()
  for (let round = 1; round <= 5; round++) {
    const line = await write(runId, ['a', 'b'])
    await Promise.all(readers.map((reader) => reader.until(line)))
    expect(counted.events).toBe(round)
  }
  for (const { lines, payloads } of readers) {
    expect(lines).toEqual(upTo(10))
    expect(payloads[4]).toEqual({
      data: {
        runLog: {
          cursor: 10,
          entries: [
            { line: 9, text: 'a' },
            { line: 10, text: 'b' },
          ],
        },
      },
    })
  }
})

test('readers with different cursors share what is live, each behind its own replay', async () => {
  const runId = await newRun()
  await appendLines(db, runId, upTo(20).map(String))
  const groups: LogReader[][] = []
  for (const after of [0, 7, 20, 25]) groups.push(await crowd(3, { runId, after }))
  await Promise.all(
    groups
      .slice(0, 2)
      .flat()
      .map((reader) => reader.until(20)),
  )
  await write(runId, ['21', '22'])
  await Promise.all(
    groups
      .slice(0, 3)
      .flat()
      .map((reader) => reader.until(22)),
  )
  expect(changes.listeners).toBe(1)
  // In the middle of it lies where the last group wants to begin.
  await write(runId, upTo(8).map(String))
  await Promise.all(groups.flat().map((reader) => reader.until(30)))
  for (const [index, after] of [0, 7, 20, 25].entries())
    for (const { lines } of groups[index] ?? []) expect(lines).toEqual(upTo(30).slice(after))
  const counted = countExecutions()
  await write(runId, ['31'])
  await Promise.all(groups.flat().map((reader) => reader.until(31)))
  expect(counted.events).toBe(1)
})

test('what is asked otherwise, or with another role, is not shared', async () => {
  const runId = await newRun()
  const query = `subscription ($runId: ID!, $after: Int, $bare: Boolean = false) {
    log: runLog(runId: $runId, after: $after) { cursor entries { line text @skip(if: $bare) ...who } } }
    fragment who on RunLogEntry { by: actor { name } }`
  const asked = [
    { runId },
    { runId, token: 'viewer' },
    { runId, query },
    { runId, query, variables: { bare: true } },
    { runId, query: `${query} ` },
  ]
  const readers: LogReader[] = []
  for (const [index, wanted] of asked.entries()) {
    readers.push(...(await crowd(2, wanted)))
    expect(changes.listeners).toBe(index + 1)
  }
  const counted = countExecutions()
  const line = await write(runId, ['hello'])
  await Promise.all(readers.map((reader) => reader.until(line)))
  expect(counted.events).toBe(asked.length)
  const payloadOf = (index: number) => readers[index * 2]?.payloads[0]
  const by = { name: 'Cuelight' }
  expect(payloadOf(1)).toEqual({ data: { runLog: { cursor: 1, entries: [{ line: 1, text: 'hello' }] } } })
  expect(payloadOf(2)).toEqual({ data: { log: { cursor: 1, entries: [{ line: 1, text: 'hello', by }] } } })
  expect(payloadOf(3)).toEqual({ data: { log: { cursor: 1, entries: [{ line: 1, by }] } } })
})

test('a cursor that the document uses for more than to begin with is not shared', async () => {
  const runId = await newRun()
  const field = 'runLog(runId: $runId, after: $after)'
  const query = `subscription ($runId: ID!, $after: Int) { ${field} { cursor } ${field} { entries { line } } }`
  await crowd(1, { runId, query, after: 0 })
  await crowd(1, { runId, query, after: 0 })
  expect(changes.listeners).toBe(1)
  await crowd(1, { runId, query, after: 1 })
  expect(changes.listeners).toBe(2)
})

test('the last who leaves takes the source along, whether it ends its subscription or its connection', async () => {
  const runId = await newRun()
  const [one, two, three] = await crowd(3, { runId })
  one?.leave()
  await subscribed(2)
  two?.cut()
  await subscribed(1)
  expect(changes.listeners).toBe(1)
  await write(runId, ['one'])
  await three?.until(1)
  expect([one?.lines, two?.lines, three?.lines]).toEqual([[], [], [1]])
  three?.leave()
  await subscribed(0)
  expect(changes.listeners).toBe(0)
})

test('the end of the log completes all, those who are ahead of it too, and whoever comes later', async () => {
  const runId = await newRun()
  const readers = [...(await crowd(5, { runId })), ...(await crowd(2, { runId, after: 100 }))]
  await write(runId, ['one', 'two'])
  await finish(runId)
  for (const reader of readers) expect((await reader.ended).type).toBe('complete')
  expect(readers.map(({ lines }) => lines.length)).toEqual([2, 2, 2, 2, 2, 0, 0])
  await subscribed(0)
  expect(changes.listeners).toBe(0)
  const late = await LogReader.open({ url, runId, after: 1 })
  expect((await late.ended).type).toBe('complete')
  expect(late.lines).toEqual([2])
  late.cut()
})

test('a frame has at most 256 KiB, however the document multiplies the text, and a larger line comes alone', async () => {
  const runId = await newRun()
  const [live] = await crowd(1, { runId })
  const texts = [...upTo(40).map(() => '\u00fc\n'.repeat(4_000)), 'z'.repeat(300_000), 'small']
  await write(runId, texts)
  await live?.until(42)
  const many = upTo(30)
    .map((index) => `t${index}: text`)
    .join(' ')
  const [replayed, multiplied] = [
    ...(await crowd(1, { runId })),
    ...(await crowd(1, { runId, query: RUN_LOG.replace('text', many) })),
  ]
  await Promise.all([replayed?.until(42), multiplied?.until(42)])
  for (const reader of [live, replayed, multiplied]) {
    expect(reader?.lines).toEqual(upTo(42))
    for (const [index, size] of (reader?.sizes ?? []).entries()) {
      const { entries } = Object.values(Object(reader?.payloads[index]).data)[0] as { entries: unknown[] }
      if (entries.length > 1) expect(size).toBeLessThanOrEqual(FRAME)
    }
  }
  expect(live?.payloads.length).toBeLessThan(42)
  expect(multiplied?.payloads.length).toBe(42)
})

test('a line that a document makes larger than any answer ends that subscription, and says so', async () => {
  const runId = await newRun()
  const [bystander] = await crowd(1, { runId })
  const many = upTo(400)
    .map((index) => `t${index}: text`)
    .join(' ')
  const greedy = await LogReader.open({ url, runId, query: RUN_LOG.replace('text', many) })
  await write(runId, ['x'.repeat(100_000)])
  expect(await greedy.ended).toMatchObject({
    type: 'error',
    payload: [{ message: expect.stringContaining('fewer names'), extensions: { code: 'TOO_COMPLEX' } }],
  })
  await bystander?.until(1)
  await write(runId, ['next'])
  await bystander?.until(2)
  greedy.cut()
})

test('server-sent events come in events of the same size', async () => {
  const runId = await newRun()
  await appendLines(
    db,
    runId,
    upTo(40).map(() => 'x'.repeat(3_000)),
  )
  await finish(runId)
  const many = upTo(30)
    .map((index) => `t${index}: text`)
    .join(' ')
  const query = `subscription { runLog(runId: "run_${runId}") { cursor entries { line ${many} } } }`
  const answer = await fetch(`${url}/graphql?query=${encodeURIComponent(query)}`, {
    headers: { accept: 'text/event-stream', authorization: 'Bearer admin' },
  })
  const events = (await answer.text()).split('\n\n').filter((part) => part.startsWith('event: next'))
  expect(events.length).toBeGreaterThan(10)
  for (const part of events) expect(part.length).toBeLessThanOrEqual(FRAME)
  expect(events.flatMap((part) => [...part.matchAll(/"line":(\d+)/g)].map(([, line]) => Number(line)))).toEqual(
    upTo(40),
  )
})

test('a token that is revoked closes its own sockets, and others who share with them go on', async () => {
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
  const made = await Promise.all(
    ['one', 'two'].map((name) =>
      ask(`mutation { createApiToken(input: { name: "${name}", role: VIEWER }) {
        ... on CreateApiTokenPayload { token apiToken { id } } } }`),
    ),
  )
  const [revoked, kept] = made.map((text) => ({
    id: /tok_[0-9a-f-]+/.exec(text)?.[0] ?? '',
    token: /cuelight_[\w-]{43}/.exec(text)?.[0] ?? '',
  }))
  const runId = await newRun()
  await appendLines(db, runId, ['one'])
  const open = (token = '') => LogReader.open({ url: running.url, runId, token })
  const gone = await Promise.all([open(revoked?.token), open(revoked?.token)])
  const left = await Promise.all([open(kept?.token), open(kept?.token)])
  await Promise.all([...gone, ...left].map((reader) => reader.until(1)))
  await ask(`mutation { revokeApiToken(input: { id: "${revoked?.id}" }) { __typename } }`)
  expect(await Promise.all(gone.map(({ closed }) => closed))).toEqual([4401, 4401])
  // Found by looking, since nobody tells this server.
  await appendLines(db, runId, ['two'])
  await Promise.all(left.map((reader) => reader.until(2)))
  expect(gone.map(({ lines }) => lines)).toEqual([[1], [1]])
  expect(left.map(({ socket }) => socket.readyState)).toEqual([WebSocket.OPEN, WebSocket.OPEN])
  for (const reader of left) reader.cut()
})

test('while the database is away streams stay open, and go on when it is back', async () => {
  const runId = await newRun()
  const name = new URL(databaseUrl).pathname.slice(1)
  const elsewhere = new URL(databaseUrl)
  elsewhere.pathname = '/postgres'
  const admin = new pg.Client({ connectionString: elsewhere.href })
  await admin.connect()
  onTestFinished(() => admin.end())
  await appendLines(db, runId, ['one'])
  const live = await crowd(3, { runId })
  await Promise.all(live.map((reader) => reader.until(1)))
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
  try {
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
    changes.publish({ runId, line: 2, cues: false })
    // Nobody can begin now, and nobody who has begun is ended.
    const refused = await LogReader.open({ url, runId })
    expect(await Promise.race([refused.ended, ...live.map(({ ended }) => ended)])).toMatchObject({
      type: expect.stringMatching(/error|complete/),
    })
    refused.cut()
  } finally {
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
  }
  await eventually(() => appendLines(db, runId, ['two']))
  await Promise.all(live.map((reader) => reader.until(2)))
  expect(live.map(({ lines }) => lines)).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
  ])
})

test('server-sent events are made as they are read', async () => {
  const runId = await newRun()
  const last = 200
  const texts = upTo(last).map((line) => String(line).padEnd(100_000, '.'))
  for (let from = 0; from < last; from += 50) await appendLines(db, runId, texts.slice(from, from + 50))
  await finish(runId)
  const counted = countExecutions()
  const query = `subscription { runLog(runId: "run_${runId}") { cursor entries { line text } } }`
  const asked = request(`${url}/graphql?query=${encodeURIComponent(query)}`, {
    headers: { accept: 'text/event-stream', authorization: 'Bearer admin' },
  }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.pause()
  await eventually(() => expect(server.stats().unsentBytes).toBeGreaterThan(0))
  // As many reads as it would take to have all of it.
  for (let times = 0; times < last; times++) await db.prisma.run.count()
  expect(counted.events).toBeLessThan(last)
  expect(server.stats().unsentBytes).toBeLessThan(2 ** 20 + FRAME)
  let text = ''
  for await (const chunk of answer.setEncoding('latin1')) text += chunk
  expect([...text.matchAll(/"line":(\d+)/g)].map(([, line]) => Number(line))).toEqual(upTo(last))
  expect(counted.events).toBe(last)
})
