import { expect, test } from 'vitest'
import { archiveDefinition } from '../../src/controls/definitions.ts'
import type { Result } from '../../src/controls/result.ts'
import {
  advancePhase,
  cancelRun,
  endHold,
  pauseRun,
  rescheduleRun,
  resumeRun,
  retryCleanup,
} from '../../src/controls/runs.ts'
import { claimCue, confirmCue } from '../../src/controls/steps.ts'
import { publishScheduled } from '../support/scheduled.ts'
import { MIRA, newStage, T0, TOM } from '../support/stage.ts'

const CUE = { actionId: 'core.cue', params: { instruction: 'Go' } }

test('a control that came too late is a conflict that says who was first, and changes nothing', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE] }])
  await pauseRun(stage.ctx, MIRA, { runId })
  stage.clock.moveBy(2093)
  const before = await stage.run(runId)
  const refused = await pauseRun(stage.ctx, TOM, { runId })
  expect(refused).toMatchObject({ error: 'CONFLICT', runId, lastControl: { actor: MIRA, action: 'PAUSE' } })
  expect(refused.error === 'CONFLICT' && refused.message).toMatch(/The run is PAUSED; .* Mira paused this 2 s ago\.$/)
  expect(await stage.run(runId)).toEqual(before)
})

test('who was first is told whatever was controlled since, and however far the run has got', async () => {
  const stage = await newStage()
  const wait = { actionId: 'core.wait', params: { for: '1h' } }
  const runId = await stage.play([
    { key: 'one', steps: [CUE], advance: { after: '1h' } },
    { key: 'two', steps: [wait] },
  ])
  const told = async (refused: Promise<Result<object>>) => {
    const answer = await refused
    return answer.error === 'CONFLICT' ? [answer.lastControl, /[^.]+\.$/.exec(answer.message)?.[0]] : answer
  }
  const mira = (action: string, text: string) => [
    { actor: MIRA, action, at: new Date(T0).toISOString() },
    ` Mira ${text} just now.`,
  ]
  const cue = (await stage.step(runId)).id
  await pauseRun(stage.ctx, MIRA, { runId })
  await claimCue(stage.ctx, TOM, { stepId: cue })
  expect(await told(pauseRun(stage.ctx, TOM, { runId }))).toEqual(mira('PAUSE', 'paused this'))
  await resumeRun(stage.ctx, MIRA, { runId })
  await confirmCue(stage.ctx, TOM, { stepId: cue })
  await advancePhase(stage.ctx, MIRA, { runId, phase: 'one', reason: 'go' })
  await stage.settle()
  const advance = () => told(advancePhase(stage.ctx, TOM, { runId, phase: 'one', reason: 'go' }))
  expect(await advance()).toEqual(mira('ADVANCE', 'advanced this'))
  await endHold(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  expect(await advance()).toEqual(mira('ADVANCE', 'advanced this'))
  expect(await told(endHold(stage.ctx, TOM, { runId }))).toEqual(mira('END_HOLD', 'ended the hold of this'))
  expect(await told(resumeRun(stage.ctx, TOM, { runId }))).toEqual(mira('RESUME', 'resumed this'))
  // It came to its end by itself.
  expect(await pauseRun(stage.ctx, TOM, { runId })).toMatchObject({ error: 'CONFLICT', lastControl: null })
})

test('who archived an event was first to cancel its runs', async () => {
  const stage = await newStage()
  const { definitionId } = await publishScheduled(stage, { schedule: { once: { at: '2026-03-10T20:00' } } })
  await stage.settle()
  const run = await stage.db.prisma.run.findFirstOrThrow({ where: { definitionId } })
  await archiveDefinition(stage.ctx, MIRA, { id: definitionId })
  expect(await cancelRun(stage.ctx, TOM, { runId: run.id })).toMatchObject({
    error: 'CONFLICT',
    lastControl: { actor: MIRA, action: 'CANCEL' },
  })
})

test('nobody is said to have been first whose control is not what made this one too late', async () => {
  const stage = await newStage()
  stage.script.answers('fails', { ok: false, retry: false, error: 'the lights are out' })
  const nobody = async (refused: Promise<Result<object>>, message: RegExp) =>
    expect(await refused).toMatchObject({
      error: 'CONFLICT',
      lastControl: null,
      message: expect.stringMatching(new RegExp(`^${message.source} this needs [^.]+\\.$`)),
    })

  const ended = await stage.play([{ key: 'one', steps: [CUE] }])
  await confirmCue(stage.ctx, MIRA, { stepId: (await stage.step(ended)).id })
  await stage.settle()
  for (const late of [resumeRun, pauseRun, cancelRun, endHold, retryCleanup])
    await nobody(late(stage.ctx, TOM, { runId: ended }), /The run is COMPLETED[^;]*;/)
  await nobody(advancePhase(stage.ctx, TOM, { runId: ended, phase: 'one', reason: 'go' }), /The run is COMPLETED;/)

  // It was RUNNING before, from where it could not be moved either.
  const paused = await stage.play([{ key: 'one', steps: [CUE] }])
  await pauseRun(stage.ctx, MIRA, { runId: paused })
  await nobody(rescheduleRun(stage.ctx, TOM, { runId: paused, scheduledFor: new Date(T0) }), /The run is PAUSED;/)

  // What paused it is its step that failed, and not who resumed it before.
  const failed = await stage.play([{ key: 'one', steps: [CUE, { key: 'fails' }] }])
  await pauseRun(stage.ctx, MIRA, { runId: failed })
  await confirmCue(stage.ctx, MIRA, { stepId: (await stage.step(failed)).id })
  await resumeRun(stage.ctx, MIRA, { runId: failed })
  await stage.settle()
  expect(await stage.run(failed)).toMatchObject({ status: 'PAUSED' })
  await nobody(pauseRun(stage.ctx, TOM, { runId: failed }), /The run is PAUSED;/)
})

test('who ended a hold was first to end it, until something is held anew', async () => {
  const stage = await newStage()
  const wait = { actionId: 'core.wait', params: { for: '1h' } }
  const runId = await stage.play([{ key: 'one', steps: [wait, CUE, wait, CUE] }])
  const late = async () => {
    const answer = await endHold(stage.ctx, TOM, { runId })
    return answer.error === 'CONFLICT' ? answer.message : null
  }
  await endHold(stage.ctx, MIRA, { runId })
  stage.clock.moveBy(2000)
  expect(await late()).toMatch(/ with a hold\. Mira ended the hold of this 2 s ago\.$/)
  await stage.settle()
  await confirmCue(stage.ctx, MIRA, { stepId: (await stage.step(runId, 1)).id })
  await stage.settle()
  stage.clock.moveBy(3_600_000)
  await stage.settle()
  expect(await stage.step(runId, 3)).toMatchObject({ parked: true })
  expect(await late()).toMatch(/ with a hold\.$/)
})
