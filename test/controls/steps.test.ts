import { expect, test } from 'vitest'
import { cancelRun, resumeRun } from '../../src/controls/runs.ts'
import { claimCue, confirmCue, retryStep, skipStep } from '../../src/controls/steps.ts'
import { MIRA, newStage, type Stage, T0, TOM } from '../support/stage.ts'

const CUE = { actionId: 'core.cue', params: { instruction: 'Open the gate' }, label: 'Gate' }
const TERMINAL = { ok: false, retry: false, error: 'no' }

const stepId = async (stage: Stage, runId: string, seq = 0) => (await stage.step(runId, seq)).id

test('ten people confirm one cue: one does, nine are told who did, and the run goes on once', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE, { key: 'a' }] }])
  const id = await stepId(stage, runId)
  const people = Array.from({ length: 10 }, (_, index) => ({ kind: 'USER' as const, name: `GM ${index}` }))
  const results = await Promise.all(
    people.map((actor) => confirmCue(stage.ctx, actor, { stepId: id, note: `by ${actor.name}` })),
  )
  const winners = people.filter((_, index) => results[index]?.error === undefined)
  expect(winners).toHaveLength(1)
  for (const result of results) {
    if (result.error === undefined) continue
    expect(result).toMatchObject({
      error: 'CONFLICT',
      stepId: id,
      lastControl: { actor: winners[0], action: 'CONFIRM' },
    })
  }
  await stage.settle()
  expect(stage.script.keys()).toEqual(['a'])
  expect(await stage.step(runId)).toMatchObject({
    status: 'DONE',
    note: `by ${winners[0]?.name}`,
    finishedAt: new Date(T0),
  })
  expect((await stage.log(runId)).filter((line) => line.kind === 'step.control')).toHaveLength(1)
})

test('who was first with a step is named when its run is over by then, too', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE] }])
  const id = await stepId(stage, runId)
  await confirmCue(stage.ctx, MIRA, { stepId: id })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  expect(await confirmCue(stage.ctx, TOM, { stepId: id })).toMatchObject({
    error: 'CONFLICT',
    message: expect.stringContaining('Mira confirmed this'),
    lastControl: { action: 'CONFIRM', actor: MIRA },
  })
})

test('a control of a step names who was first with that step, or with its run, and nobody else', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE, CUE, CUE, CUE] }])
  const confirm = async (seq: number, actor = MIRA) => {
    const answer = await confirmCue(stage.ctx, actor, { stepId: await stepId(stage, runId, seq) })
    await stage.settle()
    return answer.error === 'CONFLICT' ? { message: answer.message, lastControl: answer.lastControl } : null
  }
  await confirm(0)
  stage.clock.moveBy(2000)
  expect(await confirm(0, TOM)).toMatchObject({
    message: expect.stringMatching(/ that waits for a person\. Mira confirmed this 2 s ago\.$/),
    lastControl: { action: 'CONFIRM', actor: MIRA },
  })
  // Whatever was controlled since.
  await confirm(1)
  expect(await confirm(0, TOM)).toMatchObject({ lastControl: { action: 'CONFIRM', actor: MIRA } })
  const nobody = { message: expect.stringMatching(/ that waits for a person\.$/), lastControl: null }
  expect(await confirm(3, TOM)).toEqual(nobody)
  await claimCue(stage.ctx, MIRA, { stepId: await stepId(stage, runId, 2) })
  expect(await claimCue(stage.ctx, TOM, { stepId: await stepId(stage, runId, 2) })).toMatchObject({
    lastControl: { action: 'CLAIM', actor: MIRA },
  })
  await cancelRun(stage.ctx, MIRA, { runId })
  expect(await confirm(2, TOM)).toMatchObject({
    message: expect.stringMatching(/ Mira cancelled its run just now\.$/),
    lastControl: { action: 'CANCEL', actor: MIRA },
  })
})

test('who retried a step was first to retry it, until it fails again', async () => {
  const stage = await newStage()
  stage.script.answers('a', TERMINAL, { ok: true })
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }, CUE] }])
  const id = await stepId(stage, runId)
  const retry = (actor = TOM) => retryStep(stage.ctx, actor, { stepId: id, reason: 'again' })
  await retry(MIRA)
  const mira = { error: 'CONFLICT', lastControl: { actor: MIRA, action: 'RETRY' } }
  expect(await retry()).toMatchObject(mira)
  await resumeRun(stage.ctx, TOM, { runId })
  await stage.settle()
  expect(await stage.step(runId)).toMatchObject({ status: 'DONE' })
  expect(await retry()).toMatchObject(mira)
  // It was allowed all the time.
  expect(await confirmCue(stage.ctx, TOM, { stepId: id })).toMatchObject({ error: 'CONFLICT', lastControl: null })
})

test('a cue names who has it; another may only take it over, and then both names are logged', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE] }])
  const id = await stepId(stage, runId)
  expect(await claimCue(stage.ctx, MIRA, { stepId: id })).toEqual({ stepId: id })
  expect(await claimCue(stage.ctx, MIRA, { stepId: id })).toEqual({ stepId: id })
  const refused = await claimCue(stage.ctx, TOM, { stepId: id })
  expect(refused).toMatchObject({ error: 'CONFLICT', stepId: id })
  expect(refused.error === 'CONFLICT' && refused.message).toContain('Mira')
  expect(await claimCue(stage.ctx, TOM, { stepId: id, takeOver: true })).toEqual({ stepId: id })
  expect(await stage.step(runId)).toMatchObject({ cueClaimedByName: 'Tom' })
  const lines = (await stage.log(runId)).filter((line) => line.kind === 'step.control')
  expect(lines.map((line) => [line.actorName, line.detail])).toEqual([
    ['Mira', { control: 'CLAIM' }],
    ['Tom', { control: 'TAKE_OVER', previousHolder: 'Mira' }],
  ])
})

test('a cue that is over cannot be claimed, not even by who had it', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE] }])
  const id = await stepId(stage, runId)
  await claimCue(stage.ctx, MIRA, { stepId: id })
  await confirmCue(stage.ctx, MIRA, { stepId: id })
  expect(await claimCue(stage.ctx, MIRA, { stepId: id })).toMatchObject({ error: 'CONFLICT', stepId: id })
})

test('of ten who claim one cue at once, one has it', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE] }])
  const id = await stepId(stage, runId)
  const results = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      claimCue(stage.ctx, { kind: 'USER', name: `GM ${index}` }, { stepId: id }),
    ),
  )
  expect(results.filter((result) => result.error === undefined)).toHaveLength(1)
})

test('skipping needs a reason and an open step, and the run goes on without it', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE, { key: 'a' }, { key: 'b' }] }])
  const [cue, next] = [await stepId(stage, runId, 0), await stepId(stage, runId, 1)]
  expect(await skipStep(stage.ctx, MIRA, { stepId: next, reason: '' })).toMatchObject({
    error: 'INVALID_INPUT',
    issues: [{ path: 'reason' }],
  })
  expect(await skipStep(stage.ctx, MIRA, { stepId: next, reason: 'no orcs' })).toEqual({ stepId: next })
  expect(await skipStep(stage.ctx, MIRA, { stepId: next, reason: 'no orcs' })).toMatchObject({ error: 'CONFLICT' })
  expect(await skipStep(stage.ctx, MIRA, { stepId: cue, reason: 'nobody here' })).toEqual({ stepId: cue })
  await stage.settle()
  expect(stage.script.keys()).toEqual(['b'])
  expect((await stage.run(runId)).steps.map((step) => step.status)).toEqual(['SKIPPED', 'SKIPPED', 'DONE'])
})

test('a failed step that is the furthest is retried as if it had not been tried, once the run is resumed', async () => {
  const stage = await newStage()
  stage.script.answers('a', TERMINAL, { ok: true })
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }, { key: 'b' }] }])
  const id = await stepId(stage, runId)
  expect(await skipStep(stage.ctx, MIRA, { stepId: id, reason: 'never mind' })).toMatchObject({
    error: 'CONFLICT',
    message: expect.stringContaining('Resume the run: it goes on behind this step.'),
  })
  expect(await retryStep(stage.ctx, MIRA, { stepId: id, reason: 'fixed' })).toEqual({ stepId: id })
  await stage.settle()
  expect(await stage.step(runId)).toMatchObject({ status: 'PENDING', attempts: 0, lastError: null, finishedAt: null })
  expect(await stage.run(runId)).toMatchObject({ status: 'PAUSED' })
  expect(await retryStep(stage.ctx, MIRA, { stepId: id, reason: 'fixed' })).toMatchObject({ error: 'CONFLICT' })
  await resumeRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', lastError: null })
  expect(stage.script.keys()).toEqual(['a', 'a', 'b'])
  const [first, second] = stage.script.calls
  expect(first?.idempotencyKey).toBe(second?.idempotencyKey)
})

test('a retry behind the cursor is refused', async () => {
  const stage = await newStage()
  stage.script.answers('a', TERMINAL)
  stage.script.answers('b', TERMINAL)
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a', onFailure: 'SKIP' }, { key: 'b' }] }])
  expect(await stage.run(runId)).toMatchObject({ status: 'PAUSED' })
  const before = await stage.run(runId)
  expect(await retryStep(stage.ctx, MIRA, { stepId: await stepId(stage, runId, 0), reason: 'again' })).toMatchObject({
    error: 'CONFLICT',
  })
  expect(await stage.run(runId)).toEqual(before)
  expect(await retryStep(stage.ctx, MIRA, { stepId: await stepId(stage, runId, 1), reason: 'again' })).toMatchObject({
    stepId: expect.any(String),
  })
})

test('a step that is not there is not found', async () => {
  const stage = await newStage()
  expect(await confirmCue(stage.ctx, MIRA, { stepId: '00000000-0000-7000-8000-000000000000' })).toMatchObject({
    error: 'NOT_FOUND',
  })
})
