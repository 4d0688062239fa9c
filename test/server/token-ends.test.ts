import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from 'graphql-ws'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { readConfig } from '../../src/server/config.ts'
import { createLogger } from '../../src/server/logger.ts'
import { OpenCredentials } from '../../src/server/open-credentials.ts'
import { serve } from '../../src/server/serve.ts'
import { Changes } from '../../src/store/changes.ts'
import { mintId } from '../../src/store/ids.ts'
import { Notifications } from '../../src/store/notifications.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { AUTHORIZATION, authenticate, smallApi, startServer } from './small-api.ts'

const { url: databaseUrl, db } = await testDatabase()
const OWNER = 'the-admin-token-of-the-owner'
const OVER = { code: 4401, reason: 'The token was revoked or has expired' }
const silent = createLogger({ level: 'silent', format: 'json' })
const CUES = 'subscription { cues { type } }'

async function start(env: Record<string, string> = {}) {
  const read = readConfig({ PORT: '0', DATABASE_URL: databaseUrl, CUELIGHT_ADMIN_TOKEN: OWNER, ...env })
  if (!read.ok) throw new Error(read.problems.join(' '))
  const lines: string[] = []
  const log = createLogger(
    { level: 'debug', format: 'json' },
    { destination: { write: (line) => void lines.push(line) } },
  )
  const server = await serve(read.config, { migrate: false, log, announceToken: () => {} })
  onTestFinished(() => server.stop())
  return { url: server.url, lines }
}

async function ask(url: string, query: string, token = OWNER) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
  return { status: response.status, text: await response.text() }
}

async function makeToken(url: string, fields = ''): Promise<{ id: string; token: string }> {
  const { text } = await ask(
    url,
    `mutation { createApiToken(input: { name: "watcher", role: VIEWER ${fields} }) {
      ... on CreateApiTokenPayload { token apiToken { id } } } }`,
  )
  const [id = '', token = ''] = [/tok_[0-9a-f-]+/.exec(text)?.[0], /cuelight_[\w-]{43}/.exec(text)?.[0]]
  expect(token).not.toBe('')
  return { id, token }
}
const revoke = (url: string, id: string) =>
  ask(url, `mutation { revokeApiToken(input: { id: "${id}" }) { __typename } }`)

/** A socket with a subscription that is open: what it is closed with, in the end. Rejects where it is closed before. */
async function follow(url: string, token: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  onTestFinished(() => socket.terminate())
  const closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }))
  const send = (message: object) => socket.send(JSON.stringify(message))
  const open = async () => {
    await once(socket, 'open')
    send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } })
    expect(String((await once(socket, 'message'))[0])).toContain('connection_ack')
    send({ id: 'cues', type: 'subscribe', payload: { query: CUES } })
    // Answered after it, so that the other one is open by then.
    send({ id: 'who', type: 'subscribe', payload: { query: '{ viewer { name } }' } })
    await new Promise<void>((resolve) => socket.on('message', (data) => String(data).includes('viewer') && resolve()))
  }
  const tooSoon = closed.then((how) => {
    throw new Error(`It was closed before it was open: ${JSON.stringify(how)}`)
  })
  tooSoon.catch(() => {})
  await Promise.race([open(), tooSoon])
  return { socket, closed, send }
}

/** Follows with a token that is over soon; where the machine is too slow for it to be open by then, with one that lasts longer. */
async function followUntilOver(url: string, tokenUntil: (endsAt: Date) => Promise<string>) {
  for (let seconds = 2; ; seconds *= 2) {
    const endsAt = new Date((Math.ceil(Date.now() / 1_000) + seconds) * 1_000)
    const token = await tokenUntil(endsAt)
    try {
      return { ...(await follow(url, token)), token, endsAt: endsAt.getTime() }
    } catch (error) {
      if (Date.now() < endsAt.getTime()) throw error
    }
  }
}

/** An event stream that is open: rejects or ends when it is cut. */
async function stream(url: string, token: string) {
  const response = await fetch(`${url}/graphql?query=${encodeURIComponent(CUES)}`, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
  })
  expect(response.status).toBe(200)
  const text = response.text()
  return { ended: text.then((all) => (all.includes('event: complete') ? 'completed' : 'cut')).catch(() => 'cut') }
}

test('a token that is revoked ends its sockets and streams, in this process at once and soon in others, and no others', async () => {
  const [here, there] = [await start(), await start()]
  const { id, token } = await makeToken(here.url)
  const bystander = await makeToken(here.url)
  const open = await Promise.all([follow(here.url, token), follow(there.url, token)])
  const streams = await Promise.all([stream(here.url, token), stream(there.url, token)])
  const left = await Promise.all([follow(here.url, bystander.token), follow(there.url, OWNER)])
  await revoke(here.url, id)
  expect(await Promise.all(open.map(({ closed }) => closed))).toEqual([OVER, OVER])
  expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual(['cut', 'cut'])
  expect(left.map(({ socket }) => socket.readyState)).toEqual([WebSocket.OPEN, WebSocket.OPEN])
  expect((await ask(there.url, '{ viewer { name } }', token)).status).toBe(401)
  const stored = JSON.stringify([await db.prisma.apiToken.findMany(), await db.prisma.auditEntry.findMany()])
  for (const secret of [token, bystander.token])
    expect(here.lines.join() + there.lines.join() + stored).not.toContain(secret)
}, 60_000)

test('a token that is revoked in another process ends here without a look at the table', async () => {
  const connected = async () => {
    const changes = new Changes()
    const notifications = new Notifications({ url: databaseUrl, changes, log: silent })
    await notifications.start()
    onTestFinished(() => notifications.stop())
    return changes
  }
  const [here, there] = [await connected(), await connected()]
  const never = () => Promise.reject(new Error('It is looked up once a day.'))
  const open = new OpenCredentials({
    changes: there,
    revokedAmong: never,
    now: Date.now,
    log: silent,
    pollMs: 86_400_000,
  })
  const tokenId = mintId()
  const ended = new Promise<void>((resolve) => open.hold({ tokenId, expiresAt: null }, resolve))
  here.tokenRevoked(tokenId)
  await ended
})

test('the usual client does not come back with a token that was revoked', async () => {
  const { url } = await start()
  const { id, token } = await makeToken(url)
  let connected = 0
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 5,
    retryWait: async () => {},
    on: { connected: () => connected++ },
  })
  onTestFinished(() => void client.dispose())
  const failed = new Promise((resolve) =>
    client.subscribe({ query: CUES }, { next() {}, complete() {}, error: resolve }),
  )
  await eventually(() => expect(connected).toBe(1))
  await revoke(url, id)
  expect(await failed).toMatchObject(OVER)
  expect(connected).toBe(1)
})

test('a token is in use as long as something is open with it', async () => {
  const { url } = await start()
  const { id, token } = await makeToken(url)
  const uuid = id.replace('tok_', '')
  await follow(url, token)
  const long = new Date('2026-01-01T00:00:00Z')
  await db.prisma.apiToken.update({ where: { id: uuid }, data: { lastUsedAt: long } })
  const lastUsed = async () => (await db.prisma.apiToken.findUniqueOrThrow({ where: { id: uuid } })).lastUsedAt
  await eventually(async () => expect(await lastUsed()).not.toEqual(long))
})

test('a token ends its sockets when it expires', async () => {
  const { url } = await start()
  const { closed, token, endsAt } = await followUntilOver(url, async (until) => {
    return (await makeToken(url, `expiresAt: "${until.toISOString()}"`)).token
  })
  expect(await closed).toEqual(OVER)
  expect(Date.now()).toBeGreaterThanOrEqual(endsAt)
  expect((await ask(url, '{ viewer { name } }', token)).status).toBe(401)
})

test('whoever signs in with a JWT is named in what they do, and their socket is closed when it expires', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] }
  const keySet = createServer((_request, response) => response.end(JSON.stringify(keys)))
  keySet.listen(0, '127.0.0.1')
  await once(keySet, 'listening')
  onTestFinished(() => void keySet.close())
  const { url, lines } = await start({
    CUELIGHT_JWKS_URL: `http://127.0.0.1:${(keySet.address() as AddressInfo).port}/`,
    CUELIGHT_JWT_ISSUER: 'https://sso.example',
    CUELIGHT_JWT_AUDIENCE: 'cuelight',
    CUELIGHT_JWT_ROLE_CLAIM: 'groups',
  })
  const exp = Math.ceil(Date.now() / 1_000) + 3_600
  const sign = (claims: object) =>
    new SignJWT({ iss: 'https://sso.example', aud: 'cuelight', name: 'Mira', groups: ['ADMIN'], exp, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .sign(privateKey)
  const token = await sign({})
  const { id } = await makeToken(url)
  expect(JSON.parse((await ask(url, '{ viewer { name role } }', token)).text)).toEqual({
    data: { viewer: { name: 'Mira', role: 'ADMIN' } },
  })
  await ask(url, `mutation { revokeApiToken(input: { id: "${id}" }) { __typename } }`, token)
  const { text } = await ask(url, '{ auditLog(first: 1) { edges { node { actor { kind name } action subject } } } }')
  expect(JSON.parse(text).data.auditLog.edges[0].node).toEqual({
    actor: { kind: 'USER', name: 'Mira' },
    action: 'token.revoke',
    subject: id,
  })
  const stranger = await sign({ aud: 'wiki' })
  expect((await ask(url, '{ viewer { name } }', stranger)).status).toBe(401)
  // What is no JWT is still looked up.
  expect((await ask(url, '{ viewer { name } }', (await makeToken(url)).token)).status).toBe(200)

  const brief = await followUntilOver(url, (until) => sign({ exp: until.getTime() / 1_000 }))
  expect(await brief.closed).toEqual(OVER)
  expect(Date.now()).toBeGreaterThanOrEqual(brief.endsAt)
  expect((await ask(url, '{ viewer { name } }', brief.token)).status).toBe(401)
  for (const secret of [token, brief.token, stranger]) expect(lines.join('')).not.toContain(secret.split('.')[2])
})

test('a peer that does not answer the close does nothing more under its name, and is cut off', async () => {
  const callers: unknown[] = []
  let end = () => {}
  const { url } = await startServer({
    api: { ...smallApi(), contextFor: (caller) => ({ caller: callers.push(caller) && caller }) },
    authenticate: async (authorization) => ({
      ...(await authenticate(authorization)),
      credential: { tokenId: 'x', expiresAt: null },
    }),
    credentials: {
      hold: (_credential, over) => {
        end = over
        return () => {}
      },
    },
  })
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  const send = (message: object) => socket.send(JSON.stringify(message))
  send({ type: 'connection_init', payload: { authorization: AUTHORIZATION } })
  await once(socket, 'message')
  send({ id: '1', type: 'subscribe', payload: { query: '{ caller }' } })
  await eventually(() => expect(callers).toMatchObject([{ role: 'ADMIN' }]))
  socket.pause()
  end()
  send({ id: '2', type: 'subscribe', payload: { query: 'mutation { touch }' } })
  await eventually(() => expect(callers).toHaveLength(2))
  expect(callers[1]).toBeNull()
  socket.resume()
  expect((await once(socket, 'close'))[0]).toBe(4401)
})

test('a token that is over before its answer begins gets that answer, and no stream', async () => {
  const { url } = await startServer({
    authenticate: async (authorization) => ({
      ...(await authenticate(authorization)),
      credential: { tokenId: 'x', expiresAt: null },
    }),
    credentials: {
      hold: (_credential, over) => {
        over()
        return () => {}
      },
    },
  })
  const get = (query: string, accept: string) =>
    fetch(`${url}/graphql?query=${encodeURIComponent(query)}`, { headers: { accept, authorization: AUTHORIZATION } })
  for (const accept of ['application/json', '*/*'])
    expect(await (await get('{ hello }', accept)).json()).toEqual({ data: { hello: 'world' } })
  for (const accept of ['text/event-stream', '*/*'])
    await expect(get('subscription { numbers }', accept)).rejects.toThrow('fetch failed')
})

describe('what is open', () => {
  const now = () => Date.now()
  function openCredentials(revokedAmong: (ids: string[]) => Promise<string[]>, log = silent) {
    vi.useFakeTimers({ now: Date.parse('2026-03-06T20:00:00Z') })
    onTestFinished(() => void vi.useRealTimers())
    const changes = new Changes()
    return { changes, open: new OpenCredentials({ changes, revokedAmong, now, log, pollMs: 5_000 }) }
  }

  test('with a token that expires in months is ended then, and not before', async () => {
    const { open } = openCredentials(async () => [])
    let ended = 0
    const days = (count: number) => count * 86_400_000
    open.hold({ tokenId: null, expiresAt: Date.now() + days(90) }, () => ended++)
    await vi.advanceTimersByTimeAsync(days(90) - 1)
    expect(ended).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toBe(1)
    open.hold({ tokenId: null, expiresAt: Date.now() }, () => ended++)
    expect(ended).toBe(2)
  })

  test('is looked up while it is open, and no longer', async () => {
    const asked: string[][] = []
    const { open, changes } = openCredentials(async (ids) => {
      asked.push(ids)
      return []
    })
    const ends: string[] = []
    const first = open.hold({ tokenId: 'a', expiresAt: null }, () => ends.push('first'))
    const second = open.hold({ tokenId: 'a', expiresAt: null }, () => ends.push('second'))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(asked).toEqual([['a']])
    first()
    first()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(asked).toHaveLength(2)
    changes.tokenRevoked('a')
    expect(ends).toEqual(['second'])
    second()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(asked).toHaveLength(2)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is looked up at once where something may have gone by untold', async () => {
    const { open, changes } = openCredentials(async (ids) => ids)
    let ended = 0
    open.hold({ tokenId: 'a', expiresAt: null }, () => ended++)
    changes.missedSome()
    await vi.advanceTimersByTimeAsync(0)
    expect(ended).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('stays open while revocations cannot be looked up, which is logged once, and is ended when they can', async () => {
    const lines: string[] = []
    const log = createLogger(
      { level: 'warn', format: 'json' },
      { destination: { write: (line) => void lines.push(line) } },
    )
    let away = true
    const { open } = openCredentials(async (ids) => {
      if (away) throw new Error('connection refused')
      return ids
    }, log)
    let ended = 0
    open.hold({ tokenId: 'a', expiresAt: null }, () => ended++)
    await vi.advanceTimersByTimeAsync(20_000)
    expect({ ended, lines: lines.length }).toEqual({ ended: 0, lines: 1 })
    away = false
    await vi.advanceTimersByTimeAsync(5_000)
    expect(ended).toBe(1)
  })
})
