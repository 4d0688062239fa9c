import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { drainCuelight } from './cuelight.ts'
import type { Effort } from './effort.ts'
import { drainPlain } from './plain.ts'
import { throughPg } from './through-pg.ts'

/**
 * Works units off an empty database of its own, and says what they took. `how`: what of its settings counts. `migrated`:
 * it wants Cuelight's tables there.
 */
export type Contender = {
  name: string
  unit: string
  how: string
  migrated: boolean
  run: (url: string) => Promise<Effort>
}

const ours = (name: string, unit: string, how: string, run: Contender['run']): Contender => ({
  name,
  unit,
  how,
  migrated: true,
  run,
})
const peer = (...given: Parameters<typeof ours>): Contender => ({ ...ours(...given), migrated: false })
const AS_SET = 'a runner with the settings that a server has'
// Loaded where they are run, as they are installed but for that.
const graphileWorker = () => import('./graphile-worker.ts')
const pgBoss = () => import('./pg-boss.ts')
const dbos = () => import('./dbos.ts')

// As much for each as takes it three to five seconds: what beginning and ending cost is the same share of all.
export const CONTENDERS: Contender[] = [
  ours('Cuelight, 1 step', 'runs', AS_SET, (url) => drainCuelight(url, { runs: 25_000, steps: 1 })),
  ours('Cuelight, 5 steps', 'steps', AS_SET, (url) => drainCuelight(url, { runs: 12_000, steps: 5 })),
  ours('Cuelight through pg alone, 5 steps', 'steps', 'the same, its statements sent by pg', (url) =>
    drainCuelight(url, { runs: 12_000, steps: 5, through: (db) => throughPg(db, url) }),
  ),
  ours('the plain design through Prisma, 5 steps', 'steps', 'a statement for each change, a run at a time', (url) =>
    drainPlain(url, 400, 5),
  ),
  peer('graphile-worker, default', 'jobs', '24 at a time', async (url) =>
    (await graphileWorker()).drainGraphileWorker(url, 20_000),
  ),
  peer(
    'graphile-worker, local queue and batches',
    'jobs',
    '24 at a time, a local queue of 500, completed in batches',
    async (url) => (await graphileWorker()).drainGraphileWorkerBatched(url, 130_000),
  ),
  peer('pg-boss, 1 job a fetch', 'jobs', '24 loops, each fetches a job and completes it', async (url) =>
    (await pgBoss()).drainPgBoss(url, 7000, 1),
  ),
  peer('pg-boss, 100 jobs a fetch', 'jobs', '24 loops, each fetches 100 jobs and completes them', async (url) =>
    (await pgBoss()).drainPgBoss(url, 110_000, 100),
  ),
  peer('DBOS queue, 5 steps', 'steps', 'queued meanwhile, 20 at a time; looked for every 50 ms', async (url) =>
    (await dbos()).drainDbos(url, 1000, 5),
  ),
]

/**
 * A process for a contender alone, or for something else that is measured, for all of its rounds: what one compiles and
 * leaves in memory is no burden to the next. Ended by `stop`, or with this process.
 */
export function inProcessOfItsOwn<Measured = Effort>(
  name: string,
): {
  run: (url: string) => Promise<Measured>
  stop: () => Promise<unknown>
} {
  const child = fork(join(import.meta.dirname, 'contender.ts'), [name], {
    execArgv: ['--import', 'jiti/register'],
    // Else jiti stands between a module and each of its imports, which nothing does where Cuelight is installed.
    env: { ...process.env, JITI_INTEROP_DEFAULT: 'false' },
  })
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`The process of "${name}" ended with ${code ?? signal}; see above.`)
  })
  ended.catch(() => {})
  return {
    async run(url) {
      child.send(url)
      const [measured] = await Promise.race([once(child, 'message'), ended])
      return measured as Measured
    },
    stop() {
      child.disconnect()
      return ended.catch(() => {})
    },
  }
}
