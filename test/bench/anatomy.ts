import pg from 'pg'
import { type Draft, draftOf } from '../../src/domain/picture.ts'
import { progress } from '../../src/domain/progress.ts'
import { start } from '../../src/domain/start.ts'
import { Versions } from '../../src/runner/versions.ts'
import { mintStep } from '../../src/store/ids.ts'
import { readStarts, startIfWaiting } from '../../src/store/starts.ts'
import { insertRuns, onBench } from './cuelight.ts'
import { TICK_MICROS, ticksOf } from './effort.ts'
import { sending, settingsOf } from './through-pg.ts'

const RUNS = 192
const ROUNDS = 7
const STATEMENTS = 60
/** So many before, until all is planned and its pages are read. */
const WARMING = 5
/** Those of a run's row that keep it unique, and that lists of runs read. */
const INDEXES = [
  'runs_one_per_occurrence_key',
  'runs_one_per_instant',
  'runs_by_occurrence',
  'runs_by_status',
  'runs_of_definition',
]

/**
 * For how many microseconds PostgreSQL's processor is busy with the start of a run of one step, one of 192 in a statement,
 * without its commit; and for how many of these with what: found by leaving it out. `reading`: of what is
 * sent of the run alone, and looking it up; `rest`: its row, its other indexes and its lock.
 */
export type Anatomy = { start: number; reading: number; lines: number; step: number; indexes: number; rest: number }

type Draw = (draft: Draft) => void

// Somebody else has changed the run: what was sent of it is read, it is looked up, and nothing written.
const nothing: Draw = (draft) => {
  draft.fence -= 1
  draft.lines = []
  draft.touched.clear()
}

export function measureAnatomy(url: string): Promise<Anatomy> {
  return onBench(
    url,
    () => {},
    async ({ control: { db } }) => {
      await insertRuns(db, { runs: RUNS * (WARMING + STATEMENTS), steps: 1 })
      await db.prisma.$executeRawUnsafe('VACUUM ANALYZE')
      const now = Date.now()
      const options = await settingsOf(db)
      const pictures = await readStarts(db.hot, { after: 0, until: now, limit: RUNS * (WARMING + STATEMENTS) })
      const spec = await new Versions(db.hot).spec(pictures[0]?.facts.versionId ?? '')
      // Each statement has runs of its own: what is undone leaves dead rows behind.
      const drafted = (nth: number, draw: Draw) =>
        pictures.slice(nth * RUNS, (nth + 1) * RUNS).map((picture) => {
          const draft = draftOf(picture)
          start(draft, now)
          progress(draft, { spec, now, mint: mintStep, mayDispatch: true, stallMs: 1_800_000 })
          draw(draft)
          return { draft, owner: 'bench', leaseUntil: now + 30_000 }
        })
      const micros = async (draw: Draw): Promise<number> => {
        const session = new pg.Client({ connectionString: url, options })
        await session.connect()
        const [backend] = (await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows
        const undone = async (nth: number) => {
          await session.query('BEGIN')
          const started = (await startIfWaiting(sending(session), drafted(nth, draw), now)).filter(
            (done) => done !== null,
          )
          await session.query('ROLLBACK')
          // What was not done tells nothing of what it takes.
          if (started.length !== (draw === nothing ? 0 : RUNS)) throw new Error(`${started.length} runs were started.`)
        }
        for (let nth = 0; nth < WARMING; nth += 1) await undone(nth)
        const before = ticksOf(backend?.pid ?? 0)
        for (let nth = WARMING; nth < WARMING + STATEMENTS; nth += 1) await undone(nth)
        const busy = ticksOf(backend?.pid ?? 0) - before
        await session.end()
        await db.prisma.$executeRawUnsafe('VACUUM runs, steps, run_log')
        return (busy * TICK_MICROS) / (STATEMENTS * RUNS)
      }
      const all: Draw = () => {}
      const draws: Record<string, Draw> = {
        all,
        noLines: (draft) => draft.lines.splice(0),
        noStep: (draft) => draft.touched.clear(),
        nothing,
      }
      const found = await medians(draws, micros)
      await db.prisma.$executeRawUnsafe(`DROP INDEX ${INDEXES.join(', ')}`)
      const { all: bare = Number.NaN } = await medians({ all }, micros)
      const { all: whole = Number.NaN, noLines = 0, noStep = 0, nothing: reading = 0 } = found
      const parts = { reading, lines: whole - noLines, step: whole - noStep, indexes: whole - bare }
      const rest = whole - Object.values(parts).reduce((sum, part) => sum + part)
      return Object.fromEntries(
        Object.entries({ start: whole, ...parts, rest }).map(([part, value]) => [part, Number(value.toFixed(1))]),
      ) as Anatomy
    },
  )
}

/** In turn, forth and back, so that what else goes on falls on all alike. */
async function medians(draws: Record<string, Draw>, micros: (draw: Draw) => Promise<number>) {
  const measured = new Map(Object.keys(draws).map((name): [string, number[]] => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    const turn = Object.entries(draws)
    if (round % 2 === 1) turn.reverse()
    for (const [name, draw] of turn) measured.get(name)?.push(await micros(draw))
  }
  return Object.fromEntries([...measured].map(([name, each]) => [name, each.sort((a, b) => a - b)[each.length >> 1]]))
}
