import { beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../../src/domain/access.ts'
import { createAuthenticate } from '../../src/server/authenticate.ts'
import { createLogger } from '../../src/server/logger.ts'
import type { Database } from '../../src/store/database.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { testDatabase } from '../support/database.ts'
import { Client, NOW } from './client.ts'

let db: Database
let clock: FakeClock
let client: Client
beforeAll(async () => {
  ;({ db } = await testDatabase())
  clock = new FakeClock(NOW.getTime())
  client = new Client(db, { clock })
})

const as = (role: Role | null) => {
  client.role = role
  return client
}
const log = createLogger({ level: 'silent', format: 'json' })
const authenticate = (token: string) =>
  createAuthenticate({ db, adminToken: null, checkJwt: null, now: () => clock.now(), log })(`Bearer ${token}`)

const CREATE = `mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) {
  __typename ... on CreateApiTokenPayload { token apiToken { id name role createdAt lastUsedAt expiresAt revokedAt } }
  ... on InvalidInputError { message issues { path message } } } }`
const REVOKE = `mutation ($id: ID!) { revokeApiToken(input: { id: $id }) {
  __typename ... on RevokeApiTokenPayload { apiToken { id revokedAt } } ... on NotFoundError { message } } }`
const AUDIT = '{ auditLog(first: 1) { edges { node { at actor { kind name } action subject detail } } } }'

async function create(input: Record<string, unknown>) {
  const data = await as('ADMIN').query(CREATE, { input })
  return { id: data.text('createApiToken', 'apiToken', 'id'), token: data.text('createApiToken', 'token'), data }
}
const newestEntry = async () => (await as('ADMIN').query(AUDIT)).at('auditLog', 'edges', 0, 'node')

describe('createApiToken', () => {
  test('answers a token that works, is stored as a hash and is never shown again', async () => {
    const { id, token, data } = await create({ name: ' shard one ', role: 'EMITTER' })
    expect(token).toMatch(/^cuelight_[\w-]{43}$/)
    expect(data.at('createApiToken', 'apiToken')).toEqual({
      id: expect.stringMatching(/^tok_/),
      name: 'shard one',
      role: 'EMITTER',
      createdAt: NOW.toISOString(),
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
    })
    expect(await authenticate(token)).toMatchObject({
      kind: 'caller',
      caller: { actor: { kind: 'TOKEN', name: 'shard one' }, role: 'EMITTER' },
    })
    const everything = JSON.stringify([
      (await as('ADMIN').query('{ apiTokens { id name role lastUsedAt } }')).value,
      (await as('ADMIN').query(AUDIT)).value,
      (await as('ADMIN').query('query ($id: ID!) { node(id: $id) { id ... on ApiToken { name } } }', { id })).value,
      await db.prisma.apiToken.findMany(),
      await db.prisma.auditEntry.findMany(),
    ])
    expect(everything).toContain(id.slice('tok_'.length))
    expect(everything).not.toContain(token)
    expect(everything).not.toContain(token.slice('cuelight_'.length))
    // The API shows no hash either: whoever has it could look for the token's owner elsewhere.
    expect(
      JSON.stringify((await as('ADMIN').query('{ __schema { types { name fields { name } } } }')).value),
    ).not.toMatch(/"hash"/i)
  })

  test('is in the audit log, with the id as the API shows it', async () => {
    const { id } = await create({ name: 'watcher', role: 'VIEWER', expiresAt: '2026-04-01T00:00:00Z' })
    expect(await newestEntry()).toEqual({
      at: NOW.toISOString(),
      actor: { kind: 'TOKEN', name: 'Mira' },
      action: 'token.create',
      subject: id,
      detail: { name: 'watcher', role: 'VIEWER', expiresAt: '2026-04-01T00:00:00.000Z' },
    })
  })

  test.each([
    ['an empty name', { name: '  ' }, 'name', /must not be empty/],
    ['a name of two lines', { name: 'Mira\nAnn' }, 'name', /no line breaks/],
    ['a name that moves the cursor', { name: '\u001b[1AMira' }, 'name', /no control characters/],
    ['a name that turns what follows', { name: '\u202earim' }, 'name', /no control characters/],
    ['a name that is too long', { name: 'x'.repeat(101) }, 'name', /at most 100 characters, and has 101/],
    ['an expiry that is now', { expiresAt: NOW.toISOString() }, 'expiresAt', /not in the future/],
    ['an expiry that is past', { expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt', /not in the future/],
  ])('refuses %s, and makes nothing', async (_case, wrong, path, message) => {
    const before = [await db.prisma.apiToken.count(), await db.prisma.auditEntry.count()]
    const data = await as('ADMIN').query(CREATE, { input: { name: 'ok', role: 'VIEWER', ...wrong } })
    expect(data.at('createApiToken', '__typename')).toBe('InvalidInputError')
    expect(data.at('createApiToken', 'issues')).toEqual([{ path, message: expect.stringMatching(message) }])
    expect([await db.prisma.apiToken.count(), await db.prisma.auditEntry.count()]).toEqual(before)
  })

  test('counts characters, takes what cannot be kept for U+FFFD, and names both problems at once', async () => {
    const { data } = await create({ name: '🜁'.repeat(100), role: 'VIEWER' })
    expect(data.text('createApiToken', 'apiToken', 'name')).toBe('🜁'.repeat(100))
    const torn = await create({ name: 'a\u0000b', role: 'VIEWER' })
    expect(torn.data.text('createApiToken', 'apiToken', 'name')).toBe('a\uFFFDb')
    const both = await as('ADMIN').query(CREATE, {
      input: { name: '', role: 'VIEWER', expiresAt: '2020-01-01T00:00:00Z' },
    })
    expect(both.at('createApiToken', 'issues', 1, 'path')).toBe('expiresAt')
  })
})

describe('revokeApiToken', () => {
  test('refuses the token from then on; twice is no error and one entry', async () => {
    const { id, token } = await create({ name: 'lost', role: 'ADMIN' })
    const told: string[] = []
    client.control.changes.onTokenRevoked(id.slice('tok_'.length), () => told.push(id))
    const data = await as('ADMIN').query(REVOKE, { id })
    expect(data.at('revokeApiToken', 'apiToken')).toEqual({ id, revokedAt: NOW.toISOString() })
    expect(told).toEqual([id])
    expect(await authenticate(token)).toEqual({ kind: 'refused' })
    expect(await newestEntry()).toMatchObject({ action: 'token.revoke', subject: id, detail: { name: 'lost' } })
    const entries = await db.prisma.auditEntry.count()
    clock.moveBy(1000)
    const again = await as('ADMIN').query(REVOKE, { id })
    expect(again.at('revokeApiToken', 'apiToken')).toEqual({ id, revokedAt: NOW.toISOString() })
    expect(await db.prisma.auditEntry.count()).toBe(entries)
  })

  test.each([
    ['tok_00000000-0000-4000-8000-000000000000', /no token/],
    ['run_00000000-0000-4000-8000-000000000000', /id of a run; pass that of a token/],
    ['nonsense', /no token with the id "nonsense"/],
  ])('%s is of no token', async (id, message) => {
    const data = await as('ADMIN').query(REVOKE, { id })
    expect(data.at('revokeApiToken')).toEqual({ __typename: 'NotFoundError', message: expect.stringMatching(message) })
  })
})

test('the use of a token is noted about once a minute, however often it is used', async () => {
  const { id, token } = await create({ name: 'busy', role: 'VIEWER' })
  const lastUsed = async () =>
    (await as('ADMIN').query('query ($id: ID!) { node(id: $id) { ... on ApiToken { lastUsedAt } } }', { id })).at(
      'node',
      'lastUsedAt',
    )
  const versionOfRow = async () =>
    (await db.prisma.$queryRaw`SELECT xmin::text FROM api_tokens WHERE name = 'busy'`) as unknown
  const first = clock.now()
  await Promise.all(Array.from({ length: 10 }, () => authenticate(token)))
  expect(await lastUsed()).toBe(new Date(first).toISOString())
  const written = await versionOfRow()
  clock.moveBy(59_000)
  await authenticate(token)
  expect(await versionOfRow()).toEqual(written)
  clock.moveBy(1_000)
  await authenticate(token)
  expect(await lastUsed()).toBe(new Date(first + 60_000).toISOString())
})

test('apiTokens lists all of them, newest first, and each is a node', async () => {
  clock.moveBy(1000)
  const { id } = await create({ name: 'newest', role: 'VIEWER' })
  const data = await as('ADMIN').query(
    'query ($id: ID!) { apiTokens { id name } nodes(ids: [$id]) { id __typename } }',
    { id },
  )
  expect(data.at('apiTokens', 0)).toEqual({ id, name: 'newest' })
  expect(data.at('nodes')).toEqual([{ id, __typename: 'ApiToken' }])
})

test.each([[null], ['VIEWER'], ['EMITTER'], ['MODERATOR']] as const)(
  '%s sees nothing of tokens and of the audit log, nor whether a token exists',
  async (role) => {
    const { id } = await create({ name: 'hidden', role: 'VIEWER' })
    const none = 'tok_00000000-0000-4000-8000-000000000000'
    const node = 'query ($id: ID!) { node(id: $id) { id } }'
    const nodes = 'query ($id: ID!) { nodes(ids: ["run_x", $id]) { id } }'
    const answers = []
    for (const [source, variables] of [
      ['{ apiTokens { id } }', {}],
      ['{ auditLog { totalCount } }', {}],
      [REVOKE, { id }],
      [CREATE, { input: { name: 'mine', role: 'ADMIN' } }],
      [node, { id }],
      [nodes, { id }],
    ] as const)
      answers.push((await as(role).error(source, variables)).extensions.code)
    expect(answers).toEqual(Array(6).fill(role === null ? 'UNAUTHENTICATED' : 'FORBIDDEN'))
    expect((await as(role).error(node, { id })).message).toBe((await as(role).error(node, { id: none })).message)
    expect(await db.prisma.apiToken.count({ where: { name: 'mine' } })).toBe(0)
    const row = await db.prisma.apiToken.findFirstOrThrow({ where: { id: id.slice('tok_'.length) } })
    expect(row.revokedAt).toBeNull()
  },
)
