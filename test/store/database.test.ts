import { expect, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { testDatabase } from '../support/database.ts'

const { db, url } = await testDatabase()

test('instants come back as they were stored, whatever the database thinks its zone is', async () => {
  const at = new Date('2031-03-09T07:30:00.123Z')
  await db.prisma.auditEntry.create({
    data: { id: crypto.randomUUID(), at, actorKind: 'SYSTEM', actorName: 'Cuelight', action: 'test', detail: {} },
  })
  const [row] = await db.hot.$queryRaw<{ at: Date; text: string }[]>`
    SELECT at, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') AS text FROM audit_entries`
  expect(row).toEqual({ at, text: '2031-03-09 07:30:00.123' })
})

test('a wrong password is one sentence that names the setting and shows no password', async () => {
  const wrong = new URL(url)
  wrong.password = 'not-it'
  const refused = openDatabase({ url: wrong.href, poolSize: 1, runnerPoolSize: 1 })
  await expect(refused).rejects.toThrow(
    /^DATABASE_URL \(cuelight@127\.0\.0\.1:\d+\/cuelight_test_\w+\) cannot be used: .*Correct the user or the password\.$/,
  )
  await expect(refused).rejects.not.toThrow(/not-it/)
})
