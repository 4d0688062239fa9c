import { beforeEach, expect, test } from 'vitest'
import type { Prisma } from '../../src/generated/prisma/client.ts'
import { mintId } from '../../src/store/ids.ts'
import {
  createFirstAdminToken,
  hashOfToken,
  mintToken,
  noteUseIfDue,
  revokedAmongOpen,
} from '../../src/store/tokens.ts'
import { testDatabase } from '../support/database.ts'

const { db } = await testDatabase()
const NOW = new Date('2026-03-06T20:00:00.000Z')
const later = (ms: number) => new Date(NOW.getTime() + ms)
beforeEach(async () => void (await db.prisma.apiToken.deleteMany()))

async function insert(token: Partial<Prisma.ApiTokenCreateInput> = {}): Promise<string> {
  const id = mintId()
  await db.prisma.apiToken.create({
    data: { id, name: 'Mira', role: 'ADMIN', hash: hashOfToken(mintToken()), createdAt: NOW, ...token },
  })
  return id
}

test.each([
  ['is revoked', { revokedAt: NOW }],
  ['has expired', { expiresAt: NOW }],
  ["is no admin's", { role: 'MODERATOR' as const }],
])('a first admin token is made where the only one there is %s', async (_what, token) => {
  await insert(token)
  expect(await createFirstAdminToken(db, { now: NOW })).not.toBeNull()
})

test("none is made where an admin's holds", async () => {
  await insert({ expiresAt: later(1) })
  expect(await createFirstAdminToken(db, { now: NOW })).toBeNull()
})

test('of tokens those are told that are revoked or gone', async () => {
  const [holds, revoked, gone] = [await insert(), await insert({ revokedAt: NOW }), mintId()]
  const told = await revokedAmongOpen(db.prisma, { ids: [holds, revoked, gone], now: NOW })
  expect(told.sort()).toEqual([revoked, gone].sort())
})

test('the use of a token is noted once a minute, by one of those who use it at once', async () => {
  const id = await insert()
  for (const at of [NOW, later(60_000)]) {
    const noted = await Promise.all([1, 2, 3, 4].map(() => noteUseIfDue(db.prisma, id, at)))
    expect(noted.filter((did) => did)).toHaveLength(1)
  }
  expect(await noteUseIfDue(db.prisma, id, later(119_999))).toBe(false)
  expect(await db.prisma.apiToken.findUnique({ where: { id } })).toMatchObject({ lastUsedAt: later(60_000) })
})
