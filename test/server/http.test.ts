import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { MAX_BODY_BYTES } from '../../src/server/graphql-endpoint.ts'
import { AUTHORIZATION, Numbers, smallApi, startServer } from './small-api.ts'

const JSON_TYPE = 'application/json'

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': JSON_TYPE, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
}

test('a query over HTTP is answered, with the caller that its token proves', async () => {
  const { url } = await startServer()
  const answer = await post(url, { query: '{ hello caller }' }, { authorization: AUTHORIZATION })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ data: { hello: 'world', caller: 'admin' } })
})

test('without a token a query runs as nobody', async () => {
  const { url } = await startServer()
  expect((await post(url, { query: '{ caller }' })).body).toEqual({ data: { caller: null } })
})

test('a wrong token is UNAUTHENTICATED for any operation', async () => {
  const { url } = await startServer()
  const answer = await post(url, { query: '{ hello }' }, { authorization: 'Bearer wrong' })
  expect(answer.status).toBe(401)
  expect(answer.body.data ?? null).toBeNull()
  expect(answer.body.errors[0].extensions.code).toBe('UNAUTHENTICATED')
  expect(JSON.stringify(answer.body)).not.toContain('"http"')
})

test.each([['{ nope }'], ['{ hello'], ['']])(
  'a wrong token comes first, before what is wrong with the document %j',
  async (query) => {
    const { url } = await startServer()
    const answer = await post(url, { query }, { authorization: 'Bearer wrong' })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(answer.body.errors).toEqual([expect.objectContaining({ extensions: { code: 'UNAUTHENTICATED' } })])
  },
)

test.each([['variables'], ['extensions']])('%s in an address that are no JSON are named in a 400', async (name) => {
  const { url } = await startServer()
  for (const text of ['{', 'abc', '{"a": 1']) {
    const response = await fetch(`${url}/graphql?query={hello}&${name}=${encodeURIComponent(text)}`)
    expect(response.status).toBe(400)
    const { errors } = JSON.parse(await response.text())
    expect(errors[0].message).toContain(`"${name}" in the address is no JSON; it may be an object`)
  }
  const fits = await fetch(`${url}/graphql?query={hello}&${name}=${encodeURIComponent('{"a": 1}')}`)
  expect(await fits.json()).toEqual({ data: { hello: 'world' } })
})

test('malformed JSON is a 400 and not a fault', async () => {
  const { url } = await startServer()
  const answer = await post(url, '{"query": ')
  expect(answer.status).toBe(400)
  expect(answer.body.errors[0].message).toMatch(/JSON/)
})

test.each([['null'], ['[]'], ['42'], ['"text"'], ['{}'], ['{"query": 42}'], ['']])(
  'a body of %s is the client’s mistake',
  async (body) => {
    const { url } = await startServer()
    const answer = await post(url, body)
    expect(answer.status).toBeLessThan(500)
    expect(answer.body.data).toBeUndefined()
    expect(answer.body.errors[0].message).toEqual(expect.any(String))
    expect(answer.body.errors[0].message).not.toBe('Internal server error.')
  },
)

test('a syntax error is told with its place', async () => {
  const { url } = await startServer()
  const answer = await post(url, { query: '{ hello' })
  expect(answer.body.errors[0].message).toMatch(/Syntax Error/)
  expect(answer.body.errors[0].locations).toEqual([{ line: 1, column: 8 }])
})

test('a body over 1 MiB is refused with 413, announced or not', async () => {
  const { url } = await startServer()
  const tooLong = JSON.stringify({ query: `{ hello } # ${'x'.repeat(MAX_BODY_BYTES)}` })
  const answer = await post(url, tooLong)
  expect(answer.status).toBe(413)
  expect(answer.body.errors[0].message).toContain('at most 1048576 bytes (1 MiB)')

  const chunked = request(`${url}/graphql`, { method: 'POST', headers: { 'content-type': JSON_TYPE } })
  chunked.on('error', () => {})
  chunked.write(tooLong.slice(0, 1000))
  chunked.end(tooLong.slice(1000))
  const [response] = await once(chunked, 'response')
  response.resume()
  expect(response.statusCode).toBe(413)
})

test('a body of just under 1 MiB is taken', async () => {
  const { url } = await startServer()
  const answer = await post(url, { query: `{ hello } # ${'x'.repeat(MAX_BODY_BYTES - 100)}` })
  expect(answer.body).toEqual({ data: { hello: 'world' } })
})

test.each([['text/plain'], ['application/x-www-form-urlencoded'], ['multipart/form-data; boundary=x'], ['']])(
  'content type %j, which a page of any origin may send, is refused',
  async (type) => {
    const { url } = await startServer()
    const answer = await post(url, { query: 'mutation { touch }' }, { 'content-type': type })
    expect(answer.status).toBe(415)
    expect(answer.body.errors[0].message).toMatch(/application\/json/)
  },
)

test.each(['application/json', 'application/graphql-response+json', 'application/*;q=0.5'])(
  'a subscription that takes no stream (%s) does not begin, and is told what to send',
  async (accept) => {
    let begun = 0
    const numbers = () => {
      begun += 1
      return new Numbers()
    }
    const { url } = await startServer({ api: smallApi(numbers) })
    const answer = await post(url, { query: 'subscription { numbers }' }, { accept, authorization: AUTHORIZATION })
    expect(answer.status).toBe(406)
    expect(answer.body.errors).toEqual([
      {
        message:
          'A subscription is answered with a stream of events: send "accept: text/event-stream", or subscribe over WebSocket.',
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ])
    expect(begun).toBe(0)
  },
)

test.each(['text/html', 'image/png, text/csv', 'multipart/mixed'])(
  'what cannot be answered as it wants (%s) is not executed, and is told what it may want',
  async (accept) => {
    let touched = 0
    const api = smallApi()
    const { url } = await startServer({
      api: {
        ...api,
        execute: async () => {
          touched += 1
          return { data: { touch: 'touched' } }
        },
      },
    })
    for (const query of ['mutation { touch }', '{ hello }', 'subscription { numbers }']) {
      const answer = await post(url, { query }, { accept, authorization: AUTHORIZATION })
      expect(answer.status).toBe(406)
      expect(answer.body.errors[0].message).toMatch(
        /^accept may be one of application\/graphql-response\+json, application\/json, text\/event-stream; nothing was done/,
      )
    }
    expect(touched).toBe(0)
    expect((await post(url, { query: '{ hello }' }, { accept: `${accept}, */*;q=0.1` })).status).toBe(200)
    expect(touched).toBe(1)
  },
)

test('a mutation by GET is refused', async () => {
  const { url } = await startServer()
  const response = await fetch(`${url}/graphql?query=${encodeURIComponent('mutation { touch }')}`)
  expect(response.status).toBe(405)
})

test('an internal fault is masked with an id', async () => {
  const { url } = await startServer()
  const answer = await post(url, { query: '{ fail }' })
  expect(JSON.stringify(answer.body)).not.toContain('secret')
  expect(answer.body.errors[0].extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', id: 'e-1' })
})

test('a database that cannot be asked for the token is a masked fault', async () => {
  const { url } = await startServer()
  const answer = await post(url, { query: '{ hello }' }, { authorization: 'Bearer database-is-away' })
  expect(answer.body.errors[0].extensions.code).toBe('INTERNAL_SERVER_ERROR')
})

test('a token that nobody can check now is a 503 that says to try again', async () => {
  const { url } = await startServer()
  const answer = await post(url, { query: '{ caller }' }, { authorization: 'Bearer key-set-is-away' })
  expect(answer.status).toBe(503)
  expect(answer.body.errors[0].message).toMatch(/cannot be checked at the moment.*try again/)
  expect(answer.body.errors[0].extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR' })
})

test('GraphiQL is for browsers only, and loads nothing from elsewhere', async () => {
  const { url } = await startServer()
  const browser = await fetch(`${url}/graphql`, { headers: { accept: 'text/html,application/xhtml+xml' } })
  expect(browser.status).toBe(200)
  expect(browser.headers.get('content-type')).toMatch(/^text\/html/)
  const html = await browser.text()
  expect(html).toContain('renderYogaGraphiQL')
  expect(html).not.toMatch(/<(script|link)[^>]+(src|href)="?https?:/)

  const program = await fetch(`${url}/graphql`, { headers: { accept: JSON_TYPE } })
  expect(program.headers.get('content-type')).toMatch(/json/)
})

test('a subscription comes as server-sent events, and ends when the client goes', async () => {
  const numbers = new Numbers()
  const { url } = await startServer({ api: smallApi(() => numbers) })
  const leave = new AbortController()
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': JSON_TYPE, accept: 'text/event-stream', authorization: AUTHORIZATION },
    body: JSON.stringify({ query: 'subscription { numbers }' }),
    signal: leave.signal,
  })
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  numbers.push(7)
  numbers.push(8)
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('"numbers":8')) break
  }
  expect([...text.matchAll(/data: (\{.*\})/g)].map((match) => match[1])).toEqual([
    '{"data":{"numbers":7}}',
    '{"data":{"numbers":8}}',
  ])
  leave.abort()
  await numbers.returned
})

test('pages of other origins are told that they may not read, unless the owner named them', async () => {
  const preflight = async (allowedOrigins: string[], origin: string) => {
    const { url } = await startServer({ allowedOrigins })
    const response = await fetch(`${url}/graphql`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    })
    return response.headers.get('access-control-allow-origin')
  }
  expect(await preflight([], 'https://elsewhere.example')).toBeNull()
  expect(await preflight(['https://dashboard.example'], 'https://dashboard.example')).toBe('https://dashboard.example')
  expect(await preflight(['https://dashboard.example', 'https://b.example'], 'https://elsewhere.example')).not.toBe(
    'https://elsewhere.example',
  )
})

test('/healthz answers as long as the process lives', async () => {
  const { url } = await startServer()
  const response = await fetch(`${url}/healthz`)
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
})

test('/readyz is a 503 with its reasons until there are none, and names warnings and the zone data either way', async () => {
  let reasons = ['database: it does not answer.']
  const { url } = await startServer({
    readiness: async () => ({ ready: reasons.length === 0, reasons, warnings: ['module ./broken.ts did not load.'] }),
  })
  const before = await fetch(`${url}/readyz`)
  expect([before.status, await before.json()]).toEqual([
    503,
    {
      status: 'not ready',
      reasons: ['database: it does not answer.'],
      warnings: ['module ./broken.ts did not load.'],
      zoneData: 'none',
    },
  ])
  reasons = []
  const after = await fetch(`${url}/readyz`)
  expect([after.status, await after.json()]).toEqual([
    200,
    { status: 'ready', reasons: [], warnings: ['module ./broken.ts did not load.'], zoneData: 'none' },
  ])
})

test('the front page says where things are; unknown paths and methods are told so', async () => {
  const { url } = await startServer()
  const page = await fetch(`${url}/`)
  expect(page.headers.get('content-type')).toMatch(/^text\/html/)
  expect(await page.text()).toContain('href="/graphql"')
  expect((await fetch(`${url}/nothing`)).status).toBe(404)
  const wrong = await fetch(`${url}/readyz`, { method: 'POST' })
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('a request that is no HTTP, or has a strange Host or path, harms nobody', async () => {
  const { url } = await startServer()
  const { port, hostname } = new URL(url)
  for (const garbage of [
    'nonsense\r\n\r\n',
    'GET //// HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /graphql?query={hello} HTTP/1.1\r\nHost: [bad host%\r\nConnection: close\r\n\r\n',
    'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: -1\r\n\r\n',
  ]) {
    const socket = connect(Number(port), hostname)
    socket.resume()
    socket.end(garbage)
    await once(socket, 'close')
  }
  expect((await post(url, { query: '{ hello }' })).status).toBe(200)
})

test.each(['a b', '[::1', 'a:99999', '@', 'a@b', 'x/y', 'x?', 'x#y', 'x\\\\y'])(
  'a Host that is none, like %j, is a 400 that says so and tells nothing of the server',
  async (host) => {
    const { url } = await startServer()
    const answer = await rawGet(url, host)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('The Host header names no host')
    expect(answer).not.toContain(process.cwd())
  },
)

test.each(['', 'x', 'x:1', '[::1]:80', 'a_b.example'])('a Host like %j is served', async (host) => {
  const { url } = await startServer()
  expect(await rawGet(url, host)).toMatch(/^HTTP\/1\.1 200 /)
})

test('a content type is known in any case', async () => {
  const { url } = await startServer()
  const answer = await post(url, { query: '{ hello }' }, { 'content-type': 'Application/JSON; Charset=UTF-8' })
  expect(answer.body).toEqual({ data: { hello: 'world' } })
})

test('closing ends event streams, and the port is free again', async () => {
  const numbers = new Numbers()
  const { url, server } = await startServer({ api: smallApi(() => numbers) })
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': JSON_TYPE, accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription { numbers }' }),
  })
  const ended = response.text().then(
    () => 'ended',
    () => 'cut',
  )
  await server.close()
  await numbers.returned
  expect(['ended', 'cut']).toContain(await ended)
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
})

test('a port that is taken is an error of listening', async () => {
  const { url } = await startServer()
  const { server: second } = await startServer()
  await expect(second.listen({ host: '127.0.0.1', port: Number(new URL(url).port) })).rejects.toThrow()
})

async function rawGet(url: string, host: string): Promise<string> {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(`GET /graphql?query={hello} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  return text(socket)
}
