import { expect, test } from 'vitest'
import { archiveDefinition } from '../../src/controls/definitions.ts'
import { pauseSchedule, resumeSchedule } from '../../src/controls/schedules.ts'
import { daily, done, publishScheduled, republish, runsOf } from '../support/scheduled.ts'
import { MIRA, newStage, type Stage } from '../support/stage.ts'
import { set, spawningStage } from './spawning.ts'

const HOUR = 3_600_000

/** Publishes that many daily events while no runner is there. */
async function publishDaily(stage: Stage, count: number): Promise<string[]> {
  await stage.runner.stop()
  const ids: string[] = []
  for (let index = 0; index < count; index += 1)
    ids.push((await publishScheduled(stage, { schedule: daily('12:00') })).definitionId)
  return ids
}

function restart(stage: Stage): void {
  stage.runner = stage.newRunner()
  stage.runner.start()
}

/** Counts the statements that make runs, and does something before the first of them is sent. */
function beforeExpansion(stage: Stage, what: () => Promise<void> = async () => {}): { statements: number } {
  const sent = { statements: 0 }
  stage.interpose((sql) => {
    if (!sql.sql.includes('occurrences jsonb')) return stage.send(sql)
    sent.statements += 1
    return sent.statements === 1 ? what().then(() => stage.send(sql)) : stage.send(sql)
  })
  return sent
}

const versionsOf = async (stage: Stage, definitionId: string) => [
  ...new Set((await runsOf(stage, definitionId)).map(({ versionId }) => versionId)),
]

test('definitions are expanded many in a statement', async () => {
  const stage = await newStage()
  const ids = await publishDaily(stage, 40)
  const sent = beforeExpansion(stage)
  restart(stage)
  await stage.settle()
  for (const id of ids) expect(await runsOf(stage, id)).toHaveLength(14)
  // 14 runs of three rows each: 8 definitions have more than 300 rows.
  expect(sent.statements).toBe(5)
})

test('of definitions that are expanded together those that change meanwhile make nothing of what was read, the others all', async () => {
  const stage = await newStage({ horizonDays: 2 })
  const [same, paused, archived, published, resumed, last] = await publishDaily(stage, 6)
  if (!same || !paused || !archived || !published || !resumed || !last) throw new Error('not enough definitions')
  let version = ''
  const sent = beforeExpansion(stage, async () => {
    done(await pauseSchedule(stage.ctx, MIRA, { id: paused }))
    done(await archiveDefinition(stage.ctx, MIRA, { id: archived }))
    version = (await republish(stage, published, { graceSeconds: 60 })).versionId
    done(await pauseSchedule(stage.ctx, MIRA, { id: resumed }))
    done(await resumeSchedule(stage.ctx, MIRA, { id: resumed }))
  })
  restart(stage)
  await stage.settle()
  expect(sent.statements).toBe(2)
  const counts = async (ids: string[]) => Promise.all(ids.map(async (id) => (await runsOf(stage, id)).length))
  expect(await counts([same, paused, archived, published, resumed, last])).toEqual([2, 0, 0, 2, 2, 2])
  expect(await versionsOf(stage, published)).toEqual([version])
})

test('one that the database refuses stops no other of its statement, is said once and tried again later', async () => {
  const stage = await newStage({ horizonDays: 2 })
  stage.expectFaults(/cannot be expanded/)
  const ids = await publishDaily(stage, 7)
  const [, , , bad] = ids
  const { prisma } = stage.db
  await prisma.$executeRawUnsafe(`ALTER TABLE runs ADD CONSTRAINT not_of_bad CHECK (definition_id <> '${bad}')`)
  try {
    restart(stage)
    await stage.letPass(HOUR / 2)
    for (const id of ids) expect(await runsOf(stage, id)).toHaveLength(id === bad ? 0 : 2)
    expect(stage.faults).toHaveLength(1)
  } finally {
    await prisma.$executeRawUnsafe('ALTER TABLE runs DROP CONSTRAINT not_of_bad')
  }
  await stage.letPass(HOUR)
  stage.changes.schedulesChanged()
  await stage.settle()
  expect(await runsOf(stage, bad ?? '')).toHaveLength(2)
})

test('of definitions that are expanded together each run gets the steps and the budget of its own', async () => {
  const stage = await spawningStage({ horizonDays: 1 })
  await set(stage, 'shard.vermin', { caps: { creatures: 4 } })
  await stage.runner.stop()
  const phases = (...steps: string[]) => [{ key: 'one', steps: steps.map((actionId) => ({ actionId, params: {} })) }]
  const events = [phases('shard.plain'), phases('shard.vermin', 'shard.plain'), phases('shard.plain', 'shard.plain')]
  const ids: string[] = []
  for (const event of events)
    ids.push((await publishScheduled(stage, { schedule: daily('12:00'), phases: event })).definitionId)
  const sent = beforeExpansion(stage)
  restart(stage)
  await stage.settle()
  expect(sent.statements).toBe(1)
  const made = await Promise.all(ids.map((id) => runsOf(stage, id)))
  expect(made.map((runs) => runs.map(({ steps }) => steps.map(({ actionId }) => actionId).sort()))).toEqual([
    [['shard.plain']],
    [['shard.plain', 'shard.vermin']],
    [['shard.plain', 'shard.plain']],
  ])
  const [plain, vermin, twice] = made.map(([run]) => run?.id ?? '')
  const budgets = await stage.db.prisma.budgetLine.findMany({ orderBy: { dimension: 'asc' } })
  expect(budgets.map(({ runId, dimension, cap }) => [runId, dimension, cap])).toEqual([
    [vermin, 'creatures', 4],
    [vermin, 'gold', null],
  ])
  const kinds = async (runId = '') => (await stage.log(runId)).map(({ kind }) => kind)
  expect(await kinds(plain)).toEqual(['run.created'])
  expect(await kinds(vermin)).toEqual(['run.created', 'run.budget'])
  expect(await kinds(twice)).toEqual(['run.created'])
})
