import pg from 'pg'
import { inProcessOfItsOwn } from '../contenders.ts'
import { measureWaits } from '../fan-out.ts'
import type { MaterialiseFigures } from '../materialise.ts'
import { type Middle, middleOf } from '../middle.ts'
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
  const { run, stop } = inProcessOfItsOwn<MaterialiseFigures>('upcoming runs')
  const late = async (url: string): Promise<Late> => {
    const { latenessMs, busy } = await run(url)
    const { making, repinning } = latenessMs
    return { making: making.p99, repinning: repinning.p99, busy }
  }
  const withoutDisk = async (url: string): Promise<Late> => {
    await withoutWaiting(url)
    return late(url)
  }
  const worse = ({ making, repinning }: Late) => Math.max(making, repinning)
  const starts = {
    asTheyAre: await said(
      'starts',
      middleOf(ROUNDS, () => onMigrated(late), worse),
    ),
    withoutDisk: await said(
      'starts without the disk',
      middleOf(ROUNDS, () => onMigrated(withoutDisk), worse),
    ),
  }
  await stop()
  return { work, starts, readers, rush, hourly, parts }
}

/** A commit answers before it is on disk: what no server may do, and what shows how long that takes. */
async function withoutWaiting(url: string): Promise<void> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  const { rows } = await session.query<{ name: string }>('SELECT quote_ident(current_database()) AS name')
  await session.query(`ALTER DATABASE ${rows[0]?.name} SET synchronous_commit = off`)
  await session.end()
}
