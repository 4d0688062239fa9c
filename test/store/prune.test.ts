import { expect, test } from 'vitest'
import { line } from '../../src/domain/log-line.ts'
import { appendLines, pruneLogs } from '../../src/store/log.ts'
import { NOW } from '../graphql/client.ts'
import { insertEvent, insertRun } from '../graphql/fixtures.ts'
import { testDatabase } from '../support/database.ts'

const { db } = await testDatabase()
const HOUR_MS = 3_600_000
const event = await insertEvent(db)

/** A run that ended so many hours before now, with so long a log. */
async function over(hours: number, lines: number): Promise<string> {
  const at = new Date(NOW.getTime() - hours * HOUR_MS)
  const id = await insertRun(db, event, { at, status: 'COMPLETED', endedAt: at, lastLine: lines })
  await db.prisma.$executeRaw`
    INSERT INTO run_log (run_id, line, at, kind, actor_kind, actor_name, detail, text)
    SELECT ${id}::uuid, n, ${at}::timestamptz, 'step.message', 'SYSTEM', 'runner', '{}', '' FROM generate_series(1, ${lines}) n`
  return id
}

const prune = (lines: number) => pruneLogs(db.hot, { endedBefore: new Date(NOW.getTime() - HOUR_MS), now: NOW, lines })
const isFree = async (id: string) =>
  (await db.prisma.$queryRaw<unknown[]>`SELECT id FROM runs WHERE id = ${id}::uuid FOR UPDATE SKIP LOCKED`).length === 1
const left = (runId: string) => db.prisma.logLine.count({ where: { runId } })
const prunedAt = async (id: string) => (await db.prisma.run.findUniqueOrThrow({ where: { id } })).logPrunedAt

test('logs go in batches of so many lines, the longest over first, a long one bit by bit from its front', async () => {
  const long = await over(9, 250)
  const short = [await over(8, 30), await over(7, 30), await over(6, 30), await over(5, 30), await over(4, 30)]
  const young = await over(0.5, 5)
  const all = () => Promise.all([long, ...short, young].map(left))

  expect(await prune(100)).toEqual({ pruned: 0, more: true })
  expect(await all()).toEqual([150, 30, 30, 30, 30, 30, 5])
  const [front] = await db.prisma.logLine.findMany({ where: { runId: long }, orderBy: { line: 'asc' }, take: 1 })
  expect(front?.line).toBe(101)
  expect(await prunedAt(long)).toBeNull()

  expect(await prune(100)).toEqual({ pruned: 0, more: true })
  // It counts for as long as it was, so that the others wait until it is gone.
  expect(await prune(100)).toEqual({ pruned: 1, more: true })
  expect(await all()).toEqual([0, 30, 30, 30, 30, 30, 5])
  expect(await prunedAt(long)).toEqual(NOW)

  // The last that begins within the hundred goes beyond it.
  expect(await prune(100)).toEqual({ pruned: 4, more: true })
  expect(await all()).toEqual([0, 0, 0, 0, 0, 30, 5])

  expect(await prune(100)).toEqual({ pruned: 1, more: true })
  expect(await prune(100)).toEqual({ pruned: 0, more: false })
  expect(await all()).toEqual([0, 0, 0, 0, 0, 0, 5])
  expect(await prunedAt(young)).toBeNull()
})

test('a run without a log is marked all the same', async () => {
  const none = await over(10, 0)
  expect(await prune(100)).toEqual({ pruned: 1, more: true })
  expect(await prunedAt(none)).toEqual(NOW)
  expect(await prune(100)).toEqual({ pruned: 0, more: false })
})

test('a long log that went some other way is marked as well', async () => {
  const long = await over(13, 250)
  await db.prisma.logLine.deleteMany({ where: { runId: long } })
  expect(await prune(100)).toEqual({ pruned: 1, more: true })
  expect(await prunedAt(long)).toEqual(NOW)
})

test('only the runs whose lines go are held meanwhile, and what another holds is left for later', async () => {
  const [first, second] = [await over(12, 30), await over(11, 30)]
  await db.hot.$transaction(async (tx) => {
    const options = { endedBefore: new Date(NOW.getTime() - HOUR_MS), now: NOW, lines: 10 }
    expect(await pruneLogs(tx as typeof db.hot, options)).toEqual({ pruned: 0, more: true })
    expect([await isFree(first), await isFree(second)]).toEqual([false, true])
    expect(await pruneLogs(db.prisma, options)).toEqual({ pruned: 0, more: false })
  })
  expect([await left(first), await left(second)]).toEqual([20, 30])
  for (let more = true; more; ) more = (await prune(100)).more
  expect([await left(first), await left(second)]).toEqual([0, 0])
})

test('a line that comes while logs are deleted is deleted too, by then or later', async () => {
  const runs: string[] = []
  while (runs.length < 500) runs.push(await over(1000 - runs.length, 1))
  const late = line('step.message', { at: NOW.getTime() }, {}, 'late')
  // One statement takes all of them, the longest over first; lines come from the other end.
  const [{ pruned }] = await Promise.all([
    prune(10_000),
    ...runs
      .slice(100)
      .reverse()
      .map((runId) => appendLines(db.prisma, runId, [late])),
  ])
  expect(pruned).toBeGreaterThanOrEqual(100)
  for (let more = true; more; ) more = (await prune(100)).more
  expect(await db.prisma.logLine.count({ where: { runId: { in: runs } } })).toBe(0)
})
