import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { type Effort, watchEffort } from './effort.ts'

const LOOPS = 24

/** Loops that fetch that many jobs at once and complete them. */
export async function drainPgBoss(url: string, jobs: number, batchSize: number): Promise<Effort> {
  const boss = new PgBoss({ connectionString: url, max: LOOPS + 2, schedule: false })
  // What goes wrong shows in the count of jobs; closing its pool is an error to it as well.
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue('noop')
  for (let from = 0; from < jobs; from += 2000) {
    await boss.insert(
      'noop',
      Array.from({ length: Math.min(2000, jobs - from) }, () => ({ data: {} })),
    )
  }
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  await session.query('VACUUM ANALYZE')
  await session.query('CHECKPOINT')
  await session.end()
  let done = 0
  const watched = watchEffort()
  const loop = async () => {
    for (;;) {
      const fetched = await boss.fetch('noop', { batchSize })
      if (fetched.length === 0) return
      await boss.complete(
        'noop',
        fetched.map((job) => job.id),
      )
      done += fetched.length
    }
  }
  await Promise.all(Array.from({ length: LOOPS }, loop))
  const effort = watched(jobs)
  await boss.stop({ graceful: false })
  if (done !== jobs) throw new Error(`pg-boss did ${done} of ${jobs} jobs.`)
  return effort
}
