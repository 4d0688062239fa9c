import pg from 'pg'
import { connectionOf, databaseFault, POOLER_ADVICE } from './connection.ts'

const OLDEST_SERVER = 15
/** Far longer than these questions take. */
const ANSWER_MS = 30_000

/**
 * Checks that the database serves: PostgreSQL 15 or newer, and sessions of its own that get the settings they ask for.
 * Throws one sentence that names DATABASE_URL, without its password, when it does not.
 */
export async function checkServer(url: string): Promise<void> {
  const session = await connected(url)
  try {
    const { rows } = await session.query<{ version: number; asked: string | null }>(
      "SELECT current_setting('server_version_num')::int AS version, current_setting('cuelight.asked', true) AS asked",
    )
    const [row] = rows
    const major = Math.floor((row?.version ?? 0) / 10_000)
    if (major < OLDEST_SERVER) {
      throw databaseFault(url, {
        said: `it is PostgreSQL ${major}, which is too old`,
        advice: `Use ${OLDEST_SERVER} or newer.`,
      })
    }
    if (row?.asked !== 'yes') {
      throw databaseFault(url, {
        said: 'its sessions do not have the settings they asked for, as behind a pooler in transaction mode',
        advice: POOLER_ADVICE,
      })
    }
    if (await sharesBackends(url, session)) {
      throw databaseFault(url, {
        said: 'two sessions share one process of PostgreSQL, as behind a pooler in transaction mode',
        advice: POOLER_ADVICE,
      })
    }
  } finally {
    await session.end()
  }
}

/**
 * Whether two sessions that are open are not a process of PostgreSQL each. A pooler that shares processes out by
 * transaction hands out the one that was used last: the same to both, or, where others ask meanwhile, now this one and
 * now that to each.
 */
async function sharesBackends(url: string, session: pg.Client): Promise<boolean> {
  const other = await connected(url)
  try {
    const pids = new Map<pg.Client, Set<number>>([
      [session, new Set()],
      [other, new Set()],
    ])
    for (let round = 0; round < 3; round += 1) {
      for (const [each, own] of pids) {
        const { rows } = await each.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
        own.add(rows[0]?.pid ?? 0)
      }
    }
    const own = [...pids.values()]
    return own.some(({ size }) => size > 1) || new Set(own.flatMap((each) => [...each])).size < own.length
  } finally {
    await other.end()
  }
}

async function connected(url: string): Promise<pg.Client> {
  const session = new pg.Client({
    ...connectionOf(url, { name: 'Cuelight', session: ['-c cuelight.asked=yes'] }),
    query_timeout: ANSWER_MS,
  })
  session.on('error', () => {})
  try {
    await session.connect()
    return session
  } catch (cause) {
    throw databaseFault(url, cause)
  }
}
