import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { createTestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { databaseLink } from './database-link.ts'
import { parseExposition, valueIn } from './exposition.ts'
import { served, TOKEN } from './served.ts'
import { SLIPPED } from './watched-world.ts'

async function ownDatabase() {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  return database
}

async function scrape(url: string, authorization: string | null = `Bearer ${TOKEN}`) {
  const response = await fetch(`${url}/metrics`, { headers: authorization === null ? {} : { authorization } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const pageOf = async (url: string) => parseExposition((await scrape(url)).text)

test('what runs did, and what is open, stands on the page in numbers', async () => {
  const { url: databaseUrl, db } = await ownDatabase()
  const { url, ask, publish, startRun, reaches } = await served({
    DATABASE_URL: databaseUrl,
    CUELIGHT_MODULES: 'test/server/watched-world.ts',
    CUELIGHT_STEP_RETRY_MS: '10',
  })
  const fresh = await pageOf(url)
  expect(valueIn(fresh, 'cuelight_steps_total', { outcome: 'DONE' })).toBe(0)
  expect(valueIn(fresh, 'cuelight_missed_runs_total', { reason: 'KEY_HELD' })).toBe(0)

  await ask(`mutation { setActionSetting(input: {actionId: "watched.off", enabled: false}) { __typename } }`)
  const cue = { actionId: 'core.cue', params: { instruction: 'Open the gate' } }
  const log = { actionId: 'core.log', params: { message: 'hello' } }
  await reaches(await startRun(await publish('good', [log, { actionId: 'watched.flaky' }])), 'COMPLETED')
  await reaches(await startRun(await publish('bad', [{ actionId: 'watched.fail' }])), 'PAUSED')
  await reaches(await startRun(await publish('off', [{ actionId: 'watched.off' }])), 'PAUSED')
  const waits = await publish('waits', [cue])
  const waiting = await startRun(waits)
  await reaches(waiting, 'RUNNING')
  const later = `mutation { startRun(input: {definitionId: "${waits}", scheduledFor: "2199-01-01T00:00:00Z"}) {
    ... on StartRunPayload { run { id } } } }`
  await ask(later)
  const late = /run_([0-9a-f-]+)/.exec(await ask(later.replace('2199', '2198')))?.[1] ?? ''

  // One that nobody started in time, and one whose holder died.
  await db.prisma.run.update({
    where: { id: late },
    data: { scheduledFor: new Date(0), graceUntil: new Date(1), wakeAt: new Date(0) },
  })
  await db.prisma.run.update({
    where: { id: waiting.slice('run_'.length) },
    data: { claimedBy: 'a process that died', leaseUntil: new Date(0) },
  })

  const page = await eventually(async () => {
    const read = await pageOf(url)
    expect(valueIn(read, 'cuelight_lease_takeovers_total')).toBe(1)
    expect(valueIn(read, 'cuelight_missed_runs_total', { reason: 'NOT_RUNNING' })).toBe(1)
    expect(valueIn(read, 'cuelight_steps_total', { outcome: 'PARKED' })).toBe(1)
    expect(valueIn(read, 'cuelight_runs', { status: 'SCHEDULED' })).toBe(1)
    return read
  })
  const outcomes = ['DONE', 'PARKED', 'RETRIED', 'FAILED', 'REFUSED', 'CANCELLED', 'LATE']
  expect(outcomes.map((outcome) => valueIn(page, 'cuelight_steps_total', { outcome }))).toEqual([2, 1, 1, 1, 1, 0, 0])
  expect(valueIn(page, 'cuelight_steps_refused_total', { code: 'ACTION_DISABLED' })).toBe(1)
  expect(valueIn(page, 'cuelight_runs_ended_total', { status: 'COMPLETED' })).toBe(1)
  expect(valueIn(page, 'cuelight_runs_ended_total', { status: 'FAILED' })).toBe(0)
  const statuses = ['SCHEDULED', 'STARTING', 'RUNNING', 'PAUSED', 'ENDING']
  expect(statuses.map((status) => valueIn(page, 'cuelight_runs', { status }))).toEqual([1, 0, 1, 2, 0])
  expect(valueIn(page, 'cuelight_open_cues')).toBe(1)
  expect(valueIn(page, 'cuelight_start_lateness_seconds_count')).toBe(4)
  const calls = { 'core.log': 1, 'watched.flaky': 2, 'watched.fail': 1, 'core.cue': 1 }
  const family = page.get('cuelight_dispatch_duration_seconds')
  const counts = family?.samples.filter(({ name }) => name.endsWith('_count'))
  expect(Object.fromEntries(counts?.map(({ labels, value }) => [labels.action, value]) ?? [])).toEqual(calls)
  expect(valueIn(page, 'cuelight_database_up')).toBe(1)
  expect(valueIn(page, 'cuelight_oldest_due_run_age_seconds')).toBe(0)
  for (const queue of ['due_runs', 'working', 'dispatches', 'reverts', 'transitions'])
    expect([queue, valueIn(page, 'cuelight_queue_depth', { queue })]).toEqual([queue, 0])

  const { text } = await scrape(url)
  for (const secret of [TOKEN, SLIPPED, new URL(databaseUrl).password, 'Open the gate'])
    if (secret !== '') expect(text).not.toContain(secret)
})

test('open subscriptions of sockets and event streams are counted, and no more once they end', async () => {
  const { url: databaseUrl } = await ownDatabase()
  const { url } = await served({ DATABASE_URL: databaseUrl })
  const subscribers = (count: number) =>
    eventually(async () => expect(valueIn(await pageOf(url), 'cuelight_subscribers')).toBe(count))
  await subscribers(0)
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  onTestFinished(() => socket.terminate())
  const query = 'subscription { cues { __typename } }'
  socket.on('open', () =>
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${TOKEN}` } })),
  )
  socket.on('message', (data) => {
    if (!String(data).includes('connection_ack')) return
    for (const id of ['a', 'b']) socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }))
  })
  await subscribers(2)
  const stream = new AbortController()
  onTestFinished(() => stream.abort())
  await fetch(`${url}/graphql?query=${encodeURIComponent(query)}`, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${TOKEN}` },
    signal: stream.signal,
  })
  await subscribers(3)
  stream.abort()
  await subscribers(2)
  socket.send(JSON.stringify({ id: 'a', type: 'complete' }))
  await subscribers(1)
  socket.close()
  await subscribers(0)
  expect(valueIn(await pageOf(url), 'cuelight_socket_unsent_bytes')).toBe(0)
})

test('only who may read sees it; the others learn what to do', async () => {
  const { url: databaseUrl } = await ownDatabase()
  const { url, ask } = await served({ DATABASE_URL: databaseUrl })
  const tokenOf = async (role: string) => {
    const made = await ask(
      `mutation { createApiToken(input: {name: "${role}", role: ${role}}) { ... on CreateApiTokenPayload { token } } }`,
    )
    return /cuelight_[\w-]+/.exec(made)?.[0] ?? made
  }
  for (const role of ['VIEWER', 'MODERATOR', 'ADMIN']) {
    const { status, headers } = await scrape(url, `Bearer ${await tokenOf(role)}`)
    expect([role, status]).toEqual([role, 200])
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  }
  const emitter = await scrape(url, `Bearer ${await tokenOf('EMITTER')}`)
  expect(emitter.status).toBe(403)
  expect(JSON.parse(emitter.text).error).toMatch(/use one of the role VIEWER, MODERATOR or ADMIN\.$/)
  for (const authorization of [null, 'Bearer wrong-token-of-nobody', 'nonsense']) {
    const { status, headers, text } = await scrape(url, authorization)
    expect([authorization, status, headers.get('www-authenticate')]).toEqual([authorization, 401, 'Bearer'])
    expect(JSON.parse(text).error).toMatch(/"Bearer <token>".*\.$/)
    expect(text).not.toContain('cuelight_steps_total')
  }
  const posted = await fetch(`${url}/metrics`, { method: 'POST' })
  expect(posted.status).toBe(405)
})

test.each(['cut', 'freeze'] as const)(
  'with the database away (%s) it says what the process knows, to whom it let in before',
  async (how) => {
    const { url: databaseUrl } = await ownDatabase()
    const link = await databaseLink(databaseUrl)
    const { url, ask, publish, startRun, reaches } = await served({ DATABASE_URL: link.url })
    const [viewer = '', other = ''] = await Promise.all(
      ['viewer', 'other'].map(async (name) => {
        const made = await ask(
          `mutation { createApiToken(input: {name: "${name}", role: VIEWER}) { ... on CreateApiTokenPayload { token } } }`,
        )
        return /cuelight_[\w-]+/.exec(made)?.[0]
      }),
    )
    await reaches(
      await startRun(await publish('good', [{ actionId: 'core.log', params: { message: 'hi' } }])),
      'COMPLETED',
    )
    expect((await scrape(url, `Bearer ${viewer}`)).status).toBe(200)

    await link[how]()
    const askedAt = performance.now()
    const answers = await Promise.all([viewer, TOKEN, other].map((token) => scrape(url, `Bearer ${token}`)))
    expect(performance.now() - askedAt).toBeLessThan(20_000)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 503])
    expect(JSON.parse(answers[2]?.text ?? '').error).toMatch(/ask again later\.$/)
    for (const { text } of answers.slice(0, 2)) {
      const page = parseExposition(text)
      expect(valueIn(page, 'cuelight_database_up')).toBe(0)
      expect(valueIn(page, 'cuelight_steps_total', { outcome: 'DONE' })).toBe(1)
      expect(valueIn(page, 'cuelight_runs', { status: 'RUNNING' })).toBeUndefined()
      expect(valueIn(page, 'cuelight_open_cues')).toBeUndefined()
      expect(valueIn(page, 'cuelight_queue_depth', { queue: 'due_runs' })).toBeUndefined()
      expect(valueIn(page, 'cuelight_queue_depth', { queue: 'dispatches' })).toBe(0)
    }
    link.mend()
    await eventually(async () => expect(valueIn(await pageOf(url), 'cuelight_database_up')).toBe(1))
  },
)

test('every metric is documented with its type and labels, and what is documented is there', async () => {
  const { url: databaseUrl } = await ownDatabase()
  const { url, publish, startRun, reaches } = await served({ DATABASE_URL: databaseUrl })
  await reaches(
    await startRun(await publish('good', [{ actionId: 'core.log', params: { message: 'hi' } }])),
    'COMPLETED',
  )
  const page = await pageOf(url)
  const rows = readFileSync('docs/watching.md', 'utf8').matchAll(/^\| `(cuelight_\w+)` \| (\w+) \|([^|]*)\|(.*)\|$/gm)
  const documented = [...rows].map(([, name = '', type = '', labels = '', text = '']) => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
    text,
  }))
  const onPage = [...page.keys()].filter((name) => name.startsWith('cuelight_'))
  expect(documented.map(({ name }) => name).sort()).toEqual(onPage.sort())
  for (const { name, type, labels, text } of documented) {
    const { type: served, help, samples } = page.get(name) ?? {}
    expect([name, type]).toEqual([name, served])
    expect(help?.length).toBeGreaterThan(20)
    // A failure of a duty has no sample before there was one.
    if (name === 'cuelight_duty_failures_total') continue
    for (const sample of samples ?? []) {
      const { le: _, ...own } = sample.labels
      expect([name, Object.keys(own)]).toEqual([name, labels])
      for (const value of Object.values(own))
        if (!('action' in own)) expect([name, text]).toEqual([name, expect.stringContaining(value)])
    }
  }
  const others = [...page.keys()].filter((name) => !name.startsWith('cuelight_'))
  expect(others.filter((name) => !/^(process|nodejs)_/.test(name))).toEqual([])
  expect(others).toEqual(
    expect.arrayContaining([
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
      'nodejs_eventloop_lag_p99_seconds',
    ]),
  )
})
