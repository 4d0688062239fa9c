import { expect, test } from 'vitest'
import { archiveDefinition } from '../../src/controls/definitions.ts'
import { abandonResource } from '../../src/controls/ledger.ts'
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
import { firstOverStep } from '../../src/controls/who-was-first.ts'
import { readStepForControl } from '../../src/store/step-controls.ts'
import { publishScheduled, republish } from '../support/scheduled.ts'
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
    { key: 'two', steps: [wait], advance: { after: '1h' } },
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
  await advancePhase(stage.ctx, TOM, { runId, phase: 'two', reason: 'go' })
  await endHold(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  expect(await advance()).toEqual(mira('ADVANCE', 'advanced this'))
  expect(await told(endHold(stage.ctx, TOM, { runId }))).toEqual(mira('END_HOLD', 'ended the hold of this'))
  expect(await told(resumeRun(stage.ctx, TOM, { runId }))).toEqual(mira('RESUME', 'resumed this'))
  // It came to its end by itself.
  expect(await pauseRun(stage.ctx, TOM, { runId })).toMatchObject({ error: 'CONFLICT', lastControl: null })
})

test.each(['archived', 'published anew'])(
  'who cancelled a run with its event, which was %s, was first',
  async (how) => {
    const stage = await newStage()
    const { definitionId } = await publishScheduled(stage, { schedule: { once: { at: '2026-03-10T20:00' } } })
    await stage.settle()
    const run = await stage.db.prisma.run.findFirstOrThrow({ where: { definitionId } })
    if (how === 'archived') await archiveDefinition(stage.ctx, MIRA, { id: definitionId })
    else await republish(stage, definitionId, { schedule: { once: { at: '2026-03-11T20:00' } } })
    for (const late of [cancelRun(stage.ctx, TOM, { runId: run.id }), pauseRun(stage.ctx, TOM, { runId: run.id })])
      expect(await late).toMatchObject({ error: 'CONFLICT', message: expect.stringContaining('The run is CANCELLED') })
    expect(await cancelRun(stage.ctx, TOM, { runId: run.id })).toMatchObject({
      lastControl: { actor: MIRA, action: 'CANCEL' },
    })
  },
)

test('of several who changed the status since, the one is named who made it what it is', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE] }])
  await pauseRun(stage.ctx, TOM, { runId })
  await cancelRun(stage.ctx, MIRA, { runId })
  expect(await pauseRun(stage.ctx, TOM, { runId })).toMatchObject({ lastControl: { actor: MIRA, action: 'CANCEL' } })
})

test('who resumed a run that had not begun was not first to end its hold', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  const runId = await stage.start(definitionId, { scheduledFor: new Date(T0 + 1000) })
  await stage.settle()
  const { prisma } = stage.db
  // As a process leaves it that dies behind its claim.
  await prisma.run.update({ where: { id: runId }, data: { status: 'STARTING' } })
  await pauseRun(stage.ctx, MIRA, { runId })
  await resumeRun(stage.ctx, MIRA, { runId })
  expect(await stage.run(runId)).toMatchObject({ status: 'STARTING' })
  expect(await endHold(stage.ctx, TOM, { runId })).toMatchObject({ error: 'CONFLICT', lastControl: null })
  expect(await resumeRun(stage.ctx, TOM, { runId })).toMatchObject({ lastControl: { actor: MIRA, action: 'RESUME' } })
  await stage.letPass(1000)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  expect(await endHold(stage.ctx, TOM, { runId })).toMatchObject({ error: 'CONFLICT', lastControl: null })
})

test('who forced a gate is named although the other one began before that', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE], advance: { trigger: { on: 'test.slain' } } }])
  stage.clock.moveBy(5)
  await advancePhase(stage.ctx, MIRA, { runId, phase: 'one', reason: 'go' })
  stage.clock.moveBy(-5)
  expect(await advancePhase(stage.ctx, TOM, { runId, phase: 'one', reason: 'go' })).toMatchObject({
    error: 'CONFLICT',
    lastControl: { actor: MIRA, action: 'ADVANCE' },
  })
})

test('who ended a hold is named after the run was cancelled, too', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [{ actionId: 'core.wait', params: { for: '1h' } }, CUE] }])
  await endHold(stage.ctx, MIRA, { runId })
  await stage.settle()
  await cancelRun(stage.ctx, TOM, { runId })
  expect(await endHold(stage.ctx, TOM, { runId })).toMatchObject({ lastControl: { actor: MIRA, action: 'END_HOLD' } })
})

test('who has a cue is named by whose claim it was, although another took it over since', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE] }])
  const { id: stepId } = await stage.step(runId)
  await claimCue(stage.ctx, MIRA, { stepId })
  const read = await readStepForControl(stage.db.controls, stepId)
  await claimCue(stage.ctx, TOM, { stepId, takeOver: true })
  if (read === null) throw new Error('There is no step.')
  expect(await firstOverStep(stage.ctx, read, 'TAKE_OVER')).toMatchObject({ actor: MIRA, action: 'CLAIM' })
})

test('who retried a cleanup is named for what it took back, and not for what had been', async () => {
  const stage = await newStage()
  const resources = ['a1', 'a2', 'a3'].map((ref) => ({ kind: 'spawn', ref }))
  stage.script.answers('made', { ok: true, resources })
  for (const ref of ['a2', 'a3']) stage.script.revertAnswers(ref, { ok: false, retry: false, error: 'stuck' })
  const runId = await stage.play([{ key: 'one', steps: [{ actionId: 'test.spawn', key: 'made' }] }])
  const abandon = async (ref: string) => {
    const { id } = await stage.db.prisma.resource.findFirstOrThrow({ where: { runId, ref } })
    const answer = await abandonResource(stage.ctx, TOM, { resourceId: id, reason: 'scenery' })
    return answer.error === 'CONFLICT' ? answer.lastControl : answer
  }
  expect(await abandon('a1')).toBe(null)
  stage.script.revertAnswers('a2', { ok: true })
  stage.script.revertAnswers('a3', { ok: false, retry: false, error: 'stuck' })
  await retryCleanup(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(await abandon('a1')).toBe(null)
  expect(await abandon('a2')).toMatchObject({ actor: MIRA, action: 'RETRY_CLEANUP' })
  stage.script.revertAnswers('a3', { ok: false, retry: false, error: 'stuck' })
  await retryCleanup(stage.ctx, TOM, { runId })
  await stage.settle()
  expect(await abandon('a2')).toMatchObject({ actor: MIRA, action: 'RETRY_CLEANUP' })
  expect(await abandon('a3')).toHaveProperty('resourceId')
  expect(await abandon('a3')).toMatchObject({ actor: TOM, action: 'ABANDON_RESOURCE' })
  expect(await retryCleanup(stage.ctx, MIRA, { runId })).toMatchObject({
    error: 'CONFLICT',
    lastControl: { actor: TOM, action: 'ABANDON_RESOURCE' },
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
