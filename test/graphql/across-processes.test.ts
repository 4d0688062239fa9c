import { expect, onTestFinished, test } from 'vitest'
import { openLog } from '../../src/graphql/subscriptions/run-log.ts'
import { Changes } from '../../src/store/changes.ts'
import { Notifications } from '../../src/store/notifications.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { testDatabase } from '../support/database.ts'
import { NOW } from './client.ts'
import { appendLines, insertEvent, insertRun, insertStep, parkedSince } from './fixtures.ts'
import { followCues, followRuns } from './pulled.ts'

const { db, url } = await testDatabase()
// Nothing is found by looking.
const NEVER = 2 ** 30

const onOutage = (error: unknown) => {
  throw error
}

async function newProcess(): Promise<Changes> {
  const changes = new Changes()
  const notifications = new Notifications({ url, changes, log: { info: () => {}, warn: () => {} } })
  onTestFinished(() => notifications.stop())
  await notifications.start()
  return changes
}

test('what another process writes into a log comes without a look of the own poll', async () => {
  const [here, there] = [await newProcess(), await newProcess()]
  const runId = await insertRun(db, await insertEvent(db), { status: 'RUNNING' })
  const feed = (await openLog({ db, changes: there }, { runId, after: 0, onOutage, pollMs: NEVER }))[
    Symbol.asyncIterator
  ]()
  for (const text of ['one', 'two', 'three']) {
    const next = feed.next()
    const line = await appendLines(db, runId, [text])
    here.publish({ runId, line, cues: false })
    expect((await next).value).toMatchObject({ entries: [{ line, text }], cursor: line })
  }
  await feed.return?.()
})

test('so does a cue that opened there', async () => {
  const [here, there] = [await newProcess(), await newProcess()]
  const runId = await insertRun(db, await insertEvent(db), { status: 'RUNNING', scope: 'yew' })
  const feed = followCues({ db, changes: there }, { scope: 'yew', onOutage, pollMs: NEVER })
  const next = feed.next()
  const id = await insertStep(db, runId, parkedSince(NOW))
  here.publish({ runId, line: 0, cues: true })
  expect((await next).value).toMatchObject({ type: 'OPENED', cue: { id } })
  await feed.return?.()
})

test('and a run that changed there', async () => {
  const [here, there] = [await newProcess(), await newProcess()]
  const live = await insertRun(db, await insertEvent(db), { status: 'RUNNING', scope: 'minoc' })
  const runId = await insertRun(db, await insertEvent(db), { status: 'SCHEDULED', scope: 'minoc' })
  const clock = new FakeClock(NOW.getTime())
  const filter = { scope: 'minoc' }
  const feed = followRuns({ db, changes: there, clock }, { filter, onOutage, pollMs: NEVER })
  expect((await feed.next()).value).toMatchObject({ run: { id: live } })
  const next = feed.next()
  await db.prisma.run.update({ where: { id: runId }, data: { status: 'STARTING', lastLine: 1 } })
  here.publish({ runId, line: 1, cues: false })
  expect((await next).value).toMatchObject({ matches: true, run: { id: runId, status: 'STARTING' } })
  await feed.return?.()
})
