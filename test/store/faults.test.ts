import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { isDatabaseAway } from '../../src/store/faults.ts'
import { createTestDatabase } from '../support/database.ts'

/** A database that is altered from outside, as whoever runs it does, and loses its sessions. */
async function alterable() {
  const { url, db, drop } = await createTestDatabase()
  onTestFinished(drop)
  const name = new URL(url).pathname.slice(1)
  const session = new pg.Client({ connectionString: inject('postgres').url })
  await session.connect()
  onTestFinished(() => session.end())
  const alter = async (change: string) => {
    await session.query(`ALTER DATABASE ${name} ${change}`)
    await session.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
  }
  return { db, alter }
}

const caught = async (asked: Promise<unknown>): Promise<unknown> => asked.then(() => null).catch((error) => error)

test.each([
  ['may only be read, as one that another took over from', 'SET default_transaction_read_only = on'],
  ['takes no connections', 'ALLOW_CONNECTIONS false'],
])('a database that %s is away, for models and for statements', async (_what, change) => {
  const { db, alter } = await alterable()
  const write = () => db.prisma.actionCap.deleteMany()
  const raw = () => db.hot.$executeRaw`DELETE FROM action_caps`
  await alter(change)
  // The sessions that were cut off are found out about first.
  for (const ask of [write, raw])
    await expect
      .poll(async () => String(await caught(ask())), { timeout: 20_000 })
      .toMatch(/read-only transaction|not currently accepting/)
  expect(isDatabaseAway(await caught(write()))).toBe(true)
  expect(isDatabaseAway(await caught(raw()))).toBe(true)
  await alter(change.startsWith('SET') ? 'RESET default_transaction_read_only' : 'ALLOW_CONNECTIONS true')
})

test('what is wrong with a statement itself is not', async () => {
  const { db } = await alterable()
  expect(isDatabaseAway(await caught(db.prisma.$queryRaw`SELECT nothing FROM nowhere`))).toBe(false)
})
