import { createHash } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '../generated/prisma/client.ts'
import { openPool, type Patience, type Pool } from './pool.ts'
import { checkServer } from './server-check.ts'

export type { PrismaClient }

/** The database, as five clients with a pool of connections each. Open one per process and close it when it ends. */
export type Database = {
  /** For the API: models, and raw statements that the planner plans for their values each time. */
  prisma: PrismaClient
  /**
   * For what people and programs do to a run that is there: raw statements of fixed text only, prepared and planned as the
   * runner's. They wait for no connection that a list or a run's work has.
   */
  controls: PrismaClient
  /**
   * For how runs stand, which every list asks of each run that it shows: raw statements of fixed text only, prepared and
   * planned as the runner's, as planning them takes longer than executing them.
   */
  standings: PrismaClient
  /** For the runner and for publishing: raw statements of fixed text only, each prepared once, with plans pinned to the indexes. */
  hot: PrismaClient
  /**
   * For changes that take all upcoming runs of a definition along, thousands of them, and may take minutes; prepared and
   * planned as the runner's.
   */
  patient: PrismaClient
  /** Ends all pools. Safe to call twice. */
  close(): Promise<void>
  /** Breaks off all that is asked, and refuses what comes: for a process that has to stop although nothing answers. */
  abandon(): void
}

/** How long the runner's pool and the API's wait. */
export type DatabasePatience = { runner: Patience; api: Patience }

/**
 * The runner's statements take milliseconds, and a run waits behind each: what takes a thousand times as long hangs. So
 * does what an operator waits for half a minute for. The five seconds more let PostgreSQL's own answer, that it cancelled
 * a statement, come first.
 */
const PATIENCE: DatabasePatience = {
  runner: { statementMs: 15_000, silenceMs: 20_000 },
  api: { statementMs: 30_000, silenceMs: 35_000 },
}
/** Publishing over 8,783 runs of 20 steps takes 3 s on two cores, and they may have 200 steps. */
const LONG_CHANGES: Patience = { statementMs: 600_000, silenceMs: 605_000 }
/** Most connections of each pool: what the API, controls and the runner keep busy, and how many long changes go on at a time. */
export const POOL_SIZES = { api: 12, standings: 4, controls: 8, runner: 10, long: 4 }

/**
 * Publishing takes all upcoming runs along in one transaction, and a transaction that Prisma finds too old has done its
 * work for nothing: it is judged only at its end. A process that froze in one is ended by its session's timeout. One that
 * waits for a connection waits as long as for a lock: those who have all connections wait for locks.
 */
const TRANSACTION = { timeout: 600_000, maxWait: PATIENCE.api.statementMs }
/** They wait for each other. */
const LONG_TRANSACTION = { ...TRANSACTION, maxWait: 60_000 }

const SESSION = ['-c TimeZone=UTC']
/**
 * Tables that were analysed while small make the planner choose scans, measured 11 times slower. Without the last, a
 * session plans a statement anew for its first five values: 1.2 ms for a transition, of which its execution takes 0.2.
 */
const PINNED_PLANS = [
  '-c enable_seqscan=off',
  '-c enable_hashjoin=off',
  '-c enable_mergejoin=off',
  // A plan made while a table was small would read all of it once, and look through that for each row.
  '-c enable_material=off',
  '-c plan_cache_mode=force_generic_plan',
]

/**
 * Opens the database and checks that it serves: PostgreSQL 15 or newer, sessions in UTC that keep their settings and
 * prepared statements. Throws one sentence that names DATABASE_URL, without its password, when it does not.
 */
export async function openDatabase(options: {
  url: string
  /** Other sizes than `POOL_SIZES` has. */
  poolSize?: number
  runnerPoolSize?: number
  /** How long the database may take, for tests that have less time. */
  patience?: DatabasePatience
}): Promise<Database> {
  const { url, poolSize = POOL_SIZES.api, runnerPoolSize = POOL_SIZES.runner, patience = PATIENCE } = options
  await checkServer(url)
  const api = openPool(url, { name: 'Cuelight', session: SESSION, max: poolSize, patience: patience.api })
  const pinned = { session: [...SESSION, ...PINNED_PLANS] }
  const ofApi = (max: number) => ({ ...pinned, name: 'Cuelight', max: Math.min(poolSize, max), patience: patience.api })
  const controlling = openPool(url, ofApi(POOL_SIZES.controls))
  const standing = openPool(url, ofApi(POOL_SIZES.standings))
  const runner = openPool(url, {
    ...pinned,
    name: 'Cuelight runner',
    max: runnerPoolSize,
    patience: patience.runner,
  })
  const long = openPool(url, { ...pinned, name: 'Cuelight', max: POOL_SIZES.long, patience: LONG_CHANGES })
  // What clients ask for varies without end, and a session keeps what it prepared for good: nothing of it is named.
  const prisma = new PrismaClient({ adapter: new PrismaPg(api.pool, OWNED), transactionOptions: TRANSACTION })
  const prepared = (pool: Pool) => new PrismaPg(pool.pool, PREPARED)
  const controls = new PrismaClient({ adapter: prepared(controlling), transactionOptions: TRANSACTION })
  const standings = new PrismaClient({ adapter: prepared(standing), transactionOptions: TRANSACTION })
  const patient = new PrismaClient({ adapter: prepared(long), transactionOptions: LONG_TRANSACTION })
  const hot = new PrismaClient({ adapter: prepared(runner), transactionOptions: TRANSACTION })
  return {
    prisma,
    controls,
    standings,
    hot,
    patient,
    async close() {
      await Promise.all([prisma, controls, standings, hot, patient].map((client) => client.$disconnect()))
    },
    abandon() {
      for (const pool of [api, controlling, standing, runner, long]) pool.abandon()
    },
  }
}

/** A client ends its pool when it is closed. */
const OWNED = { disposeExternalPool: true }
/** Without a name a statement is planned anew each time, three times slower. */
const PREPARED = { ...OWNED, statementNameGenerator: ({ sql }: { sql: string }) => statementName(sql) }

const names = new Map<string, string>()

/** The same name for the same text, within PostgreSQL's 63 bytes. */
function statementName(sql: string): string {
  let name = names.get(sql)
  if (name === undefined) {
    name = createHash('sha256').update(sql).digest('base64url')
    names.set(sql, name)
  }
  return name
}
