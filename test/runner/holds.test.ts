import { expect, test } from 'vitest'
import { endHold } from '../../src/controls/runs.ts'
import { skipStep } from '../../src/controls/steps.ts'
import { MIRA, newStage, T0 } from '../support/stage.ts'

const WAIT = { actionId: 'core.wait', params: { for: '10m' } }
const MINUTE = 60_000

test('a hold at the end of a phase is carried over a closed gate and an empty phase to the next step there is', async () => {
  const stage = await newStage()
  const runId = await stage.play([
    { key: 'one', steps: [WAIT], advance: { after: '4m' } },
    { key: 'two', steps: [] },
    { key: 'three', steps: [{ key: 'a' }] },
  ])
  expect(await stage.run(runId)).toMatchObject({ currentPhase: 'one', holdUntil: new Date(T0 + 10 * MINUTE) })
  await stage.letPass(4 * MINUTE)
  const run = await stage.run(runId)
  expect(run).toMatchObject({ currentPhase: 'three', holdUntil: null })
  expect(run.steps.at(-1)).toMatchObject({ status: 'PENDING', held: true, dueAt: new Date(T0 + 10 * MINUTE) })
  await stage.letPass(6 * MINUTE)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', endedAt: new Date(T0 + 10 * MINUTE) })
})

test('a wait that ends the last phase holds the end of the run', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [WAIT] }])
  await stage.letPass(10 * MINUTE - 1)
  expect(await stage.run(runId)).toMatchObject({ status: 'RUNNING', holdUntil: new Date(T0 + 10 * MINUTE) })
  await stage.letPass(1)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', endedAt: new Date(T0 + 10 * MINUTE) })
})

test('waits one after the other add up', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [WAIT, WAIT, { key: 'a' }] }])
  await stage.letPass(20 * MINUTE - 1)
  expect(stage.script.keys()).toEqual([])
  await stage.letPass(1)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
})

test('a hold longer than seven days is cut to seven days, and a numeric string is fine', async () => {
  const stage = await newStage()
  stage.script.answers('a', { ok: true, holdFor: '9999999' })
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }, { key: 'b' }] }])
  expect(await stage.step(runId, 1)).toMatchObject({ dueAt: new Date(T0 + 7 * 86_400_000), held: true })
})

test('skipping a held step hands the hold on, to the next step or to the run', async () => {
  const stage = await newStage()
  const runId = await stage.play([
    { key: 'one', steps: [WAIT, { key: 'a' }, { key: 'b' }] },
    { key: 'two', steps: [{ key: 'c' }] },
  ])
  const skip = async (seq: number) =>
    skipStep(stage.ctx, MIRA, { stepId: (await stage.step(runId, seq)).id, reason: 'not today' })
  await skip(1)
  expect((await stage.run(runId)).steps).toMatchObject([
    { status: 'DONE' },
    { status: 'SKIPPED', dueAt: null, note: 'not today' },
    { status: 'PENDING', held: true, dueAt: new Date(T0 + 10 * MINUTE) },
  ])
  await skip(2)
  await stage.settle()
  expect(await stage.step(runId, 0, 1)).toMatchObject({
    status: 'PENDING',
    held: true,
    dueAt: new Date(T0 + 10 * MINUTE),
  })
  await stage.letPass(10 * MINUTE)
  expect(stage.script.keys()).toEqual(['c'])
})

test('skipping a step that waits for its next attempt hands no hold on', async () => {
  const stage = await newStage()
  stage.script.answers('a', { ok: false, error: 'busy' })
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }, { key: 'b' }] }])
  await skipStep(stage.ctx, MIRA, { stepId: (await stage.step(runId)).id, reason: 'broken' })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', endedAt: new Date(T0) })
})

test.each([
  ['a step', [WAIT, { key: 'a' }]],
  ['the end of the run', [WAIT]],
])('ending the hold of %s lets it go on now', async (_name, steps) => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps }])
  await stage.letPass(MINUTE)
  expect(await endHold(stage.ctx, MIRA, { runId, reason: 'they are ready' })).toEqual({ runId })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', endedAt: new Date(T0 + MINUTE) })
  expect((await stage.log(runId)).find((line) => line.kind === 'run.control')).toMatchObject({
    actorName: 'Mira',
    detail: { control: 'END_HOLD', from: 'RUNNING', to: 'RUNNING', reason: 'they are ready' },
  })
})

test("a retry's backoff is not a hold and cannot be ended as one", async () => {
  const stage = await newStage()
  stage.script.answers('a', { ok: false, error: 'busy' })
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }] }])
  expect(await endHold(stage.ctx, MIRA, { runId })).toMatchObject({ error: 'CONFLICT', runId })
})
