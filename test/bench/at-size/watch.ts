import pg from 'pg'
import { type Database, openDatabase } from '../../../src/store/database.ts'
import { median } from '../middle.ts'
import { type Disturbed, watchDisturbances } from './disturbances.ts'

/** How one thing went that was asked many times; milliseconds. */
export type Figures = {
  calls: number
  p50: number
  p99: number
  /** Rows that the database read for one call, from tables and by indexes. */
  rowsRead: number
  /** Tables that were read from one end to the other. */
  scanned: string[]
  /** Statements for one call, the most turns that they came in, and for how long one was under way, the median. */
  statements: number
  turns: number
  databaseMs: number
  /** Of the calls that met no collection of garbage of a millisecond or more: their share, and their 99th percentile. */
  undisturbed: { share: number; p99: number | null }
}

/** Nothing is asked for longer than this, however slow it is. */
const LONGEST_MS = 30_000
/** So many are left out, in which code is compiled, or those of so long. */
const WARM_UP = { calls: 50, ms: 10_000 }

type Counted = Map<string, { scans: number; rows: number }>

async function counts(url: string): Promise<Counted> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ table: string; scans: string; rows: string }>(
      `SELECT relname AS table, seq_scan AS scans, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) AS rows
       FROM pg_stat_user_tables`,
    )
    return new Map(rows.map(({ table, scans, rows: read }) => [table, { scans: Number(scans), rows: Number(read) }]))
  } finally {
    await client.end()
  }
}

/**
 * Asks `call` so many times, one after the other, of a database opened for it alone, and looks at what PostgreSQL itself
 * counted meanwhile: sessions hand their counts in when they end.
 */
export async function watched(
  url: string,
  calls: number,
  begin: (db: Database) => Promise<(index: number) => Promise<unknown>> | ((index: number) => Promise<unknown>),
): Promise<Figures> {
  const spans: { from: number; to: number }[] = []
  const db = await openDatabase({ url, poolSize: 5, runnerPoolSize: 5 })
  let asked = 0
  let disturbed: Disturbed[] = []
  const before = await counts(url)
  try {
    const call = await begin(db)
    const ask = async () => {
      const from = performance.now()
      await call(asked)
      asked += 1
      return { from, to: performance.now() }
    }
    const warm = performance.now() + WARM_UP.ms
    while (asked < WARM_UP.calls && performance.now() < warm) await ask()
    const disturbances = watchDisturbances()
    try {
      const until = performance.now() + LONGEST_MS
      while (spans.length === 0 || (spans.length < calls && performance.now() < until)) spans.push(await ask())
      await disturbances.settled()
      disturbed = spans.map(disturbances.of)
    } finally {
      disturbances.end()
    }
  } finally {
    await db.close()
  }
  const times = spans.map(({ from, to }) => to - from)
  const undisturbed = times.filter((_, index) => (disturbed[index]?.collectedMs ?? 0) < 1)
  const after = await counts(url)
  const grown = [...after].map(([table, { scans, rows }]) => {
    const { scans: scansBefore = 0, rows: rowsBefore = 0 } = before.get(table) ?? {}
    return { table, scans: scans - scansBefore, rows: rows - rowsBefore }
  })
  return {
    ...percentiles(times),
    rowsRead: Math.round(grown.reduce((sum, { rows }) => sum + rows, 0) / asked),
    scanned: grown.flatMap(({ table, scans }) => (scans > 0 ? [table] : [])).sort(),
    statements: Math.round(median(disturbed.map(({ statements }) => statements))),
    turns: Math.max(...disturbed.map(({ turns }) => turns)),
    databaseMs: Number(median(disturbed.map(({ databaseMs }) => databaseMs)).toFixed(2)),
    undisturbed: {
      share: Number((undisturbed.length / times.length).toFixed(2)),
      p99: undisturbed.length > 0 ? percentiles(undisturbed).p99 : null,
    },
  }
}

export function percentiles(milliseconds: readonly number[]): { calls: number; p50: number; p99: number } {
  const sorted = [...milliseconds].sort((a, b) => a - b)
  const at = (share: number) => Number((sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN).toFixed(2))
  return { calls: sorted.length, p50: at(0.5), p99: at(0.99) }
}
