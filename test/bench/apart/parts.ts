import pg from 'pg'
import { median } from '../middle.ts'

const RUNS = 100_000
const LINES = 11
const READS = 200

/** Of a log in one table, and in one for each month: milliseconds, and bytes of write-ahead log. */
export type Kept = {
  /** A run's log is read, planned and executed: by its id, and by its month too. */
  readMs: number
  readWithMonthMs: number
  /** A month is got rid of. */
  month: { lines: number; ms: number; walBytes: number }
}
export type Parts = { whole: Kept; divided: Kept }

const COLUMNS = `run_id uuid NOT NULL, line int NOT NULL, at timestamptz NOT NULL, kind text NOT NULL, detail jsonb NOT NULL,
  text text NOT NULL`
const FILL = (table: string) => `INSERT INTO ${table}
  SELECT md5(r::text)::uuid, l, timestamptz '2026-01-01 UTC' + r * interval '365 days' / ${RUNS}, 'step.status', '{"to": "DONE"}',
    'Announce the invasion is done.' FROM generate_series(0, ${RUNS - 1}) r, generate_series(1, ${LINES}) l`

/** What the log would gain by being divided by time, in plain SQL on tables of its shape. */
export async function measureParts(url: string): Promise<Parts> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  try {
    await session.query(`CREATE TABLE whole (${COLUMNS}, PRIMARY KEY (run_id, line))`)
    await session.query(`CREATE TABLE divided (${COLUMNS}, PRIMARY KEY (run_id, line, at)) PARTITION BY RANGE (at)`)
    for (let month = 1; month <= 12; month += 1)
      await session.query(
        `CREATE TABLE divided_${month} PARTITION OF divided FOR VALUES FROM ('${monthAt(month)}') TO ('${monthAt(month + 1)}')`,
      )
    for (const table of ['whole', 'divided']) {
      await session.query(FILL(table))
      await session.query(`VACUUM ANALYZE ${table}`)
    }
    return {
      whole: await kept(session, 'whole', `DELETE FROM whole WHERE at >= '${monthAt(1)}' AND at < '${monthAt(2)}'`),
      divided: await kept(session, 'divided', 'DROP TABLE divided_1'),
    }
  } finally {
    await session.end()
  }
}

const monthAt = (month: number) => new Date(Date.UTC(2026, month - 1)).toISOString()

async function kept(session: pg.Client, table: string, drop: string): Promise<Kept> {
  const read = async (withMonth: boolean) => {
    const times: number[] = []
    for (let nth = 0; nth < READS; nth += 1) {
      const run = Math.floor((nth * RUNS) / READS)
      const { rows } = await session.query<{ id: string; at: Date }>(
        `SELECT md5('${run}')::uuid AS id, timestamptz '2026-01-01 UTC' + ${run} * interval '365 days' / ${RUNS} AS at`,
      )
      const [{ id, at } = { id: '', at: new Date() }] = rows
      const month = `AND at >= '${monthAt(at.getUTCMonth() + 1)}' AND at < '${monthAt(at.getUTCMonth() + 2)}'`
      const begun = performance.now()
      const found = await session.query(
        `SELECT * FROM ${table} WHERE run_id = '${id}' ${withMonth ? month : ''} ORDER BY line LIMIT 100`,
      )
      times.push(performance.now() - begun)
      if (found.rowCount !== LINES) throw new Error(`${found.rowCount} lines of the run were read, not ${LINES}.`)
    }
    return Number(median(times).toFixed(2))
  }
  const written = async () =>
    (await session.query<{ bytes: number }>(`SELECT (pg_current_wal_lsn() - '0/0')::float8 AS bytes`)).rows[0]?.bytes ??
    0
  const count = async () =>
    (await session.query<{ lines: number }>(`SELECT count(*)::int AS lines FROM ${table}`)).rows[0]?.lines ?? 0
  // Of what is read for the first time, most goes into fetching it.
  await read(false)
  const [readMs, readWithMonthMs] = [await read(false), await read(true)]
  await session.query('CHECKPOINT')
  const [lines, bytes, begun] = [await count(), await written(), performance.now()]
  await session.query(drop)
  const ms = Math.round(performance.now() - begun)
  const walBytes = (await written()) - bytes
  return { readMs, readWithMonthMs, month: { lines: lines - (await count()), ms, walBytes } }
}
