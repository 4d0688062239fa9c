import { createHash } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from '../generated/prisma/client.ts'
import { connectionOf, databaseFault, POOLER_ADVICE } from './connection.ts'

export type { PrismaClient }

/** The database, as two clients with a pool of connections each. Open one per process and close it when it ends. */
export type Database = {
  /** For the API: models, and raw statements that the planner plans for their values each time. */
  prisma: PrismaClient
  /** For the runner and for publishing: raw statements of fixed text only, each prepared once, with plans pinned to the indexes. */
  hot: PrismaClient
  /** Ends both pools. Safe to call twice. */
  close(): Promise<void>
}

const OLDEST_SERVER = 15
/** A frozen process must not hold rows that others wait for. */
const IDLE_IN_TRANSACTION_MS = 5_000

/**
 * Publishing takes all upcoming runs along in one transaction, and a transaction that Prisma finds too old has done its
 * work for nothing: it is judged only at its end. A process that froze in one is ended by its session's timeout.
 */
const TRANSACTION = { timeout: 600_000 }

const SESSION = ['-c TimeZone=UTC', `-c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`]
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
  /** Connections for the API. */
  poolSize: number
  /** Connections for the runner. */
  runnerPoolSize: number
}): Promise<Database> {
  const { url, poolSize, runnerPoolSize } = options
  await check(url)
  // What clients ask for varies without end, and a session keeps what it prepared for good: nothing of it is named.
  const prisma = new PrismaClient({
    adapter: new PrismaPg({ ...connectionOf(url, { name: 'Cuelight', session: SESSION }), max: poolSize }),
    transactionOptions: TRANSACTION,
  })
  const hot = new PrismaClient({
    adapter: new PrismaPg(
      {
        ...connectionOf(url, { name: 'Cuelight runner', session: [...SESSION, ...PINNED_PLANS] }),
        max: runnerPoolSize,
      },
      // Without a name a statement is planned anew each time, three times slower.
      { statementNameGenerator: ({ sql }) => statementName(sql) },
    ),
    transactionOptions: TRANSACTION,
  })
  return {
    prisma,
    hot,
    async close() {
      await Promise.all([prisma.$disconnect(), hot.$disconnect()])
    },
  }
}

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

async function check(url: string): Promise<void> {
  const session = new pg.Client(connectionOf(url, { name: 'Cuelight', session: SESSION }))
  session.on('error', () => {})
  try {
    await session.connect()
  } catch (cause) {
    throw databaseFault(url, cause)
  }
  try {
    const { rows } = await session.query<{ version: number; zone: string; timeout: string }>(
      `SELECT current_setting('server_version_num')::int AS version, current_setting('TimeZone') AS zone,
              current_setting('idle_in_transaction_session_timeout') AS timeout`,
    )
    const [row] = rows
    const major = Math.floor((row?.version ?? 0) / 10_000)
    if (major < OLDEST_SERVER) {
      throw databaseFault(url, {
        said: `it is PostgreSQL ${major}, which is too old`,
        advice: `Use ${OLDEST_SERVER} or newer.`,
      })
    }
    if (row?.zone !== 'UTC' || row.timeout !== '5s') {
      throw databaseFault(url, {
        said: 'its sessions do not have the settings they asked for, as behind a pooler in transaction mode',
        advice: POOLER_ADVICE,
      })
    }
  } finally {
    await session.end()
  }
}
