import { type Profiler, Session } from 'node:inspector/promises'
import pg from 'pg'
import { drainCuelight } from '../cuelight.ts'

const RUNS = 20_000
const STEPS = 1

/**
 * Where runs of one step spend their time: the share of the machine's processors that is busy meanwhile; of what the
 * process does, the shares that are the collection of garbage and the function that takes most; and how many records of
 * the write-ahead log the server leaves for each, with those of them that are lines, and entries in indexes of runs and
 * steps.
 */
export type Work = {
  busy: number
  collecting: number
  longest: { name: string; share: number }
  records: { all: number; lines: number; entries: number }
}

/** Each of the databases is empty. */
export async function takeWorkApart([first, second, third]: [string, string, string]): Promise<Work> {
  // Code is compiled in the first round, and a profile slows down what it looks at.
  await drainCuelight(first, { runs: RUNS, steps: STEPS })
  const { records, busy } = await recording(second)
  const { collecting, longest } = await profiling(third)
  return { busy: Number(busy.toFixed(2)), collecting, longest, records }
}

async function profiling(url: string): Promise<Pick<Work, 'collecting' | 'longest'>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  let profile: Profiler.Profile | undefined
  await drainCuelight(url, {
    runs: RUNS,
    steps: STEPS,
    around: async (work) => {
      await session.post('Profiler.start')
      const effort = await work()
      profile = (await session.post('Profiler.stop')).profile
      return effort
    },
  })
  session.disconnect()
  if (profile === undefined) throw new Error('Nothing was profiled.')
  const shares = sharesOf(profile)
  const [name = '', share = 0] =
    [...shares].filter(([of]) => !of.startsWith('(')).sort(([, a], [, b]) => b - a)[0] ?? []
  const rounded = (value: number) => Number(value.toFixed(3))
  return { collecting: rounded(shares.get('(garbage collector)') ?? 0), longest: { name, share: rounded(share) } }
}

/** By function, its share of the time in which the process did anything. */
function sharesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Map<string, number> {
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      functionName.startsWith('(')
        ? functionName
        : `${functionName || 'a function without a name'} (${url.split('/').slice(-2).join('/')}:${lineNumber + 1})`,
    ]),
  )
  const times = new Map<string, number>()
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? ''
    if (name !== '(idle)') times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0))
  }
  const all = [...times.values()].reduce((sum, time) => sum + time, 0)
  return new Map([...times].map(([name, time]) => [name, time / all]))
}

async function recording(url: string): Promise<Pick<Work, 'records' | 'busy'>> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  try {
    await session.query('CREATE EXTENSION pg_walinspect')
    const position = async () =>
      (await session.query<{ lsn: string }>('SELECT pg_current_wal_flush_lsn() AS lsn')).rows[0]?.lsn
    let between: (string | undefined)[] = []
    const { busy } = await drainCuelight(url, {
      runs: RUNS,
      steps: STEPS,
      around: async (work) => {
        const begun = await position()
        const effort = await work()
        between = [begun, await position()]
        return effort
      },
    })
    const { rows } = await session.query<{ all: number; lines: number; entries: number }>(
      `SELECT (SELECT sum(count)::float8 FROM pg_get_wal_stats($1, $2)) AS all,
         count(DISTINCT b.start_lsn) FILTER (WHERE 'run_log'::regclass IN (c.oid, i.indrelid))::float8 AS lines,
         count(DISTINCT b.start_lsn) FILTER (WHERE i.indrelid IN ('runs'::regclass, 'steps'::regclass)
           AND b.record_type ~ '^(INSERT|SPLIT)')::float8 AS entries
       FROM pg_get_wal_block_info($1, $2, false) b
       JOIN pg_class c ON pg_relation_filenode(c.oid) = b.relfilenode AND b.relforknumber = 0
       LEFT JOIN pg_index i ON i.indexrelid = c.oid
       WHERE b.reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      between,
    )
    const [{ all, lines, entries } = { all: 0, lines: 0, entries: 0 }] = rows
    const each = (records: number) => Math.round(records / RUNS)
    return { busy, records: { all: each(all), lines: each(lines), entries: each(entries) } }
  } finally {
    await session.end()
  }
}
