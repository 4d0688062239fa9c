import { expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { Client, NOW } from './client.ts'
import { insertEvent, insertRun } from './fixtures.ts'

const { db } = await testDatabase()
const client = new Client(db)

const RUNNER = `{ runner { dueRuns oldestDueSeconds nextWakeAt
  instances { id host pid startedAt lastSeenAt working } } }`
const read = async () => (await client.query(RUNNER)).at('runner')
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)

test('without a process and without runs there is nothing to do', async () => {
  expect(await read()).toEqual({ instances: [], dueRuns: 0, oldestDueSeconds: 0, nextWakeAt: null })
})

test('the processes are listed, the oldest first', async () => {
  const row = (id: string, started: number) => ({
    id,
    host: 'shard-host',
    pid: 17,
    startedAt: after(started),
    lastSeenAt: after(-2),
    working: 3,
  })
  await db.prisma.instance.createMany({ data: [row('young', -60), row('old', -3_600)] })
  const shown = (id: string, started: number) => ({
    ...row(id, started),
    startedAt: after(started).toISOString(),
    lastSeenAt: after(-2).toISOString(),
  })
  expect(await read()).toMatchObject({ instances: [shown('old', -3_600), shown('young', -60)] })
})

test('what is due and not taken up counts, and what waits for a key, is claimed, paused or to come does not', async () => {
  const event = await insertEvent(db)
  const paused = await insertEvent(db, { schedulePaused: true })
  const keyed = { concurrencyKey: 'shard' }
  const claim = { claimedBy: 'w#1', leaseUntil: after(30) }
  await insertRun(db, event, { at: after(-90), wakeAt: after(-90) })
  await insertRun(db, event, { at: after(-300), status: 'RUNNING', wakeAt: after(-12.5) })
  await insertRun(db, event, { at: after(-400), status: 'RUNNING', wakeAt: after(-400), ...claim })
  await insertRun(db, event, { at: after(-500), status: 'RUNNING', ...keyed })
  await insertRun(db, event, { at: after(-200), wakeAt: after(-200), ...keyed })
  await insertRun(db, event, { at: after(-5_000), wakeAt: after(-5_000) })
  await insertRun(db, paused, { at: after(-100), wakeAt: after(-100), source: 'SCHEDULE' })
  await insertRun(db, event, { at: after(20), wakeAt: after(20) })
  expect(await read()).toMatchObject({
    dueRuns: 2,
    oldestDueSeconds: 90,
    nextWakeAt: after(20).toISOString(),
  })
})
