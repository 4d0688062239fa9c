import type { Database } from './database.ts'

/** What the database's clock shows, in milliseconds since the epoch with their fractions. */
export async function readDatabaseClock(db: Database): Promise<number> {
  const [row] = await db.hot.$queryRaw<{ now: number }[]>`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`
  if (row === undefined) throw new Error('the database does not say what time it is')
  return row.now
}
