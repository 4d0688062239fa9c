import pg from 'pg'
import { drainCuelight } from './cuelight.ts'

const RUNS = 4000

/**
 * What a run of five steps leaves in the database, and what it takes to get there: bytes of its rows with their indexes,
 * of its log's among them, bytes of write-ahead log, commits, and lines.
 */
export type Footprint = {
  bytes: number
  logBytes: number
  lines: number
  bytesPerLine: number
  walBytes: number
  commits: number
}

export async function measureFootprint(url: string): Promise<Footprint> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  const read = async () => {
    await session.query('SELECT pg_stat_force_next_flush()')
    const { rows } = await session.query<{ commits: number; wal: number; lines: number; log: number; all: number }>(
      `SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database())::int AS commits,
         (pg_current_wal_lsn() - '0/0')::float8 AS wal, (SELECT count(*) FROM run_log)::int AS lines,
         pg_total_relation_size('run_log')::int AS log,
         (SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace)::int AS all`,
    )
    const [row] = rows
    if (row === undefined) throw new Error('The database said nothing of itself.')
    return row
  }
  try {
    const before = await read()
    await drainCuelight(url, { runs: RUNS, steps: 5 })
    // What the runner's sessions did is counted when they have ended.
    await session.query('SELECT pg_sleep(1)')
    const after = await read()
    const each = (what: keyof typeof after) => Math.round((after[what] - before[what]) / RUNS)
    return {
      bytes: each('all'),
      logBytes: each('log'),
      lines: each('lines'),
      bytesPerLine: Math.round((after.log - before.log) / (after.lines - before.lines)),
      walBytes: each('wal'),
      commits: Number(((after.commits - before.commits) / RUNS).toFixed(2)),
    }
  } finally {
    await session.end()
  }
}
