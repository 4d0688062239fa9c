import { setTimeout as delay } from 'node:timers/promises'
import { Logger, type RunnerOptions, run, runMigrations } from 'graphile-worker'
import pg from 'pg'
import { type Effort, watchEffort } from './effort.ts'

const CONCURRENCY = 24

/** As its documentation sets it up. */
export const drainGraphileWorker = (url: string, jobs: number) => drain(url, jobs, {})

/** With jobs fetched ahead and completed in batches, without a delay. */
export const drainGraphileWorkerBatched = (url: string, jobs: number) =>
  drain(url, jobs, { worker: { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } })

async function drain(url: string, jobs: number, preset: RunnerOptions['preset']): Promise<Effort> {
  const logger = new Logger(() => () => {})
  const pgPool = new pg.Pool({ connectionString: url, max: CONCURRENCY + 4 })
  pgPool.on('error', () => {})
  pgPool.on('connect', (client) => client.on('error', () => {}))
  await runMigrations({ pgPool, logger })
  await pgPool.query(
    `SELECT graphile_worker.add_jobs(ARRAY(SELECT ROW('noop', '{}'::json, null, null, null, null, null, null)::graphile_worker.job_spec
       FROM generate_series(1, $1::int)))`,
    [jobs],
  )
  await pgPool.query('VACUUM ANALYZE')
  await pgPool.query('CHECKPOINT')
  let calls = 0
  const done = watchEffort()
  const runner = await run({
    pgPool,
    logger,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    preset,
    taskList: {
      noop: async () => {
        calls += 1
      },
    },
  })
  // Looking costs the database as much as some of the jobs; nothing has ended before its last call.
  while (calls < jobs) await delay(5)
  for (;;) {
    const { rows } = await pgPool.query<{ left: number }>(
      'SELECT count(*)::int AS left FROM graphile_worker._private_jobs',
    )
    if (rows[0]?.left === 0) break
    await delay(5)
  }
  const effort = done(jobs)
  await runner.stop()
  await pgPool.end().catch(() => {})
  return effort
}
