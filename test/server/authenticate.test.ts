import { expect, test } from 'vitest'
import { createAuthenticate } from '../../src/server/authenticate.ts'
import { createLogger } from '../../src/server/logger.ts'
import { createFirstAdminToken, hashOfToken } from '../../src/store/tokens.ts'
import { testDatabase } from '../support/database.ts'

const { db } = await testDatabase()
const NOW = new Date('2026-03-01T12:00:00.000Z')
const OWNER = 'the-token-of-the-owner'
const now = () => NOW.getTime()
const log = createLogger({ level: 'silent', format: 'json' })
const withOwner = createAuthenticate({ db, adminToken: OWNER, checkJwt: null, now, log })

async function storedToken(token: string, fields: { revokedAt?: Date; expiresAt?: Date } = {}) {
  const id = crypto.randomUUID()
  await db.prisma.apiToken.create({
    data: { id, name: 'shard one', role: 'EMITTER', hash: hashOfToken(token), createdAt: NOW, ...fields },
  })
  return id
}

test('the first admin token is made once, however many servers start together, and only its hash is stored', async () => {
  const made = await Promise.all(Array.from({ length: 4 }, () => createFirstAdminToken(db, { now: NOW })))
  const tokens = made.filter((token) => token !== null)
  expect(tokens).toHaveLength(1)
  const rows = await db.prisma.apiToken.findMany({ where: { role: 'ADMIN' } })
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({ name: 'admin', createdAt: NOW })
  expect(JSON.stringify(rows)).not.toContain(tokens[0])
  expect(await createAuthenticate({ db, adminToken: null, checkJwt: null, now, log })(`Bearer ${tokens[0]}`)).toEqual({
    kind: 'caller',
    caller: { actor: { kind: 'TOKEN', name: 'admin' }, role: 'ADMIN' },
    credential: { tokenId: rows[0]?.id, expiresAt: null },
  })
  const entries = await db.prisma.auditEntry.findMany()
  expect(entries).toMatchObject([{ actorKind: 'SYSTEM', action: 'token.create', subject: `tok_${rows[0]?.id}` }])
  expect(JSON.stringify(entries)).not.toContain(tokens[0])
})

test('the owner’s token is the admin; the scheme may be written in any case', async () => {
  const admin = { kind: 'caller', caller: { actor: { kind: 'TOKEN', name: 'admin' }, role: 'ADMIN' } }
  expect(await withOwner(`Bearer ${OWNER}`)).toEqual(admin)
  expect(await withOwner(`bearer ${OWNER}`)).toEqual(admin)
})

test('the owner’s token may be as long as the owner likes', async () => {
  const long = 'x'.repeat(2_000)
  const check = createAuthenticate({ db, adminToken: long, checkJwt: null, now, log })
  expect(await check(`Bearer ${long}`)).toMatchObject({ kind: 'caller', caller: { role: 'ADMIN' } })
  expect(await check(`Bearer ${long}x`)).toEqual({ kind: 'refused' })
})

test('a stored token is who it is named after, with its role', async () => {
  const id = await storedToken('a-token-of-a-shard', { expiresAt: new Date(NOW.getTime() + 1000) })
  expect(await withOwner('Bearer a-token-of-a-shard')).toEqual({
    kind: 'caller',
    caller: { actor: { kind: 'TOKEN', name: 'shard one' }, role: 'EMITTER' },
    credential: { tokenId: id, expiresAt: NOW.getTime() + 1000 },
  })
})

test('without a value the caller is anonymous', async () => {
  expect(await withOwner(null)).toEqual({ kind: 'anonymous' })
  expect(await withOwner('')).toEqual({ kind: 'anonymous' })
})

test('a token that was revoked or has expired is refused', async () => {
  await storedToken('a-revoked-token', { revokedAt: new Date(NOW.getTime() - 1) })
  await storedToken('an-expired-token', { expiresAt: NOW })
  await storedToken('a-token-about-to-expire', { expiresAt: new Date(NOW.getTime() + 1) })
  expect(await withOwner('Bearer a-revoked-token')).toEqual({ kind: 'refused' })
  expect(await withOwner('Bearer an-expired-token')).toEqual({ kind: 'refused' })
  expect(await withOwner('Bearer a-token-about-to-expire')).toMatchObject({ kind: 'caller' })
})

test.each([
  ['Bearer'],
  ['Bearer '],
  ['Basic YTpi'],
  [OWNER],
  [`Bearer ${OWNER} x`],
  [`Bearer ${OWNER}x`],
  ['Bearer wrong\u0000'],
  [`Bearer ${'x'.repeat(100_000)}`],
])('%j is refused', async (authorization) => {
  expect(await withOwner(authorization)).toEqual({ kind: 'refused' })
})
