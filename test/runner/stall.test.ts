import { expect, test } from 'vitest'
import { advancePhase, cancelRun, pauseRun, resumeRun } from '../../src/controls/runs.ts'
import { confirmCue, retryStep } from '../../src/controls/steps.ts'
import { MIRA, newStage, type Stage, T0 } from '../support/stage.ts'

const MINUTE = 60_000
const STALL_MS = 30 * MINUTE
const ON_SLAIN = { trigger: { on: 'test.slain' } }

const healthOf = async (stage: Stage, runId: string) =>
  (await stage.log(runId)).filter(({ kind }) => kind === 'run.health').map(({ detail }) => detail)

test('a trigger that is waited for too long stalls the run at its instant, once, and nothing else happens', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'fight', steps: [{ key: 'spawn' }], advance: ON_SLAIN }])
  await stage.letPass(STALL_MS - 1)
  expect(await stage.run(runId)).toMatchObject({ health: 'OK', stalledSince: null, wakeAt: new Date(T0 + STALL_MS) })
  await stage.letPass(1)
  const stalledSince = new Date(T0 + STALL_MS)
  expect(await stage.run(runId)).toMatchObject({ status: 'RUNNING', health: 'STALLED', stalledSince, wakeAt: null })
  await stage.letPass(24 * 60 * MINUTE)
  expect(await stage.run(runId)).toMatchObject({ status: 'RUNNING', health: 'STALLED', stalledSince })
  expect(await healthOf(stage, runId)).toEqual([
    {
      to: 'STALLED',
      because: 'test.slain has been waited for longer than 30 min',
      stalledSince: stalledSince.toISOString(),
    },
  ])
})

test('the stall ends when the trigger opens the gate, and its trace stays', async () => {
  const stage = await newStage()
  const runId = await stage.play([
    { key: 'fight', steps: [], advance: { trigger: { on: 'test.slain', count: 2 } } },
    { key: 'end', steps: [{ actionId: 'core.cue', params: { instruction: 'Sweep' } }] },
  ])
  await stage.letPass(STALL_MS)
  await stage.emit()
  expect((await stage.run(runId)).stalledSince).not.toBeNull()
  await stage.emit()
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ currentPhase: 'end', health: 'STALLED', stalledSince: null })
})

test('a person who forces the gate ends it too, and so does cancelling', async () => {
  const stage = await newStage()
  const phases = [
    { key: 'fight', steps: [], advance: ON_SLAIN },
    { key: 'more', steps: [], advance: ON_SLAIN },
  ]
  const forced = await stage.play(phases)
  const cancelled = await stage.play(phases)
  await stage.letPass(STALL_MS)
  await advancePhase(stage.ctx, MIRA, { runId: forced, phase: 'fight', reason: 'enough' })
  await cancelRun(stage.ctx, MIRA, { runId: cancelled })
  await stage.settle()
  expect(await stage.run(forced)).toMatchObject({ currentPhase: 'more', stalledSince: null })
  expect(await stage.run(cancelled)).toMatchObject({ status: 'CANCELLED', stalledSince: null })
})

test('each stall is logged, in a later phase and on a degraded run too, which stays degraded', async () => {
  const stage = await newStage()
  stage.script.answers('spawn', { ok: false, retry: false, error: 'full' })
  const runId = await stage.play([
    { key: 'one', steps: [], advance: ON_SLAIN },
    { key: 'two', steps: [], advance: ON_SLAIN },
    { key: 'three', steps: [{ key: 'spawn', onFailure: 'SKIP' }], advance: ON_SLAIN },
  ])
  for (let phase = 0; phase < 2; phase += 1) {
    await stage.letPass(STALL_MS)
    await stage.emit()
    await stage.settle()
  }
  await stage.letPass(STALL_MS)
  expect(await stage.run(runId)).toMatchObject({ health: 'DEGRADED', stalledSince: new Date(T0 + 3 * STALL_MS) })
  expect((await healthOf(stage, runId)).map((detail) => (detail as { to: string }).to)).toEqual([
    'STALLED',
    'STALLED',
    'DEGRADED',
    'DEGRADED',
  ])
})

test('it counts from when the steps were done, not while a person is still asked', async () => {
  const stage = await newStage()
  const runId = await stage.play([
    { key: 'fight', steps: [{ actionId: 'core.cue', params: { instruction: 'Fight' } }], advance: ON_SLAIN },
  ])
  await stage.letPass(2 * STALL_MS)
  expect(await stage.run(runId)).toMatchObject({ health: 'OK', stalledSince: null })
  await confirmCue(stage.ctx, MIRA, { stepId: (await stage.step(runId)).id })
  await stage.letPass(STALL_MS - 1)
  expect(await stage.run(runId)).toMatchObject({ health: 'OK' })
  await stage.letPass(1)
  expect(await stage.run(runId)).toMatchObject({ health: 'STALLED', stalledSince: new Date(T0 + 3 * STALL_MS) })
})

test('a paused run is told when it is resumed', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'fight', steps: [], advance: ON_SLAIN }])
  await pauseRun(stage.ctx, MIRA, { runId })
  await stage.letPass(2 * STALL_MS)
  expect(await stage.run(runId)).toMatchObject({ health: 'OK' })
  await resumeRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ health: 'STALLED', stalledSince: new Date(T0 + STALL_MS) })
})

test('a step that is retried ends it: the gate is not what is waited for', async () => {
  const stage = await newStage()
  stage.script.answers('spawn', { ok: false, retry: false, error: 'full' })
  const runId = await stage.play([{ key: 'fight', steps: [{ key: 'spawn', onFailure: 'SKIP' }], advance: ON_SLAIN }])
  await stage.letPass(STALL_MS)
  await pauseRun(stage.ctx, MIRA, { runId })
  expect((await stage.run(runId)).stalledSince).not.toBeNull()
  await retryStep(stage.ctx, MIRA, { stepId: (await stage.step(runId)).id, reason: 'there is room now' })
  expect(await stage.run(runId)).toMatchObject({ status: 'PAUSED', stalledSince: null })
})

test('the time is a setting, and an after gate never stalls', async () => {
  const stage = await newStage({ stallMs: 5_000 })
  const on = await stage.play([{ key: 'fight', steps: [], advance: ON_SLAIN }])
  const after = await stage.play([{ key: 'fight', steps: [], advance: { after: '2h' } }])
  await stage.letPass(5_000)
  expect(await stage.run(on)).toMatchObject({ health: 'STALLED' })
  await stage.letPass(60 * MINUTE)
  expect(await stage.run(after)).toMatchObject({ health: 'OK', status: 'RUNNING' })
})
