import { hostname } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { Heartbeat, SILENT_AFTER_MS } from '../../src/runner/heartbeat.ts'
import { readInstances } from '../../src/store/instances.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { testDatabase } from '../support/database.ts'
import { T0 } from '../support/stage.ts'

const { db } = await testDatabase()
const clock = new FakeClock(T0)

function newHeart(worker: string, database = db) {
  const warnings: string[] = []
  const note = (_fields: object, message: string) => warnings.push(message)
  const runner = { worker, inHand: 0 }
  const log = { info: () => {}, warn: note, error: note }
  const heart = new Heartbeat({ db: database, clock, log, runner })
  onTestFinished(() => heart.stop())
  heart.start()
  return { heart, runner, warnings }
}

const instances = () => readInstances(db, { now: clock.now(), silentBefore: clock.now() - SILENT_AFTER_MS })
const list = async () =>
  (await instances()).map(({ id, lastSeenAt, working }) => [id, lastSeenAt.getTime() - T0, working])

/** Moves the clock on to the next beat. */
async function beat(): Promise<void> {
  await expect.poll(() => clock.next).not.toBeNull()
  clock.moveTo(clock.next ?? 0)
}

test('a process is listed with what it has in hand as long as it lives, and off the list when it stops', async () => {
  const { heart, runner } = newHeart('a:1:x')
  await expect.poll(list).toEqual([['a:1:x', 0, 0]])
  const [row] = await instances()
  expect(row).toMatchObject({ host: hostname(), pid: process.pid, startedAt: new Date(T0) })

  runner.inHand = 2
  await beat()
  await expect.poll(list).toEqual([['a:1:x', 5_000, 2]])
  runner.inHand = 0
  await beat()
  await expect.poll(list).toEqual([['a:1:x', 10_000, 0]])
  expect((await instances())[0]?.startedAt).toEqual(new Date(T0))

  await heart.stop()
  expect(await list()).toEqual([])
})

test('one that died is listed for an hour, with when it was last seen', async () => {
  const seen = (minutes: number) => new Date(clock.now() - minutes * 60_000)
  const row = { host: 'a', pid: 2, startedAt: seen(300) }
  await db.prisma.instance.createMany({
    data: [
      { id: 'dead', lastSeenAt: seen(59), ...row },
      { id: 'forgotten', lastSeenAt: seen(61), ...row },
    ],
  })
  const { heart } = newHeart('living')
  await expect.poll(async () => (await instances()).map(({ id }) => id)).toEqual(['dead', 'living'])
  await heart.stop()
})

test('a beat that fails is said once and harms nothing; the next one is tried all the same', async () => {
  let isDown = true
  const hot = new Proxy(db.hot, {
    get: (client, name) => {
      if (name === '$executeRaw' && isDown) return () => Promise.reject(new Error('the database is away'))
      const value = Reflect.get(client, name)
      return typeof value === 'function' ? value.bind(client) : value
    },
  })
  const { heart, warnings } = newHeart('b:1:x', { ...db, hot })
  await expect.poll(() => warnings).toHaveLength(1)
  await beat()
  await beat()
  isDown = false
  await beat()
  const ids = async () => (await instances()).map(({ id }) => id)
  await expect.poll(ids).toContain('b:1:x')
  expect(warnings).toEqual(['it could not be recorded that this process lives; it is tried again'])
  isDown = true
  await heart.stop()
  expect(warnings).toHaveLength(2)
})
