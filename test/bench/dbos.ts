import { setTimeout as delay } from 'node:timers/promises'
import { DBOS } from '@dbos-inc/dbos-sdk'
import pg from 'pg'
import { type Effort, watchEffort } from './effort.ts'

let round = 0

/** Workflows of that many steps from a queue: what a step took, with putting its workflow into the queue, which starts it. */
export async function drainDbos(url: string, workflows: number, steps: number): Promise<Effort> {
  round += 1
  const logger = { info: () => {}, debug: () => {}, warn: () => {}, error: console.error }
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, systemDatabasePoolSize: 20, logger })
  let calls = 0
  const workflow = DBOS.registerWorkflow(
    async () => {
      for (let step = 0; step < steps; step += 1) await DBOS.runStep(async () => (calls += 1), { name: `step${step}` })
    },
    { name: `workflow${round}` },
  )
  await DBOS.launch()
  const queueName = `queue${round}`
  await DBOS.registerQueue(queueName, { minPollingIntervalMs: 50 })
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  const done = watchEffort()
  let next = 0
  const enqueue = async () => {
    while (next++ < workflows) await DBOS.startWorkflow(workflow, { queueName })()
  }
  await Promise.all(Array.from({ length: 20 }, enqueue))
  while (calls < workflows * steps) await delay(5)
  for (;;) {
    const { rows } = await session.query<{ left: number }>(
      "SELECT count(*)::int AS left FROM dbos.workflow_status WHERE status IN ('ENQUEUED', 'PENDING')",
    )
    if (rows[0]?.left === 0) break
    await delay(5)
  }
  const effort = done(workflows * steps)
  await session.end()
  await DBOS.shutdown()
  return effort
}
