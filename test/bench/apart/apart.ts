import pg from 'pg'
import { inProcessOfItsOwn } from '../contenders.ts'
import { measureWaits } from '../fan-out.ts'
import type { MaterialiseFigures } from '../materialise.ts'
import { type Middle, median, middleOf } from '../middle.ts'
import type { Apart, Late } from './figures.ts'
import { type Hourly, measureHourly } from './hourly.ts'
import { measureParts } from './parts.ts'
import { measureRush } from './rush.ts'
import { takeWorkApart } from './work.ts'

const ROUNDS = 3
const READERS = [500, 1000]
const HOURLY_STEPS = [1, 20]

type OnMigrated = <T>(measure: (url: string) => Promise<T>) => Promise<T>

/** `onMigrated` gives an empty database with the server's tables. */
export async function takeApart(onMigrated: OnMigrated): Promise<Apart> {
  const said = async <T>(what: string, measuring: Promise<T>): Promise<T> => {
    const measured = await measuring
    console.log(`${what}: ${JSON.stringify(measured)}`)
    return measured
  }
  const work = await said(
    'work',
    onMigrated((first) => onMigrated((second) => onMigrated((third) => takeWorkApart([first, second, third])))),
  )
  const readers: Apart['readers'] = {}
  for (const count of READERS)
    readers[count] = await said(
      `${count} readers`,
      middleOf(
        ROUNDS,
        () => onMigrated((url) => measureWaits(url, count)),
        ({ p99Ms }) => p99Ms,
      ),
    )
  const rush = await said(
    'rush',
    middleOf(
      ROUNDS,
      () => onMigrated(measureRush),
      ({ over }) => over,
    ),
  )
  const hourly: Middle<Hourly>[] = []
  for (const steps of HOURLY_STEPS)
    hourly.push(
      await said(
        'hourly',
        onMigrated((url) => measureHourly(url, steps)),
      ),
    )
  const parts = await said('parts', onMigrated(measureParts))
  // Last: of a PostgreSQL that is new, each 16 MB of log are a file to be made first.
  const starts = await said('starts', measureLate(onMigrated))
  return { work, starts, readers, rush, hourly, parts }
}

/** In turn, forth and back, after a round that is not counted, in a process as a server is one. */
async function measureLate(onMigrated: OnMigrated): Promise<Apart['starts']> {
  const { run, stop } = inProcessOfItsOwn<MaterialiseFigures>('upcoming runs')
  const ways: Record<keyof Apart['starts'], (url: string) => Promise<void>> = {
    asTheyAre: async () => {},
    withoutDisk: withoutWaiting,
  }
  const measured: Record<keyof Apart['starts'], MaterialiseFigures[]> = { asTheyAre: [], withoutDisk: [] }
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const turn = Object.entries(ways) as [keyof Apart['starts'], (url: string) => Promise<void>][]
      if (round % 2 === 1) turn.reverse()
      for (const [way, prepare] of turn) {
        const figures = await onMigrated(async (url) => {
          await prepare(url)
          return run(url)
        })
        if (round > 0) measured[way].push(figures)
      }
    }
  } finally {
    await stop()
  }
  const late = (figures: MaterialiseFigures[], phase: 'making' | 'repinning'): Late => {
    const rounds = figures.map(({ latenessMs }) => latenessMs[phase].p99)
    const middle = (of: keyof Late['slowest']) => median(figures.map(({ latenessMs }) => latenessMs[phase].slowest[of]))
    const slowest = { sent: middle('sent'), underWay: middle('underWay'), called: middle('called') }
    return { p99Ms: median(rounds), rounds, busy: median(figures.map(({ busy }) => busy[phase])), slowest }
  }
  const both = (figures: MaterialiseFigures[]) => ({
    making: late(figures, 'making'),
    repinning: late(figures, 'repinning'),
  })
  return { asTheyAre: both(measured.asTheyAre), withoutDisk: both(measured.withoutDisk) }
}

/** A commit answers before it is on disk: what no server may do, and what shows how long that takes. */
async function withoutWaiting(url: string): Promise<void> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  try {
    const { rows } = await session.query<{ name: string }>('SELECT quote_ident(current_database()) AS name')
    await session.query(`ALTER DATABASE ${rows[0]?.name} SET synchronous_commit = off`)
  } finally {
    await session.end()
  }
}
