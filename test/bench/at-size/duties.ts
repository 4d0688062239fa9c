import { setTimeout as delay } from 'node:timers/promises'
import type { Prisma } from '../../../src/generated/prisma/client.ts'
import { systemClock } from '../../../src/runner/clock.ts'
import { prune } from '../../../src/runner/duties.ts'
import { DEFAULT_RUNNER_SETTINGS } from '../../../src/runner/settings.ts'
import {
  claimDue,
  claimKeyedStarts,
  readNewlyBlocked,
  readNextInstant,
  takeOverLapsed,
} from '../../../src/store/claims.ts'
import { type Database, openDatabase, type PrismaClient } from '../../../src/store/database.ts'
import { readGauges } from '../../../src/store/gauges.ts'
import { claimLedgers } from '../../../src/store/ledger.ts'
import { readToExpand } from '../../../src/store/materialise.ts'
import { readOverdue, readPausedStarts } from '../../../src/store/missed.ts'
import { type Middle, middleOf } from '../middle.ts'
import { CALLS } from './dashboard.ts'
import type { Filled } from './fill.ts'
import { drain } from './growth.ts'
import { type Figures, watched } from './watch.ts'

const DAY_MS = 86_400_000
const { horizonDays } = DEFAULT_RUNNER_SETTINGS

class Undone extends Error {}

/** Sends what changes something, and takes it back. */
const undone = (db: Database, work: (tx: PrismaClient) => Promise<unknown>) =>
  db.hot
    .$transaction(async (tx) => {
      await work(tx as PrismaClient)
      throw new Undone()
    })
    .catch((error) => {
      if (!(error instanceof Undone)) throw error
    })

/** A client for what makes a transaction of its own, within one that is there. */
const within = (tx: PrismaClient) =>
  ({
    $queryRaw: (sql: Prisma.Sql) => tx.$queryRaw(sql),
    $executeRaw: (sql: Prisma.Sql) => tx.$executeRaw(sql),
    $transaction: (sent: Promise<unknown>[]) => Promise.all(sent),
  }) as unknown as PrismaClient

/** What the runner asks in a pass, at an instant. */
const passAt = (now: number): Record<string, (db: Database) => Promise<unknown>> => {
  const request = {
    owner: 'bench#1',
    now,
    leaseUntil: now + 30_000,
    limit: DEFAULT_RUNNER_SETTINGS.runBatch,
    working: [],
  }
  return {
    'due runs claimed': (db) => undone(db, (tx) => claimDue(tx, { ...request, dueBy: now })),
    'starts that need a key': (db) => undone(db, (tx) => claimKeyedStarts(within(tx), request, { now: () => now })),
    'newly blocked starts': ({ hot }) => readNewlyBlocked(hot, { now, limit: 100 }),
    'next instant': ({ hot }) => readNextInstant(hot, { now, horizonMs: horizonDays * DAY_MS, cleaning: [] }),
    'lapsed claims': ({ hot }) => takeOverLapsed(hot, request),
    'ledgers that are due': (db) => undone(db, (tx) => claimLedgers(tx, request)),
    'missed starts': ({ hot }) => readOverdue(hot, { now, limit: 100 }),
    'starts of paused schedules': ({ hot }) => readPausedStarts(hot, { now, limit: 100 }),
    // All that is asked where there is nothing to make.
    'schedules to expand': ({ hot }) =>
      readToExpand(hot, { before: now + horizonDays * DAY_MS, limit: 200, except: [] }),
    'what metrics count': ({ hot }) => readGauges(hot, now),
  }
}

/** The runner's statements: when nothing is due, and a week later, when all is due that was to start in that week. */
export async function measurePass(url: string, { now }: Filled, calls = CALLS): Promise<Record<string, Figures>> {
  const figures: Record<string, Figures> = {}
  for (const [when, at] of [
    ['nothing due', now.getTime()],
    ['a week of starts due', now.getTime() + 7 * DAY_MS],
  ] as const) {
    for (const [name, ask] of Object.entries(passAt(at)))
      figures[`${name}, ${when}`] = await watched(url, calls, (db) => () => ask(db))
  }
  return figures
}

/** Log lines deleted in a second, and those written by the hot path meanwhile. */
export type Retention = { alone: number; besideWriting: number; writtenMeanwhile: number; writtenAlone: number }

const STEPS = 5
const LINES_OF_RUN = 6 + STEPS
/** For how long logs are deleted by themselves, for each run that is worked off: all rounds take half of what is old. */
const ALONE_MS_PER_RUN = 0.6
const RETENTION = { ...DEFAULT_RUNNER_SETTINGS, logRetentionDays: 180 }
/** How many times what is written has to be deleted, by the middle round of so many. */
const ROUNDS = 3

/** Deletes logs of the year's first half, by itself and beside a hot path that works off runs of five steps. */
export async function measureRetention(url: string, runs: number): Promise<Middle<Retention>> {
  const db = await openDatabase({ url, poolSize: 1, runnerPoolSize: 2 })
  const asLines = (stepsPerSecond: number) => Math.round((stepsPerSecond / STEPS) * LINES_OF_RUN)
  try {
    return await middleOf(
      ROUNDS,
      async () => {
        const writtenAlone = asLines(await drain(url, { runs, steps: STEPS }))
        const alone = await deleted(db, delay(runs * ALONE_MS_PER_RUN))
        let deleting = Promise.resolve(0)
        const beside = (over: Promise<unknown>) => {
          deleting = deleted(db, over)
          // It is looked at when the runs are over, and may have failed long before.
          deleting.catch(() => {})
        }
        const writtenMeanwhile = asLines(await drain(url, { runs, steps: STEPS, beside }))
        return { alone, besideWriting: await deleting, writtenMeanwhile, writtenAlone }
      },
      ({ besideWriting, writtenMeanwhile }) => Number((besideWriting / writtenMeanwhile).toFixed(1)),
    )
  } finally {
    await db.close()
  }
}

/** Lines deleted in a second, as the runner deletes them, until something else is done. */
async function deleted(db: Database, until: Promise<unknown>): Promise<number> {
  let over = false
  const stop = () => {
    over = true
  }
  until.then(stop, stop)
  const began = Date.now()
  while (!over) {
    if (!(await prune({ db, clock: systemClock, settings: RETENTION })))
      throw new Error('Nothing is left to be deleted: fill the database with more runs.')
  }
  const seconds = (Date.now() - began) / 1000
  const [row] = await db.prisma.$queryRaw<{ lines: number }[]>`
    SELECT sum(last_line)::int AS lines FROM runs WHERE log_pruned_at >= ${new Date(began)}::timestamptz`
  return Math.round((row?.lines ?? 0) / seconds)
}
