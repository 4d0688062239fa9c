import { createSecretKey } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../../src/server/logger.ts'
import { SignOn } from '../../src/server/sign-on.ts'
import { eventually } from '../support/eventually.ts'

const NOW = Date.parse('2026-03-06T20:00:00Z')
const ISSUER = 'https://sso.example'
const AUDIENCE = 'cuelight'
const seconds = (fromNow: number) => NOW / 1000 + fromNow

type Keys = { publicKey: CryptoKey; privateKey: CryptoKey; jwk: JWK }
async function keysOf(kid: string, alg = 'ES256'): Promise<Keys> {
  const pair = await generateKeyPair(alg, { extractable: true })
  return { ...pair, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' } }
}
const first = await keysOf('first')
const second = await keysOf('second')

/** A key set on this machine, which counts how often it is asked. */
async function keySet(answer: RequestListener) {
  let asked = 0
  const server = createServer((request, response) => {
    asked += 1
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`, asked: () => asked }
}
const serving =
  (...keys: JWK[]): RequestListener =>
  (_request, response) =>
    response.end(JSON.stringify({ keys }))

function signOnOf(
  jwksUrl: string,
  { roleClaim = 'role', pauseMs = { failed: 0, unknownKey: 0 }, now = () => NOW } = {},
) {
  const lines: string[] = []
  const log = createLogger(
    { level: 'debug', format: 'json' },
    { destination: { write: (line) => void lines.push(line) } },
  )
  const signOn = new SignOn({ jwksUrl, issuer: ISSUER, audience: AUDIENCE, roleClaim }, { now, log, pauseMs })
  onTestFinished(() => signOn.stop())
  const told = () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level !== 'debug')
  const warned = () => lines.filter((line) => JSON.parse(line).level === 'warn')
  return { check: signOn.check, lines, told, warned }
}

const CLAIMS: JWTPayload = { iss: ISSUER, aud: AUDIENCE, exp: seconds(60), sub: 'u-1', name: 'Mira', role: 'MODERATOR' }
const jwt = (claims: JWTPayload = {}, { keys = first, kid = 'first', alg = 'ES256' } = {}) => {
  const all = Object.fromEntries(Object.entries({ ...CLAIMS, ...claims }).filter(([, value]) => value !== undefined))
  return new SignJWT(all).setProtectedHeader({ alg, kid }).sign(keys.privateKey)
}
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('a JWT that is in order is who it names, with the role that it gives, until it expires', async () => {
  const { url, asked } = await keySet(serving(first.jwk, second.jwk))
  const { check } = signOnOf(url)
  const mira = { caller: { actor: { kind: 'USER', name: 'Mira' }, role: 'MODERATOR' }, expiresAt: NOW + 60_000 }
  expect(await check(await jwt())).toEqual(mira)
  expect(await check(await jwt({ aud: ['other', AUDIENCE] }, { keys: second, kid: 'second' }))).toEqual(mira)
  expect(asked()).toBe(1)
})

test('a name that its user chose stays within a line', async () => {
  const { check } = signOnOf((await keySet(serving(first.jwk))).url)
  const name = 'Mira\r\n12:00 Ann\u2028approved\u001b[2K \u202Eit\u0085'
  expect(await check(await jwt({ name }))).toMatchObject({
    caller: { actor: { name: 'Mira 12:00 Ann approved [2K  it' } },
  })
  expect(await check(await jwt({ name: '\n\t' }))).toMatchObject({ caller: { actor: { name: 'u-1' } } })
})

test.each(['RS256', 'PS256', 'ES384', 'EdDSA'])('%s is taken', async (alg) => {
  const keys = await keysOf('k', alg)
  const { check } = signOnOf((await keySet(serving(keys.jwk))).url)
  expect(await check(await jwt({}, { keys, kid: 'k', alg }))).toMatchObject({ caller: { role: 'MODERATOR' } })
})

describe('is refused', () => {
  const withPublicKeyAsSecret = async () =>
    new SignJWT(CLAIMS)
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .sign(createSecretKey(Buffer.from(await exportSPKI(first.publicKey))))
  const changed = async (claims: JWTPayload) => {
    const [header, , signature] = (await jwt()).split('.')
    return `${header}.${base64({ ...CLAIMS, ...claims })}.${signature}`
  }
  test.each<[string, () => Promise<string>, string]>([
    [
      'of another issuer',
      () => jwt({ iss: 'https://elsewhere.example' }),
      'its iss is "https://elsewhere.example"; CUELIGHT_JWT_ISSUER is "https://sso.example"',
    ],
    ['without an issuer', () => jwt({ iss: undefined }), 'it has no iss; CUELIGHT_JWT_ISSUER is "https://sso.example"'],
    ['for another audience', () => jwt({ aud: 'wiki' }), 'its aud is "wiki"; CUELIGHT_JWT_AUDIENCE is "cuelight"'],
    ['without an audience', () => jwt({ aud: undefined }), 'it has no aud; CUELIGHT_JWT_AUDIENCE is "cuelight"'],
    ['expired this instant', () => jwt({ exp: seconds(0) }), 'it expired at 2026-03-06T20:00:00.000Z'],
    ['expired long ago', () => jwt({ exp: seconds(-3600) }), 'it expired at 2026-03-06T19:00:00.000Z'],
    ['without an expiry', () => jwt({ exp: undefined }), 'it has no exp, which it needs'],
    [
      'not valid before two minutes from now',
      () => jwt({ nbf: seconds(120) }),
      'it is not valid before 2026-03-06T20:02:00.000Z; set the clocks by NTP',
    ],
    [
      'signed with another key under a known name',
      () => jwt({}, { keys: second }),
      'it is not signed with the key of CUELIGHT_JWKS_URL that it names',
    ],
    [
      'signed with a key that is not in the set',
      () => jwt({}, { keys: second, kid: 'second' }),
      'the key set of CUELIGHT_JWKS_URL has no key of its kid and alg; see that the address is that of the issuer',
    ],
    [
      'signed with the public key as a secret',
      withPublicKeyAsSecret,
      'its alg is not taken; have it signed with RS, PS or ES 256, 384 or 512, or EdDSA',
    ],
    [
      'not signed',
      async () => `${base64({ alg: 'none' })}.${base64(CLAIMS)}.x`,
      'its alg is not taken; have it signed with RS, PS or ES 256, 384 or 512, or EdDSA',
    ],
    [
      'changed after it was signed',
      () => changed({ role: 'ADMIN' }),
      'it is not signed with the key of CUELIGHT_JWKS_URL that it names',
    ],
    ['no JWT at all', async () => 'a.b.c', 'it cannot be read (ERR_JWS_INVALID)'],
    [
      'without a role',
      () => jwt({ role: undefined }),
      'it gives Mira no role; "role" of CUELIGHT_JWT_ROLE_CLAIM may hold ADMIN, MODERATOR, VIEWER, EMITTER',
    ],
    [
      'with a role of others',
      () => jwt({ role: 'root' }),
      'it gives Mira no role; "role" of CUELIGHT_JWT_ROLE_CLAIM may hold ADMIN, MODERATOR, VIEWER, EMITTER',
    ],
    [
      'with a role in other letters',
      () => jwt({ role: 'admin' }),
      'it gives Mira no role; "role" of CUELIGHT_JWT_ROLE_CLAIM may hold ADMIN, MODERATOR, VIEWER, EMITTER',
    ],
    [
      'with a role that is no text',
      () => jwt({ role: { ADMIN: true } }),
      'it gives Mira no role; "role" of CUELIGHT_JWT_ROLE_CLAIM may hold ADMIN, MODERATOR, VIEWER, EMITTER',
    ],
    [
      'with a name of an inherited property for a role',
      () => jwt({ role: ['constructor'] }),
      'it gives Mira no role; "role" of CUELIGHT_JWT_ROLE_CLAIM may hold ADMIN, MODERATOR, VIEWER, EMITTER',
    ],
    [
      'of nobody',
      () => jwt({ name: undefined, sub: undefined }),
      'it has none of name, preferred_username, email, sub',
    ],
  ])('one %s, and the log says why', async (_case, make, why) => {
    const { check, lines, told } = signOnOf((await keySet(serving(first.jwk))).url)
    const token = await make()
    expect(await check(token)).toBeNull()
    expect(lines.join('')).not.toContain(token)
    expect(told()).toEqual([expect.objectContaining({ level: 'info', msg: `a JWT was refused: ${why}` })])
    // So that the refusal is this one's fault.
    expect(await check(await jwt())).not.toBeNull()
  })
})

test('why one is refused is logged once a minute for each reason, with how many more there were', async () => {
  const [wiki, late, guest] = [
    await jwt({ aud: 'wiki' }),
    await jwt({ exp: seconds(-1) }),
    await jwt({ role: 'guest' }),
  ]
  let now = NOW
  const { check, told } = signOnOf((await keySet(serving(first.jwk))).url, { now: () => now })
  for (const token of [wiki, late, wiki, guest, wiki, guest]) expect(await check(token)).toBeNull()
  expect(told().map(({ msg }) => msg)).toEqual([
    expect.stringContaining('its aud is "wiki"'),
    expect.stringContaining('it expired'),
    expect.stringContaining('it gives Mira no role'),
  ])
  now += 59_000
  expect(await check(wiki)).toBeNull()
  expect(told()).toHaveLength(3)
  now += 1_000
  expect(await check(await jwt({ aud: 'wiki', exp: seconds(3600) }))).toBeNull()
  expect(told()[3]).toMatchObject({ msg: expect.stringContaining('its aud is "wiki"'), moreLikeIt: 3 })
})

test('no claim of a JWT that is not proven is logged, and a long one is cut', async () => {
  const { check, lines, told } = signOnOf((await keySet(serving(first.jwk))).url)
  expect(await check(await jwt({ aud: 'made up' }, { keys: second }))).toBeNull()
  expect(lines.join('')).not.toContain('made up')
  expect(await check(await jwt({ aud: Array(100).fill('wiki') }))).toBeNull()
  expect(told()[1].msg.length).toBeLessThan(300)
})

test('a clock that is a little ahead does not lock anybody out', async () => {
  const { check } = signOnOf((await keySet(serving(first.jwk))).url)
  expect(await check(await jwt({ nbf: seconds(30), iat: seconds(30) }))).not.toBeNull()
})

test.each<[string, unknown, string, string]>([
  ['a text', { role: 'VIEWER' }, 'role', 'VIEWER'],
  ['a list, of which the highest counts', { role: ['VIEWER', 'x', 'ADMIN', 7, 'EMITTER'] }, 'role', 'ADMIN'],
  ['who reads and emits reads', { role: ['EMITTER', 'VIEWER'] }, 'role', 'VIEWER'],
  ['a path', { realm_access: { roles: ['EMITTER'] } }, 'realm_access.roles', 'EMITTER'],
  ['a name with dots', { 'https://example.com/roles': ['ADMIN'] }, 'https://example.com/roles', 'ADMIN'],
])('the role may be %s', async (_case, claims, roleClaim, role) => {
  const { check } = signOnOf((await keySet(serving(first.jwk))).url, { roleClaim })
  expect(await check(await jwt({ role: undefined, ...(claims as JWTPayload) }))).toMatchObject({ caller: { role } })
})

test.each<[JWTPayload, string]>([
  [{ preferred_username: 'mira7', email: 'm@example.com' }, 'Mira'],
  [{ name: ' ', preferred_username: 'mira7', email: 'm@example.com' }, 'mira7'],
  [{ name: undefined, email: 'm@example.com' }, 'm@example.com'],
  [{ name: 7 }, 'u-1'],
  [{ name: 'x'.repeat(300) }, 'x'.repeat(100)],
  [{ name: 'a\u0000b' }, 'a\uFFFDb'],
])('%j is called %s', async (claims, name) => {
  const { check } = signOnOf((await keySet(serving(first.jwk))).url)
  expect(await check(await jwt(claims))).toMatchObject({ caller: { actor: { kind: 'USER', name } } })
})

describe('the key set', () => {
  test('is read again for a key that is not in it', async () => {
    const keys = [first.jwk]
    const { url } = await keySet((request, response) => serving(...keys)(request, response))
    const { check } = signOnOf(url)
    expect(await check(await jwt())).not.toBeNull()
    keys.splice(0, 1, second.jwk)
    expect(await check(await jwt({}, { keys: second, kid: 'second' }))).not.toBeNull()
    // It went out of the set with that.
    expect(await check(await jwt())).toBeNull()
  })

  test('is not read for every key that somebody makes up', async () => {
    const { url, asked } = await keySet(serving(first.jwk))
    const { check } = signOnOf(url, { pauseMs: { failed: 60_000, unknownKey: 60_000 } })
    expect(await check(await jwt())).not.toBeNull()
    for (let n = 0; n < 20; n++) expect(await check(await jwt({}, { keys: second, kid: `made-up-${n}` }))).toBeNull()
    expect(asked()).toBe(1)
    expect(await check(await jwt())).not.toBeNull()
  })

  test('that is away is logged once and asked for once in a while, and tokens are unknown', async () => {
    const { url, asked } = await keySet((_request, response) => response.destroy())
    const { check, warned } = signOnOf(url, { pauseMs: { failed: 60_000, unknownKey: 60_000 } })
    const token = await jwt()
    expect(await Promise.all(Array.from({ length: 10 }, () => check(token)))).toEqual(Array(10).fill('unknown'))
    expect(await check(token)).toBe('unknown')
    expect(asked()).toBe(1)
    expect(warned()).toHaveLength(1)
    expect(warned()[0]).toContain('the key set of CUELIGHT_JWKS_URL could not be read: the connection failed')
  })

  test('that comes up serves from then on', async () => {
    let answer: RequestListener = (_request, response) => response.writeHead(503).end()
    const { url } = await keySet((request, response) => answer(request, response))
    const { check, warned } = signOnOf(url)
    expect(await check(await jwt())).toBe('unknown')
    expect(warned()[0]).toContain('it answered 503')
    answer = serving(first.jwk)
    expect(await check(await jwt())).not.toBeNull()
  })

  test.each<[string, RequestListener, RegExp]>([
    ['is no JSON', (_request, response) => response.end('<html>'), /what it answered is no key set/],
    ['is none', (_request, response) => response.end('{"keys": "first"}'), /what it answered is no key set/],
    ['never comes', () => {}, /LATE/],
    ['is endless', (_request, response) => response.end(' '.repeat(300_000)), /TOO_LARGE|UND_ERR_RES_EXCEEDED/],
    [
      'is elsewhere',
      (request, response) =>
        request.url === '/keys'
          ? response.writeHead(302, { location: '/moved' }).end()
          : serving(first.jwk)(request, response),
      /it answered 302/,
    ],
  ])('that %s is refused', async (_case, answer, message) => {
    const { check, warned } = signOnOf((await keySet(answer)).url)
    expect(await check(await jwt())).toBe('unknown')
    await eventually(() => expect(warned()).toHaveLength(1))
    expect(warned()[0]).toMatch(message)
  })
})
