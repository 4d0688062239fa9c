import { connect } from 'node:net'
import ICAL from 'ical.js'
import { beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { served, TOKEN } from './served.ts'
import { startServer } from './small-api.ts'

const WRONG = /^The secret in the address is not valid/

let server: Awaited<ReturnType<typeof served>>
beforeAll(async () => {
  const { url } = await testDatabase()
  const stops: (() => Promise<void>)[] = []
  server = await served(
    { DATABASE_URL: url, CUELIGHT_PUBLIC_URL: 'https://cuelight.example' },
    { until: (stop) => void stops.push(stop) },
  )
  await server.publish('quiz', [{ actionId: 'core.log', params: { message: 'hello' } }])
  return async () => {
    for (const stop of stops) await stop()
  }
})

async function made(role: string, more = ''): Promise<{ id: string; token: string }> {
  const answer = await server.ask(
    `mutation { createApiToken(input: {name: "phones", role: ${role}${more}}) { ... on CreateApiTokenPayload { token apiToken { id } } } }`,
  )
  const { token, apiToken } = JSON.parse(answer).data.createApiToken
  return { id: apiToken.id, token }
}

async function feed(query: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(`${server.url}/calendar.ics${query}`, { headers, method })
  const text = await response.text()
  const error = response.headers.get('content-type')?.includes('json') ? JSON.parse(text).error : null
  return { status: response.status, headers: response.headers, text, error }
}

test('the address of a calendar is of what people reach the server at, and of no other role', async () => {
  const addressOf = async (role: string) => {
    const answer = await server.ask(
      `mutation { createApiToken(input: {name: "phones", role: ${role}}) { ... on CreateApiTokenPayload { token calendarAddress } } }`,
    )
    return JSON.parse(answer).data.createApiToken
  }
  const { token, calendarAddress } = await addressOf('CALENDAR')
  expect(calendarAddress).toBe(`https://cuelight.example/calendar.ics?secret=${token}`)
  expect(await addressOf('VIEWER')).toMatchObject({ calendarAddress: null })
})

test('a calendar gets the feed by the secret in its address, and what it has already is not sent again', async () => {
  const { token } = await made('CALENDAR')
  const definitions = await server.ask('{ definition(slug: "quiz") { id } }')
  await server.startRun(/def_[0-9a-f-]+/.exec(definitions)?.[0] ?? '')
  const { status, headers, text } = await feed(`?secret=${token}`)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/calendar; charset=utf-8')
  expect(headers.get('cache-control')).toBe('private, no-cache')
  const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent')
  expect(events.map((event) => new ICAL.Event(event).summary)).toEqual(['quiz'])
  expect(String(events[0]?.getFirstPropertyValue('url'))).toMatch(/^https:\/\/cuelight\.example\/runs\/run_/)
  await server.reaches(/run_[0-9a-f-]+/.exec(text.replaceAll('\r\n ', ''))?.[0] ?? '', 'COMPLETED')

  const etag = (await feed(`?secret=${token}`)).headers.get('etag') ?? ''
  const again = await feed(`?secret=${token}`, { 'if-none-match': etag })
  expect({ status: again.status, text: again.text, etag: again.headers.get('etag') }).toEqual({
    status: 304,
    text: '',
    etag,
  })
  expect((await feed(`?secret=${token}`, { 'if-none-match': '"other"' })).status).toBe(200)
  const head = await feed(`?secret=${token}`, {}, 'HEAD')
  expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag])
  expect((await feed(`?secret=${token}`, {}, 'POST')).status).toBe(405)
})

test('of one event, by its slug; of none that there is, it says so', async () => {
  const { token } = await made('CALENDAR')
  await server.publish('other', [])
  expect((await feed(`?secret=${token}&event=other`)).text).not.toContain('SUMMARY:quiz')
  const missing = await feed(`?event=nothing&secret=${token}`)
  expect(missing).toMatchObject({ status: 404, error: expect.stringMatching(/^There is no event "nothing"; leave/) })
  for (const slug of ['%00', '%ED%A0%80', '%F0%9F%91%B9', 'Quiz', '', 'x'.repeat(1_000)])
    expect(await feed(`?event=${slug}&secret=${token}`), slug).toMatchObject({
      status: 404,
      error: expect.stringMatching(/^There is no event ".*"; leave/),
    })
})

test('without a secret that holds there is no feed', async () => {
  expect(await feed('')).toMatchObject({
    status: 401,
    error: expect.stringMatching(/needs its secret in the address.*cuelight token create NAME --role CALENDAR/),
  })
  const { token, id } = await made('CALENDAR')
  expect((await feed(`?secret=${token}`)).status).toBe(200)
  await server.ask(`mutation { revokeApiToken(input: {id: "${id}"}) { __typename } }`)
  const refused = await feed(`?secret=${token}`)
  expect(refused).toMatchObject({ status: 401, error: expect.stringMatching(WRONG) })
  expect(refused.headers.get('www-authenticate')).not.toBeNull()
  for (const secret of [`${token.slice(0, -1)}-`, 'x', 'x'.repeat(2_000), '%00', '%F0%9F%91%B9'])
    expect(await feed(`?secret=${secret}`), secret).toMatchObject({ status: 401, error: expect.stringMatching(WRONG) })
})

test.each(['VIEWER', 'EMITTER', 'MODERATOR', 'ADMIN'])(
  'a token of the role %s is no secret of a calendar',
  async (role) => {
    const { token } = await made(role)
    expect(await feed(`?secret=${token}`)).toMatchObject({ status: 401, error: expect.stringMatching(WRONG) })
    expect((await feed('', { authorization: `Bearer ${token}` })).status).toBe(401)
  },
)

test('nor is the owner’s token', async () => {
  expect((await feed(`?secret=${TOKEN}`)).status).toBe(401)
  expect((await feed('', { authorization: `Bearer ${TOKEN}` })).status).toBe(401)
})

test('the secret of a calendar opens nothing else', async () => {
  const { token } = await made('CALENDAR')
  const authorization = `Bearer ${token}`
  for (const query of ['{ viewer { name } }', '{ runner { dueRuns } }', '{ publicResults(runId: "run_x") { rank } }'])
    expect(await server.ask(query, {}, { authorization })).toContain('UNAUTHENTICATED')
  expect((await fetch(`${server.url}/metrics`, { headers: { authorization } })).status).toBe(401)
})

test('its use is noted, and it is listed and audited like any token', async () => {
  const { token, id } = await made('CALENDAR')
  await feed(`?secret=${token}`)
  const listed = JSON.parse(await server.ask('{ apiTokens { id role lastUsedAt } }')).data.apiTokens
  expect(listed).toContainEqual({ id, role: 'CALENDAR', lastUsedAt: expect.stringMatching(/^\d{4}-/) })
  expect(await server.ask('{ auditLog(first: 1) { edges { node { action detail } } } }')).toContain('"role":"CALENDAR"')
})

test('no log and no metric shows a secret, whatever becomes of the request', async () => {
  const { token } = await made('CALENDAR')
  const { hostname, port } = new URL(server.url)
  for (const query of [`?secret=${token}`, `?secret=${token}&event=nothing`, `?x=${token}`]) await feed(query)
  // One that leaves before it is answered.
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET /calendar.ics?secret=${token} HTTP/1.1\r\nhost: x\r\n\r\n`, () => {
        socket.destroy()
        resolve()
      })
    })
  })
  expect((await fetch(`${server.url}/nowhere?secret=${token}`)).status).toBe(404)
  const metrics = await (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text()
  expect(server.lines.length).toBeGreaterThan(0)
  expect(server.lines.join('') + metrics).not.toContain(token.slice('cuelight_'.length))
})

test('with one secret so many calendar feeds are made at a time; other secrets are answered meanwhile', async () => {
  let make = (): void => {}
  const making = new Promise<void>((resolve) => {
    make = resolve
  })
  let begun = 0
  const { url } = await startServer({
    bounds: { feedsOfSecret: 2 },
    calendar: async (query, admit) => {
      const secret = query.get('secret') ?? ''
      if (!admit(secret)) return { kind: 'refused', status: 429, error: 'too many' }
      begun += 1
      if (secret === 'busy') await making
      return { kind: 'feed', text: secret, etag: '"x"' }
    },
  })
  const ask = (secret: string) => fetch(`${url}/calendar.ics?secret=${secret}`)
  const open = [ask('busy'), ask('busy')]
  await eventually(() => expect(begun).toBe(2))
  const refused = await ask('busy')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  expect((await ask('other')).status).toBe(200)
  make()
  for (const answer of await Promise.all(open)) expect(answer.status).toBe(200)
  expect((await ask('busy')).status).toBe(200)
})
