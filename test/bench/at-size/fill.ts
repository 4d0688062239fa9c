import pg from 'pg'
import { insertDefinitions } from './fill-definitions.ts'
import { insertCrowdedRun, insertLongRun } from './fill-long-run.ts'
import { type Era, insertChunk, prepareShapes } from './fill-runs.ts'

/** How much there is to be: everything else follows from the number of runs. */
export type Size = { runs: number; longLog: number }
export const FULL: Size = { runs: 1_000_000, longLog: 50_000 }

export type Filled = {
  size: Size
  seconds: number
  runs: number
  steps: number
  lines: number
  /** Definitions with a tenth and with a thirtieth of all runs, and one with as many as most have. */
  largest: string
  busy: string
  usual: string
  /** A run of 200 steps under way, with a log of `longLog` lines. */
  longRun: string
  /** A run with a ledger and participants, 500 each. */
  crowdedRun: string
  now: Date
}

const PAST_DAYS = 365
const AHEAD_DAYS = 14
const DAY_MS = 86_400_000
/** Runs that one transaction makes, with all that is theirs. */
const CHUNK = 20_000
const WORKERS = 2

/**
 * Fills a migrated, empty database as an installation is after a year: most runs have ended, some are under way or wait
 * for a person, and two weeks lie ahead. The same size and instant give the same rows but for their ids. All
 * constraints and indexes are there meanwhile; at the end everything is vacuumed and analysed, as autovacuum does it
 * within minutes of a year.
 */
export async function fill(url: string, size: Size, log: (text: string) => void = () => {}): Promise<Filled> {
  const began = performance.now()
  const now = new Date()
  const clients = await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      const client = new pg.Client({
        connectionString: url,
        // Nothing is lost that could not be made again.
        options: '-c TimeZone=UTC -c synchronous_commit=off -c work_mem=128MB -c statement_timeout=0',
      })
      await client.connect()
      return client
    }),
  )
  const [first] = clients
  if (first === undefined) throw new Error('There is no worker.')
  try {
    const definitions = Math.max(10, Math.round(size.runs / 1000))
    await insertDefinitions(first, { definitions, now, aheadMs: AHEAD_DAYS * DAY_MS })
    const past = Math.floor((size.runs * PAST_DAYS) / (PAST_DAYS + AHEAD_DAYS))
    const era: Era = {
      now,
      past,
      everyMs: Math.floor(((PAST_DAYS + AHEAD_DAYS) * DAY_MS) / size.runs),
      live: Math.max(4, Math.round(size.runs / 5000)),
      definitions,
    }
    let next = 1
    const work = async (client: pg.Client) => {
      await prepareShapes(client)
      while (next <= size.runs) {
        const from = next
        next += CHUNK
        await insertChunk(client, { from, to: Math.min(from + CHUNK - 1, size.runs), era })
        log(`${Math.min(from + CHUNK - 1, size.runs).toLocaleString('en')} runs`)
      }
    }
    await Promise.all(clients.map(work))
    const longRun = await insertLongRun(first, { now, lines: size.longLog })
    const crowdedRun = await insertCrowdedRun(first, now)
    await first.query(
      `INSERT INTO audit_entries (id, at, actor_kind, actor_name, action, subject, detail)
       SELECT uuidv7(-n * interval '5 min'), $1::timestamptz - n * interval '5 min', 'USER', 'Mira', 'PUBLISH',
         CASE WHEN n % 20000 = 7 THEN 'def_seldom' ELSE 'def_' || n % 100 END, '{"version": 3}' FROM generate_series(1, $2::int / 10) n`,
      [now, size.runs],
    )
    await first.query(
      `INSERT INTO trigger_emissions (trigger, dedupe_key, emitted_at, result)
       SELECT 'shard.slain', 'key ' || n, $1::timestamptz - n * interval '8 s', '{"met": []}'
       FROM generate_series(1, least($2::int / 100, 10000)) n`,
      [now, size.runs],
    )
    await first.query('VACUUM (ANALYZE, FREEZE)')
    await first.query('CHECKPOINT')
    const { rows } = await first.query<Pick<Filled, 'runs' | 'steps' | 'lines' | 'largest' | 'busy' | 'usual'>>(
      `SELECT (SELECT count(*)::int FROM runs) AS runs, (SELECT count(*)::int FROM steps) AS steps,
         (SELECT count(*)::int FROM run_log) AS lines,
         (SELECT id FROM definitions WHERE slug = 'event-1') AS largest,
         (SELECT id FROM definitions WHERE slug = 'event-0') AS busy,
         (SELECT id FROM definitions WHERE slug = 'event-' || $1::int / 4) AS usual`,
      [definitions],
    )
    const [counted] = rows
    if (counted === undefined) throw new Error('Nothing was counted.')
    // A log with gaps, or a run that the log knows nothing of, would measure something else.
    const { rows: wrong } = await first.query(
      `SELECT r.id FROM runs r LEFT JOIN (SELECT run_id, count(*) AS n, max(line) AS last FROM run_log GROUP BY 1) l
         ON l.run_id = r.id WHERE l.n IS DISTINCT FROM r.last_line OR l.last IS DISTINCT FROM r.last_line LIMIT 1`,
    )
    if (wrong.length > 0) throw new Error(`The log of ${JSON.stringify(wrong)} does not fit its run.`)
    return { size, seconds: Math.round((performance.now() - began) / 1000), ...counted, longRun, crowdedRun, now }
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}
