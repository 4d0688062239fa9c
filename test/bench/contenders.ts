import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { drainCuelight } from './cuelight.ts'
import type { Effort } from './effort.ts'
import { drainPlain } from './plain.ts'
import { throughPg } from './through-pg.ts'

/** Works units off an empty database of its own, and says what they took. `migrated`: it wants Cuelight's tables there. */
export type Contender = { name: string; unit: string; migrated: boolean; run: (url: string) => Promise<Effort> }

const ours = (name: string, unit: string, run: Contender['run']): Contender => ({ name, unit, migrated: true, run })
const peer = (name: string, unit: string, run: Contender['run']): Contender => ({ name, unit, migrated: false, run })
// Loaded where they are run, as they are installed but for that.
const graphileWorker = () => import('./graphile-worker.ts')
const pgBoss = () => import('./pg-boss.ts')
const dbos = () => import('./dbos.ts')

// As much for each as takes it three to five seconds: what beginning and ending cost is the same share of all.
export const CONTENDERS: Contender[] = [
  ours('Cuelight, 1 step', 'runs', (url) => drainCuelight(url, { runs: 25_000, steps: 1 })),
  ours('Cuelight, 5 steps', 'steps', (url) => drainCuelight(url, { runs: 12_000, steps: 5 })),
  ours('Cuelight through pg alone, 5 steps', 'steps', (url) =>
    drainCuelight(url, { runs: 12_000, steps: 5, through: (db) => throughPg(db, url) }),
  ),
  ours('the plain design through Prisma, 5 steps', 'steps', (url) => drainPlain(url, 400, 5)),
  peer('graphile-worker, default', 'jobs', async (url) => (await graphileWorker()).drainGraphileWorker(url, 20_000)),
  peer('graphile-worker, local queue and batches', 'jobs', async (url) =>
    (await graphileWorker()).drainGraphileWorkerBatched(url, 130_000),
  ),
  peer('pg-boss, 1 job a fetch', 'jobs', async (url) => (await pgBoss()).drainPgBoss(url, 7000, 1)),
  peer('pg-boss, 100 jobs a fetch', 'jobs', async (url) => (await pgBoss()).drainPgBoss(url, 110_000, 100)),
  peer('DBOS queue, 5 steps', 'steps', async (url) => (await dbos()).drainDbos(url, 1000, 5)),
]

/**
 * A process for a contender alone, for all of its rounds: what one compiles and leaves in memory is no burden to the next.
 * Ended by `stop`, or with this process.
 */
export function inProcessOfItsOwn(name: string): {
  run: (url: string) => Promise<Effort>
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
      const [effort] = await Promise.race([once(child, 'message'), ended])
      return effort as Effort
    },
    stop() {
      child.disconnect()
      return ended.catch(() => {})
    },
  }
}
