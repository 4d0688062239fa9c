import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { createLogger } from '../../src/server/logger.ts'
import { openDatabase } from '../../src/store/database.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { wiredApi } from './wired-api.ts'

const { url } = await testDatabase()
const db = await openDatabase({ url })
afterAll(() => db.close())
const log = createLogger({ level: 'error', format: 'json' }, { destination: { write: () => {} } })
const api = await wiredApi({ db, clock: new FakeClock('2026-03-06T20:00:00Z'), log })

async function ask(token: string, query: string): Promise<string> {
  const answer = await fetch(`${api}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  })
  return answer.text()
}

test('of queries that hang eight go on at most, others have their turn, and what changes something waits for none', async () => {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  try {
    await session.query('BEGIN')
    await session.query('LOCK TABLE runs IN ACCESS EXCLUSIVE MODE')
    const answered: string[] = []
    const asking = (token: string, query: string) =>
      ask(token, query).then((answer) => {
        answered.push(token)
        return answer
      })
    const crowd = Array.from({ length: 40 }, () => asking('admin', '{ runs { edges { node { id } } } }'))
    const held = async () => {
      const { rows } = await session.query(
        'SELECT FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())',
      )
      return rows.length
    }
    await eventually(async () => expect(await held()).toBe(8))
    const other = asking('viewer', '{ viewer { name } }')
    const created = await ask(
      'admin',
      'mutation { createApiToken(input: { name: "scoreboard", role: VIEWER }) { __typename } }',
    )
    expect(created).toBe('{"data":{"createApiToken":{"__typename":"CreateApiTokenPayload"}}}')
    expect(answered).toEqual([])
    expect(await held()).toBe(8)
    await session.query('COMMIT')
    expect(await other).toBe('{"data":{"viewer":{"name":"VIEWER"}}}')
    expect(answered.indexOf('viewer')).toBeLessThan(16)
    for (const answer of await Promise.all(crowd)) expect(answer).toBe('{"data":{"runs":{"edges":[]}}}')
  } finally {
    await session.end()
  }
})
