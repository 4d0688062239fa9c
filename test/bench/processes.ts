import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '../../src/store/database.ts'
import { insertRuns } from './cuelight.ts'
import { type Served, startServed } from './served.ts'

const RUNS = 4000
const STEPS = 5
/** Time for the runs to be written, before the first of them is due. */
const AFTER_SECONDS = 5

/** Steps per second that so many whole servers on one database work off together, from runs that are all due at once. */
export async function measureProcesses(url: string, processes: number): Promise<number> {
  const db = await openDatabase({ url, poolSize: 2, runnerPoolSize: 1 })
  const servers: Served[] = []
  try {
    for (let index = 0; index < processes; index++) servers.push(await startServed({ DATABASE_URL: url }))
    const action = { id: 'core.log', params: { message: 'Done.' } }
    await insertRuns(db, { runs: RUNS, steps: STEPS, afterSeconds: AFTER_SECONDS, action })
    await db.prisma.$executeRawUnsafe('VACUUM ANALYZE')
    const left = () => db.prisma.run.count({ where: { status: { not: 'COMPLETED' } } })
    while ((await left()) > 0) await delay(200)
    const [took] = await db.prisma.$queryRaw<{ seconds: number }[]>`
      SELECT extract(epoch FROM max(ended_at) - min(scheduled_for))::float8 AS seconds FROM runs`
    return (RUNS * STEPS) / (took?.seconds ?? Number.NaN)
  } finally {
    for (const server of servers) await server.stop()
    await db.close()
  }
}
