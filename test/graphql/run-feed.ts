import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, expect, onTestFinished } from 'vitest'
import type { Prisma } from '../../src/generated/prisma/client.ts'
import { Changes } from '../../src/store/changes.ts'
import type { Database } from '../../src/store/database.ts'
import type { RunFilter } from '../../src/store/run-reads.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { testDatabase } from '../support/database.ts'
import { NOW } from './client.ts'
import { insertEvent, insertRun } from './fixtures.ts'
import { followRuns } from './pulled.ts'

// Runs in a database of the test file's own, emptied before each test, and feeds of them.

export const { db } = await testDatabase()
export const event = await insertEvent(db)
export const changes = new Changes()
/** Nothing is found by looking. */
export const NEVER = 2 ** 30
let minute = 0
beforeEach(async () => {
  await db.prisma.logLine.deleteMany()
  await db.prisma.step.deleteMany()
  await db.prisma.run.deleteMany()
})

export const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
/** Each is of a later occurrence than the one before. */
export const newRun = (run: Parameters<typeof insertRun>[2] = {}, of = event) =>
  insertRun(db, of, { at: later(60 * minute++), status: 'RUNNING', ...run })

/** A change as all are made: with a line of the log, in one transaction. */
export async function change(
  id: string,
  data: Prisma.RunUncheckedUpdateInput = {},
  kind = 'run.status',
): Promise<void> {
  await db.prisma.$transaction(async (tx) => {
    const run = await tx.run.update({ where: { id }, data: { ...data, lastLine: { increment: 1 } } })
    const actor = { actorKind: 'SYSTEM', actorName: 'Cuelight' } as const
    await tx.logLine.create({ data: { runId: id, line: run.lastLine, at: NOW, kind, ...actor, detail: {}, text: '' } })
  })
}
export const tell = (runId: string) => changes.publish({ runId, line: 0, cues: false })
export const changed = async (id: string, data: Prisma.RunUncheckedUpdateInput = {}) => {
  await change(id, data)
  tell(id)
}
export const ended = (status: 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'MISSED') => ({ status, endedAt: later(1) })

export const startingAt = (at: Date) => ({ scheduledFor: at, graceUntil: new Date(at.getTime() + 900_000) })
export const inPhase = (currentPhase: string) => ({ currentPhase, phaseIndex: 0, phaseEnteredAt: NOW })

/** Where no look may fail. */
export const onOutage = (error: unknown) => {
  throw error
}

export type Feed = ReturnType<typeof followRuns>
export function feedOf(
  filter: RunFilter = {},
  {
    pollMs = NEVER,
    of = changes,
    from = db,
    clock = new FakeClock(NOW.getTime()),
    restMs = 0,
  }: { pollMs?: number; of?: Changes; from?: Database; clock?: FakeClock; restMs?: number } = {},
): Feed {
  const feed = followRuns({ db: from, changes: of, clock }, { filter, onOutage, pollMs, restMs })
  onTestFinished(async () => void (await feed.return?.()))
  return feed
}

export async function next(feed: Feed) {
  const { value } = await feed.next()
  if (value === undefined) throw new Error('the feed has ended')
  return { id: value.run.id, status: value.run.status, matches: value.matches }
}
export async function nextOnes(feed: Feed, count: number) {
  const events: Awaited<ReturnType<typeof next>>[] = []
  while (events.length < count) events.push(await next(feed))
  return events
}
/** Where a change of another run is the next event, nothing came before it. */
export async function expectNothing(feed: Feed, sentinel: string) {
  await changed(sentinel)
  expect(await next(feed)).toMatchObject({ id: sentinel, matches: true })
}
/** Nor does anything come of a look at everything, which goes on by a part with each event. */
export async function expectNothingNew(feed: Feed, sentinel: string, parts = 6) {
  changes.missedSome()
  for (let part = 0; part < parts; part++) await expectNothing(feed, sentinel)
}

/** Each is of an earlier occurrence than the one before. */
export async function insertMany(count: number, status: 'RUNNING' | 'SCHEDULED'): Promise<void> {
  await db.prisma.$executeRaw`
    INSERT INTO runs (id, definition_id, version_id, source, time_zone, occurrence_key, occurrence_at, scheduled_for,
      grace_until, created_at, started_by_kind, started_by_name, status, last_line)
    SELECT gen_random_uuid(), ${event.definitionId}::uuid, ${event.versionId}::uuid, 'MANUAL', 'UTC', 'key ' || n,
      ${NOW}::timestamptz - n * interval '1 min', ${NOW}::timestamptz, ${NOW}::timestamptz, ${NOW}::timestamptz,
      'USER', 'Mira', ${status}::run_status, 1
    FROM generate_series(1, ${count}) n`
}

/** A database that says when it was asked and how many rows the answers brought; each takes that much longer. */
export function counting({ slowMs = 0 } = {}) {
  const sizes: number[] = []
  const asked: number[] = []
  const counted = async (ask: () => Promise<unknown>) => {
    asked.push(performance.now())
    if (slowMs > 0) await delay(slowMs)
    const rows = await ask()
    if (Array.isArray(rows)) sizes.push(rows.length)
    return rows
  }
  const { run, step } = db.prisma
  const models = {
    run: { findMany: (args: Prisma.RunFindManyArgs) => counted(() => run.findMany(args)) },
    step: { findMany: (args: Prisma.StepFindManyArgs) => counted(() => step.findMany(args)) },
  }
  const prisma = {
    ...models,
    $queryRaw: (query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) =>
      counted(() => db.prisma.$queryRaw(query, ...values)),
  }
  return { from: { ...db, prisma } as unknown as Database, sizes, asked }
}
