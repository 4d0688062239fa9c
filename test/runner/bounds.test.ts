import { expect, test } from 'vitest'
import { cancelRun } from '../../src/controls/runs.ts'
import { MIRA, newStage, T0 } from '../support/stage.ts'

test('no more than maxDispatches actions are called at a time, and the rest follow', async () => {
  const stage = await newStage({ maxDispatches: 3 })
  const hung = stage.script.hang('a')
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  for (let index = 0; index < 10; index += 1) await stage.start(definitionId, { scope: `s${index}` })
  await stage.settle()
  expect(stage.runner.calls.size).toBe(3)
  expect(stage.script.calls).toHaveLength(3)
  hung.answer({ ok: true })
  await stage.settle()
  expect(stage.script.calls).toHaveLength(10)
  expect(await stage.db.prisma.run.count({ where: { definitionId, status: 'COMPLETED' } })).toBe(10)
})

test('no more than maxDispatches actions are called at a time by runs of several steps either', async () => {
  const stage = await newStage({ maxDispatches: 7, runConcurrency: 20 })
  let calling = 0
  let most = 0
  stage.script.on('a', async () => {
    calling += 1
    most = Math.max(most, calling)
    await stage.db.hot.$queryRaw`SELECT 1`
    calling -= 1
    return { ok: true }
  })
  const { definitionId } = await stage.publish([{ key: 'one', steps: Array.from({ length: 3 }, () => ({ key: 'a' })) }])
  const scheduledFor = new Date(T0 + 60_000)
  for (let index = 0; index < 120; index += 1) await stage.start(definitionId, { scope: `s${index}`, scheduledFor })
  await stage.letPass(60_000)
  expect(await stage.db.prisma.run.count({ where: { definitionId, status: 'COMPLETED' } })).toBe(120)
  expect(most).toBe(7)
})

test('a run is let go of after stepsPerPass steps, and taken up again behind those that wait', async () => {
  const stage = await newStage({ stepsPerPass: 2 })
  const owners: (string | null)[] = []
  stage.script.on('a', async () => {
    const { claimedBy } = await stage.db.prisma.run.findFirstOrThrow()
    owners.push(claimedBy)
    return { ok: true }
  })
  const runId = await stage.play([{ key: 'one', steps: Array.from({ length: 6 }, () => ({ key: 'a' })) }])
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  expect(new Set(owners).size).toBe(3)
  expect(owners).toEqual([0, 0, 2, 2, 4, 4].map((first) => owners[first]))
})

test('reverts that hang take no more than their share, and neither they nor hung actions hold the other up', async () => {
  const stage = await newStage({ maxDispatches: 8, runConcurrency: 8 })
  const cue = { actionId: 'core.cue', params: { instruction: 'Go' } }
  stage.script.on('a', ({ scope }) => ({ ok: true, resources: [{ kind: 'spawn', ref: scope }] }))
  const made = await stage.publish([{ key: 'one', steps: [{ actionId: 'test.spawn', key: 'a' }, cue] }])
  const scopes = Array.from({ length: 6 }, (_, index) => `s${index}`)
  const hung = scopes.map((scope) => stage.script.hangRevert(scope))
  const runs: string[] = []
  for (const scope of scopes) runs.push(await stage.start(made.definitionId, { scope }))
  await stage.settle()
  for (const runId of runs) await cancelRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(stage.script.reverted()).toHaveLength(2)

  const hanging = await stage.publish([{ key: 'one', steps: [{ key: 'hang' }] }])
  const hungAction = stage.script.hang('hang')
  for (const scope of scopes) await stage.start(hanging.definitionId, { scope })
  await stage.settle()
  expect(stage.runner.calls.size).toBe(2 + 6)
  const quick = await stage.publish([{ key: 'one', steps: [{ key: 'quick' }] }])
  const quickRun = await stage.start(quick.definitionId)
  await stage.settle()
  expect(await stage.run(quickRun)).toMatchObject({ status: 'COMPLETED' })

  for (const { answer } of hung) answer({ ok: true })
  await stage.settle()
  expect(stage.script.reverted().sort()).toEqual(scopes)
  for (const runId of runs) expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'CLEAN' })
  hungAction.answer({ ok: true })
  await stage.settle()
})
