import { expect, test } from 'vitest'
import { newStage } from '../support/stage.ts'

test('no more than maxDispatches actions are called at a time, and the rest follow', async () => {
  const stage = await newStage({ maxDispatches: 3 })
  const hung = stage.script.hang('a')
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  for (let index = 0; index < 10; index += 1) await stage.start(definitionId, { scope: `s${index}` })
  await stage.settle()
  expect(stage.runner.load.calls.size).toBe(3)
  expect(stage.script.calls).toHaveLength(3)
  hung.answer({ ok: true })
  await stage.settle()
  expect(stage.script.calls).toHaveLength(10)
  expect(await stage.db.prisma.run.count({ where: { definitionId, status: 'COMPLETED' } })).toBe(10)
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
