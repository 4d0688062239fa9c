import { expect, test } from 'vitest'
import { daily, publishScheduled, republish, runsOf } from '../support/scheduled.ts'
import { detailsOf, meter, one, set, spawningStage, statuses, vermin } from './spawning.ts'

test('caps set before the start hold, caps set after it do not, and a switch holds for the next step', async () => {
  const stage = await spawningStage()
  const { definitionId } = await stage.publish([
    {
      key: 'one',
      steps: [vermin({ count: 2 }), { actionId: 'core.wait', params: { for: '1m' } }, vermin({ count: 2 })],
    },
    { key: 'two', steps: [vermin({ count: 2 }), { actionId: 'core.wait', params: { for: '1m' } }, vermin()] },
  ])
  const runId = await stage.start(definitionId, { scheduledFor: new Date(stage.clock.now() + 60_000) })
  expect((await meter(stage, runId))[0]).toEqual(['creatures', 0, null, null])
  await set(stage, 'shard.vermin', { caps: { creatures: 6 } })
  await stage.letPass(60_000)
  expect((await meter(stage, runId))[0]).toEqual(['creatures', 2, 6, 'shard.vermin'])
  await set(stage, 'shard.vermin', { caps: { creatures: 0 } })
  await stage.letPass(60_000)
  expect((await meter(stage, runId))[0]).toEqual(['creatures', 6, 6, 'shard.vermin'])
  await set(stage, 'shard.vermin', { enabled: false })
  await stage.letPass(60_000)
  const steps = await statuses(stage, runId)
  expect(steps).toEqual(['DONE', 'DONE', 'DONE', 'DONE', 'DONE', 'REFUSED'])
  expect(await detailsOf(stage, runId, 'step.refused')).toEqual([{ code: 'ACTION_DISABLED' }])
  const budget = (cap: number | null) => ({
    dimensions: [
      { dimension: 'creatures', cap, from: cap === null ? null : 'shard.vermin' },
      { dimension: 'gold', cap: null, from: null },
    ],
  })
  expect(await detailsOf(stage, runId, 'run.budget')).toEqual([budget(null), budget(6)])
  const kinds = (await stage.log(runId)).map(({ kind }) => kind)
  expect(kinds.slice(0, 4)).toEqual(['run.created', 'run.budget', 'run.status', 'run.budget'])
})

test('caps that are the same at the start are not said again; a run that counts nothing says nothing', async () => {
  const stage = await spawningStage()
  await set(stage, 'shard.spawn', { caps: { creatures: 6 } })
  const runId = await stage.play([
    { key: 'one', steps: [vermin()] },
    { key: 'two', steps: [{ actionId: 'shard.spawn', params: {} }] },
  ])
  expect(await detailsOf(stage, runId, 'run.budget')).toHaveLength(1)
  expect((await meter(stage, runId))[0]).toEqual(['creatures', 2, 6, 'shard.spawn'])
  const plain = await stage.play(one({ actionId: 'shard.plain', params: {} }))
  expect(await detailsOf(stage, plain, 'run.budget')).toEqual([])
  expect(await meter(stage, plain)).toEqual([])
})

test('the smallest cap that any action of the version sets holds for all of them', async () => {
  const stage = await spawningStage()
  await set(stage, 'shard.vermin', { caps: { creatures: 100, gold: null } })
  await set(stage, 'shard.spawn', { caps: { creatures: 3 } })
  const runId = await stage.play([
    { key: 'one', steps: [vermin({ count: 3, gold: 1e6 }), vermin()] },
    { key: 'two', steps: [{ actionId: 'shard.spawn', params: {}, onFailure: 'SKIP' }] },
  ])
  expect(await statuses(stage, runId)).toEqual(['DONE', 'REFUSED', 'REFUSED'])
  expect(await meter(stage, runId)).toEqual([
    ['creatures', 3, 3, 'shard.spawn'],
    ['gold', 1e6, null, null],
  ])
})

const DAY_MS = 86_400_000
const budgetOf = (cap: number | null, from: string | null) => ({
  dimensions: [
    { dimension: 'creatures', cap, from },
    { dimension: 'gold', cap: null, from: null },
  ],
})

test('a run that the schedule makes has the budget of all its phases, as the caps were then', async () => {
  const stage = await spawningStage({ horizonDays: 3 })
  await set(stage, 'shard.vermin', { caps: { creatures: 4 } })
  const phases = [
    { key: 'one', steps: [{ actionId: 'shard.plain', params: {} }] },
    { key: 'two', steps: [{ actionId: 'shard.vermin', params: { count: 3 } }] },
  ]
  const { definitionId } = await publishScheduled(stage, { schedule: daily('20:00', '2026-03-07'), phases })
  await stage.settle()
  const [first, second] = await runsOf(stage, definitionId)
  if (first === undefined || second === undefined) throw new Error('no runs were made')
  for (const { id, lastLine } of [first, second]) {
    expect(await meter(stage, id)).toEqual([
      ['creatures', 0, 4, 'shard.vermin'],
      ['gold', 0, null, null],
    ])
    expect((await stage.log(id)).map(({ kind, line }) => [line, kind])).toEqual([
      [1, 'run.created'],
      [2, 'run.budget'],
    ])
    expect(lastLine).toBe(2)
    expect(await detailsOf(stage, id, 'run.budget')).toEqual([budgetOf(4, 'shard.vermin')])
  }
  await set(stage, 'shard.vermin', { caps: { creatures: 2 } })
  await stage.letPass(DAY_MS)
  expect(await statuses(stage, first.id)).toEqual(['DONE', 'REFUSED'])
  expect((await meter(stage, first.id))[0]).toEqual(['creatures', 0, 2, 'shard.vermin'])
  expect((await meter(stage, second.id))[0]).toEqual(['creatures', 0, 4, 'shard.vermin'])
})

test('a run that a new version takes along gets its budget anew', async () => {
  const stage = await spawningStage({ horizonDays: 2 })
  const plain = [{ key: 'one', steps: [{ actionId: 'shard.plain', params: {} }] }]
  const counting = [{ key: 'one', steps: [{ actionId: 'shard.vermin', params: {} }] }]
  const schedule = daily('20:00', '2026-03-07')
  const { definitionId } = await publishScheduled(stage, { schedule, phases: plain })
  await stage.settle()
  const [run] = await runsOf(stage, definitionId)
  const runId = run?.id ?? ''
  expect(await meter(stage, runId)).toEqual([])
  await set(stage, 'shard.vermin', { caps: { creatures: 5 } })
  await republish(stage, definitionId, { schedule, phases: counting })
  await stage.settle()
  expect((await meter(stage, runId))[0]).toEqual(['creatures', 0, 5, 'shard.vermin'])
  await set(stage, 'shard.vermin', { caps: { creatures: 6 } })
  await republish(stage, definitionId, { schedule, phases: [...counting, { key: 'two', steps: [] }] })
  await stage.settle()
  expect((await meter(stage, runId))[0]).toEqual(['creatures', 0, 6, 'shard.vermin'])
  await republish(stage, definitionId, { schedule, phases: plain })
  await stage.settle()
  expect(await meter(stage, runId)).toEqual([])
  const lines = await stage.log(runId)
  expect(lines.map(({ line, kind }) => [line, kind])).toEqual([
    [1, 'run.created'],
    [2, 'run.superseded'],
    [3, 'run.budget'],
    [4, 'run.superseded'],
    [5, 'run.budget'],
    [6, 'run.superseded'],
  ])
  expect((await stage.run(runId)).lastLine).toBe(6)
  expect(await detailsOf(stage, runId, 'run.budget')).toEqual([
    budgetOf(5, 'shard.vermin'),
    budgetOf(6, 'shard.vermin'),
  ])
})

test('a start that dies before its caps were copied copies them when it is taken up', async () => {
  const stage = await spawningStage()
  await set(stage, 'shard.vermin', { caps: { creatures: 5 } })
  const { definitionId } = await stage.publish(one(vermin({ count: 5 })))
  const runId = await stage.start(definitionId, { scheduledFor: new Date(stage.clock.now() + 60_000) })
  await set(stage, 'shard.vermin', { caps: { creatures: 4 } })
  const at = new Date(stage.clock.now() + 60_000)
  await stage.db.prisma.run.update({
    where: { id: runId },
    data: { status: 'STARTING', startedAt: at, claimedBy: 'dead#1', leaseUntil: at, wakeAt: null },
  })
  await stage.letPass(60_000)
  stage.runner.wake()
  await stage.until(runId, 'COMPLETED')
  expect((await meter(stage, runId))[0]).toEqual(['creatures', 0, 4, 'shard.vermin'])
  expect(await statuses(stage, runId)).toEqual(['REFUSED'])
})

test('a module that is registered while a run goes on finds the caps that were set before its start', async () => {
  const stage = await spawningStage({}, { late: true })
  const setting = { actionId: 'shard.vermin', updatedAt: new Date(stage.clock.now()) }
  await stage.db.prisma.actionSetting.create({
    data: { ...setting, caps: { create: [{ dimension: 'creatures', cap: 4 }] } },
  })
  const runId = await stage.play(
    one({ actionId: 'core.wait', params: { for: '1m' } }, vermin({ count: 3 }), vermin({ count: 3 })),
  )
  stage.register()
  await stage.letPass(60_000)
  expect(await statuses(stage, runId)).toEqual(['DONE', 'DONE', 'REFUSED'])
  expect(await meter(stage, runId)).toEqual([['creatures', 3, 4, 'shard.vermin']])
})
