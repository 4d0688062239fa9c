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

test('of a process that is not heard of any more only what its claims still hold is in hand, whatever it said last', async () => {
  const event = await insertEvent(db)
  const instance = (id: string, seen: number) => ({
    ...{ id, host: 'shard-host', pid: 17, working: 3 },
    ...{ startedAt: after(-7_200), lastSeenAt: after(seen) },
  })
  await db.prisma.instance.createMany({
    data: [instance('gone', -16), instance('there', -15), instance('gone2', -1_800)],
  })
  const claims = (claimedBy: string, lease: number) => ({ claimedBy, leaseUntil: after(lease) })
  await insertRun(db, event, { at: after(-601), status: 'RUNNING', ...claims('gone#1', 20) })
  await insertRun(db, event, { at: after(-602), status: 'RUNNING', ...claims('gone#2', -1) })
  await insertRun(db, event, { at: after(-603), status: 'RUNNING', ...claims('gone2#1', 0) })
  await insertRun(db, event, {
    at: after(-604),
    status: 'FAILED',
    endedAt: NOW,
    ledgerOwner: 'gone#3',
    ledgerAt: after(20),
  })
  const { value } = await client.query('{ runner { instances { id working } } }')
  expect(value).toMatchObject({
    runner: {
      instances: expect.arrayContaining([
        { id: 'gone', working: 2 },
        { id: 'gone2', working: 0 },
        { id: 'there', working: 3 },
      ]),
    },
  })
})
