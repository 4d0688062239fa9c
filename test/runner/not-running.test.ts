import { describe, expect, test } from 'vitest'
import { cancelRun, endHold, pauseRun, resumeRun } from '../../src/controls/runs.ts'
import { claimCue, confirmCue, skipStep } from '../../src/controls/steps.ts'
import { MIRA, newStage, type Stage, type StageStep, T0 } from '../support/stage.ts'

const NEXT: StageStep = { key: 'next' }
const TERMINAL = { ok: false, retry: false, error: 'no' }

/** A run whose first step is in flight, after `control` was used on it. */
async function inFlight(stage: Stage, control: typeof pauseRun, step: StageStep = { key: 'a', label: 'A' }) {
  const hung = stage.script.hang('a')
  const { definitionId } = await stage.publish([{ key: 'one', steps: [step, NEXT] }])
  const runId = await stage.start(definitionId)
  await hung.called
  expect(await control(stage.ctx, MIRA, { runId })).toEqual({ runId })
  return {
    runId,
    async answer(answer: unknown) {
      hung.answer(answer)
      await stage.settle()
      return stage.run(runId)
    },
  }
}

describe('the step in flight of a PAUSED run', () => {
  test('is DONE when it answers done, its hold is kept, and nothing follows before the run is resumed', async () => {
    const stage = await newStage()
    const { runId, answer } = await inFlight(stage, pauseRun)
    const run = await answer({ ok: true, holdFor: 60 })
    expect(run).toMatchObject({ status: 'PAUSED', claimedBy: null })
    expect(run.steps).toMatchObject([
      { status: 'DONE' },
      { status: 'PENDING', held: true, dueAt: new Date(T0 + 60_000) },
    ])
    await stage.letPass(120_000)
    expect(stage.script.keys()).toEqual(['a'])
    await resumeRun(stage.ctx, MIRA, { runId })
    await stage.settle()
    expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', endedAt: new Date(T0 + 120_000) })
  })

  test('is PENDING again after a transient failure, and waits for resume', async () => {
    const stage = await newStage()
    const { runId, answer } = await inFlight(stage, pauseRun)
    const run = await answer({ ok: false, error: 'busy' })
    expect(run).toMatchObject({ status: 'PAUSED', health: 'DEGRADED' })
    expect(run.steps[0]).toMatchObject({ status: 'PENDING', attempts: 1 })
    await stage.letPass(120_000)
    expect(stage.script.keys()).toEqual(['a'])
    stage.script.on('a', () => ({ ok: true }))
    await resumeRun(stage.ctx, MIRA, { runId })
    await stage.settle()
    expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  })

  test.each(['PAUSE', 'SKIP'] as const)(
    'is FAILED after a terminal failure, and under %s the run stays PAUSED with its error',
    async (onFailure) => {
      const stage = await newStage()
      const { answer } = await inFlight(stage, pauseRun, { key: 'a', label: 'A', onFailure })
      const run = await answer(TERMINAL)
      expect(run).toMatchObject({ status: 'PAUSED', lastError: '"A" (test.change) failed: no' })
      expect(run.steps.map((step) => step.status)).toEqual(['FAILED', 'PENDING'])
    },
  )

  test('fails the run under ABORT_RUN', async () => {
    const stage = await newStage()
    const { answer } = await inFlight(stage, pauseRun, { key: 'a', onFailure: 'ABORT_RUN' })
    const run = await answer(TERMINAL)
    expect(run).toMatchObject({ status: 'FAILED' })
    expect(run.steps.map((step) => step.status)).toEqual(['FAILED', 'CANCELLED'])
  })

  test('parks, and may be confirmed; the run goes on at resume', async () => {
    const stage = await newStage()
    const { runId, answer } = await inFlight(stage, pauseRun)
    const run = await answer({ ok: true, await: 'human', instruction: 'Go' })
    expect(run.steps[0]).toMatchObject({ status: 'RUNNING', parked: true, instruction: 'Go' })
    const stepId = run.steps[0]?.id ?? ''
    expect(await claimCue(stage.ctx, MIRA, { stepId })).toEqual({ stepId })
    expect(await confirmCue(stage.ctx, MIRA, { stepId })).toEqual({ stepId })
    await stage.settle()
    expect(stage.script.keys()).toEqual(['a'])
    await resumeRun(stage.ctx, MIRA, { runId })
    await stage.settle()
    expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  })

  test('is PENDING again when its lease is reclaimed with attempts left', async () => {
    const stage = await newStage()
    const { runId } = await inFlight(stage, pauseRun)
    await stage.db.prisma.run.update({
      where: { id: runId },
      data: { claimedBy: 'dead:1', leaseUntil: new Date(T0 - 1) },
    })
    stage.clock.moveBy(2000)
    stage.runner.wake()
    await stage.runner.idle()
    expect(await stage.run(runId)).toMatchObject({ status: 'PAUSED', claimedBy: null })
    expect(await stage.step(runId)).toMatchObject({ status: 'PENDING', attempts: 1 })
  })
})

describe('the step in flight of a CANCELLED run', () => {
  test('is DONE when it answers done', async () => {
    const stage = await newStage()
    const { answer } = await inFlight(stage, cancelRun)
    const run = await answer({ ok: true, holdFor: 60 })
    expect(run).toMatchObject({ status: 'CANCELLED', claimedBy: null, inFlight: null })
    expect(run.steps.map((step) => step.status)).toEqual(['DONE', 'CANCELLED'])
  })

  test.each([
    ['fails transiently', { ok: false, error: 'busy' }, 'CANCELLED'],
    ['parks', { ok: true, await: 'human' }, 'CANCELLED'],
    ['fails terminally', TERMINAL, 'FAILED'],
  ])('that %s leaves the run as it is', async (_name, given, status) => {
    const stage = await newStage()
    const { answer } = await inFlight(stage, cancelRun)
    const run = await answer(given)
    expect(run).toMatchObject({ status: 'CANCELLED', claimedBy: null, inFlight: null })
    expect(run.steps.map((step) => step.status)).toEqual([status, 'CANCELLED'])
  })

  test.each([
    [1, 'CANCELLED'],
    [3, 'FAILED'],
  ])('after %i attempts is %s when its lease is reclaimed', async (attempts, status) => {
    const stage = await newStage()
    const { runId } = await inFlight(stage, cancelRun)
    const step = await stage.step(runId)
    await stage.db.prisma.step.update({ where: { id: step.id }, data: { attempts } })
    await stage.db.prisma.run.update({
      where: { id: runId },
      data: { claimedBy: 'dead:1', leaseUntil: new Date(T0 - 1) },
    })
    stage.clock.moveBy(2000)
    stage.runner.wake()
    await stage.runner.idle()
    expect(await stage.step(runId)).toMatchObject({ status })
    expect(await stage.run(runId)).toMatchObject({ status: 'CANCELLED', claimedBy: null })
  })
})

test("a PAUSED run's hold and after gate run on, and are acted on at resume", async () => {
  const stage = await newStage()
  const runId = await stage.play([
    { key: 'one', steps: [{ actionId: 'core.wait', params: { for: '10m' } }, { key: 'a' }], advance: { after: '20m' } },
    { key: 'two', steps: [{ key: 'b' }] },
  ])
  await pauseRun(stage.ctx, MIRA, { runId })
  await stage.letPass(30 * 60_000)
  expect(stage.script.keys()).toEqual([])
  await resumeRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(stage.script.keys()).toEqual(['a', 'b'])
  const [gate] = (await stage.run(runId)).gates
  expect(gate).toMatchObject({ openedBy: 'ELAPSED', openedAt: new Date(T0 + 20 * 60_000) })
})

test('a run paused before it entered a phase is resumed to STARTING', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  const runId = await stage.start(definitionId, { scheduledFor: new Date(T0 + 1000) })
  await stage.runner.stop()
  await stage.db.prisma.run.update({ where: { id: runId }, data: { status: 'STARTING', startedAt: new Date(T0) } })
  await pauseRun(stage.ctx, MIRA, { runId })
  expect(await resumeRun(stage.ctx, MIRA, { runId })).toEqual({ runId })
  expect(await stage.run(runId)).toMatchObject({ status: 'STARTING' })
  const next = stage.newRunner()
  next.start()
  await stage.settle(next)
  await next.stop()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
})

describe.each(['ENDING', 'CANCELLED', 'FAILED', 'COMPLETED', 'MISSED'] as const)('a run that is %s', (status) => {
  test('refuses what may only be done to one that is worked, and changes nothing', async () => {
    const stage = await newStage()
    const runId = await stage.play([
      { key: 'one', steps: [{ actionId: 'core.cue', params: { instruction: 'Go' } }, NEXT] },
    ])
    await stage.runner.stop()
    await stage.db.prisma.run.update({
      where: { id: runId },
      data: { status, endedAt: status === 'ENDING' ? null : new Date(T0) },
    })
    const before = await stage.run(runId)
    const [cue, next] = [await stage.step(runId, 0), await stage.step(runId, 1)]
    const { ctx } = stage
    for (const refused of [
      await pauseRun(ctx, MIRA, { runId }),
      await resumeRun(ctx, MIRA, { runId }),
      await endHold(ctx, MIRA, { runId }),
      await claimCue(ctx, MIRA, { stepId: cue.id }),
      await confirmCue(ctx, MIRA, { stepId: cue.id }),
      await skipStep(ctx, MIRA, { stepId: cue.id, reason: 'no' }),
      await skipStep(ctx, MIRA, { stepId: next.id, reason: 'no' }),
    ]) {
      expect(refused).toMatchObject({ error: 'CONFLICT', runId })
    }
    expect(await stage.run(runId)).toEqual(before)
    const cancelled = await cancelRun(ctx, MIRA, { runId })
    if (status === 'ENDING') expect(cancelled).toEqual({ runId })
    else expect(cancelled).toMatchObject({ error: 'CONFLICT' })
  })
})
