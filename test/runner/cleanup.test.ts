import { expect, test } from 'vitest'
import { cancelRun, pauseRun } from '../../src/controls/runs.ts'
import { formatId } from '../../src/domain/ids.ts'
import { MIRA, newStage, T0 } from '../support/stage.ts'
import { CUE, confirm, leased, ledger, MINUTE, made, resource, spawn } from './spawned.ts'

test('what a run made is taken back newest first, in ENDING, and the log tells it in order', async () => {
  const stage = await newStage()
  stage.script.answers('a', made('a1', 'a2'))
  stage.script.answers('b', made('b1'))
  const runId = await stage.play([{ key: 'one', steps: [spawn('a', { label: 'Spawn' }), spawn('b')] }])
  expect(stage.script.reverted()).toEqual(['b1', 'a2', 'a1'])
  expect(await stage.run(runId)).toMatchObject({
    status: 'COMPLETED',
    cleanupStatus: 'CLEAN',
    ledgerOwner: null,
    ledgerAt: null,
    wakeAt: null,
  })
  expect(await stage.story(runId)).toEqual([
    'run.created',
    'run.status STARTING',
    'run.status RUNNING',
    'phase.entered',
    'step.status DONE',
    'resource.created',
    'resource.created',
    'step.status DONE',
    'resource.created',
    'phase.completed',
    'run.status ENDING',
    'cleanup.status PENDING',
    'resource.reverted',
    'resource.reverted',
    'resource.reverted',
    'cleanup.status CLEAN',
    'run.status COMPLETED',
  ])
  const [step, a2] = [await stage.step(runId), await resource(stage, 'a2')]
  const lines = await stage.log(runId)
  expect(lines.find(({ kind }) => kind === 'resource.created')).toMatchObject({
    stepId: step.id,
    detail: { kind: 'spawn', ref: 'a1' },
    text: '"Spawn" made spawn a1.',
  })
  const about = { resourceId: formatId('Resource', a2.id), kind: 'spawn', ref: 'a2' }
  expect(lines.filter(({ kind }) => kind === 'resource.reverted')[1]).toMatchObject({
    actorKind: 'SYSTEM',
    phase: 'one',
    stepId: step.id,
    detail: { ...about, attempts: 1 },
    text: 'Spawn a2 was taken back.',
  })
  expect(lines.filter(({ kind }) => kind === 'cleanup.status').map(({ detail }) => detail)).toEqual([
    { from: 'NOT_REQUIRED', to: 'PENDING', unresolved: 3 },
    { from: 'PENDING', to: 'CLEAN', unresolved: 0 },
  ])
  expect(stage.script.reverts[1]).toEqual({
    resource: { id: about.resourceId, kind: 'spawn', ref: 'a2', payload: null, memberKey: null },
    runId: formatId('Run', runId),
    stepId: formatId('Step', step.id),
    scope: '',
    idempotencyKey: step.idempotencyKey,
  })
})

test('a module gets back what it kept with a resource', async () => {
  const stage = await newStage()
  stage.script.answers('a', {
    ok: true,
    resources: [{ kind: 'spawn', ref: 'a1', payload: { at: [1, 2] }, memberKey: 'ann' }],
  })
  await stage.play([{ key: 'one', steps: [spawn('a')] }])
  expect(stage.script.reverts[0]?.resource).toMatchObject({ payload: { at: [1, 2] }, memberKey: 'ann' })
})

test('a run that made nothing has nothing to clean up', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [spawn('a'), { key: 'b' }] }])
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', cleanupStatus: 'NOT_REQUIRED', ledgerAt: null })
  expect(await ledger(stage, runId)).toEqual([])
  expect(await stage.story(runId)).not.toContain('cleanup.status CLEAN')
})

test('a revert is tried so often with a pause, which does not hold up the others; then a person has to decide', async () => {
  const stage = await newStage()
  stage.script.answers('a', made('a1', 'a2'))
  stage.script.revertAnswers('a2', { ok: false, error: 'busy' })
  const runId = await stage.play([{ key: 'one', steps: [spawn('a')] }])
  expect(stage.script.reverted()).toEqual(['a2', 'a1'])
  expect(await ledger(stage, runId)).toEqual(['a1 REVERTED', 'a2 ACTIVE'])
  expect(await stage.run(runId)).toMatchObject({ status: 'ENDING', cleanupStatus: 'PENDING', health: 'OK' })
  await stage.letPass(MINUTE - 1)
  expect(stage.script.reverted()).toHaveLength(2)
  await stage.letPass(1)
  expect(stage.script.reverted()).toHaveLength(3)
  await stage.letPass(MINUTE)
  expect(stage.script.reverted()).toEqual(['a2', 'a1', 'a2', 'a2'])
  await stage.letPass(10 * MINUTE)
  expect(stage.script.reverted()).toHaveLength(4)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', cleanupStatus: 'INCOMPLETE', ledgerAt: null })
  expect(await resource(stage, 'a2')).toMatchObject({ status: 'FAILED', revertAttempts: 3, lastError: 'busy' })
  expect((await stage.story(runId)).slice(-8)).toEqual([
    'run.status ENDING',
    'cleanup.status PENDING',
    'step.retry',
    'resource.reverted',
    'step.retry',
    'resource.failed',
    'cleanup.status INCOMPLETE',
    'run.status COMPLETED',
  ])
  const log = await stage.log(runId)
  const failed = log.find(({ kind }) => kind === 'resource.failed')
  expect(failed?.detail).toMatchObject({ ref: 'a2', attempts: 3, error: 'busy' })
  const { id } = await resource(stage, 'a2')
  const tried = {
    action: 'test.spawn',
    of: 3,
    error: 'busy',
    resourceId: formatId('Resource', id),
    kind: 'spawn',
    ref: 'a2',
  }
  expect(log.filter(({ kind }) => kind === 'step.retry').map(({ detail }) => detail)).toEqual([
    { ...tried, attempt: 1, dueAt: new Date(T0 + MINUTE).toISOString() },
    { ...tried, attempt: 2, dueAt: new Date(T0 + 2 * MINUTE).toISOString() },
  ])
  expect(log.find(({ kind }) => kind === 'step.retry')?.text).toBe(
    'Spawn a2 could not be taken back in attempt 1 of 3 and is tried again at 2026-03-06 20:01:00 UTC: busy.',
  )
})

test('a terminal failure is not tried again, and no shape that a failure can take reads as success', async () => {
  const stage = await newStage({ stepMaxAttempts: 1 })
  stage.script.answers('a', made('1', '2', '3', '4', '5', '6'))
  stage.script.revertAnswers('1', { ok: false, retry: false, error: 'gone' })
  stage.script.onRevert('2', () => Promise.reject(new Error('thrown')))
  stage.script.revertAnswers('3', 'ok')
  stage.script.revertAnswers('4', { ok: true, await: 'human', holdFor: 99, resources: [{ kind: 'x', ref: 'new' }] })
  const hung = stage.script.hangRevert('5')
  stage.script.revertAnswers('6', { ok: true, await: 'robots', holdFor: 'soon', resources: 7, participants: 'all' })
  const runId = await stage.play([{ key: 'one', steps: [spawn('a')] }])
  await hung.called
  expect(await stage.run(runId)).toMatchObject({ status: 'ENDING' })
  await stage.letPass(10_000)
  expect(await ledger(stage, runId)).toEqual([
    ...['1 FAILED', '2 FAILED', '3 FAILED', '4 REVERTED', '5 FAILED', '6 REVERTED'],
  ])
  expect((await resource(stage, '5')).lastError).toBe('no answer within 10 s')
  expect((await resource(stage, '3')).lastError).toContain('unusable')
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', cleanupStatus: 'INCOMPLETE' })
  hung.answer({ ok: true })
})

test('an action that is not registered any more, or cannot take back, is a failure that says so', async () => {
  const stage = await newStage()
  stage.script.answers('a', made('a1'))
  stage.script.answers('b', made('b1'))
  const runId = await stage.play([{ key: 'one', steps: [spawn('a'), spawn('b'), CUE] }])
  await stage.db.prisma.step.update({ where: { id: (await stage.step(runId, 0)).id }, data: { actionId: 'moon.land' } })
  await stage.db.prisma.step.update({
    where: { id: (await stage.step(runId, 1)).id },
    data: { actionId: 'test.change' },
  })
  await confirm(stage, runId, 2)
  expect((await resource(stage, 'a1')).lastError).toContain('moon.land is not registered: no module "moon" is loaded')
  expect((await resource(stage, 'b1')).lastError).toContain('registered without a revert')
  expect(stage.script.reverted()).toEqual([])
})

test('FAILED and CANCELLED runs are cleaned up at once', async () => {
  const stage = await newStage()
  stage.script.answers('a', made('a1'))
  stage.script.answers('bad', { ok: false, retry: false, error: 'no' })
  const failed = await stage.play([{ key: 'one', steps: [spawn('a'), { key: 'bad', onFailure: 'ABORT_RUN' }] }])
  expect(await stage.run(failed)).toMatchObject({ status: 'FAILED', cleanupStatus: 'CLEAN', wakeAt: null })
  expect((await stage.story(failed)).slice(-4)).toEqual([
    'run.status FAILED',
    'cleanup.status PENDING',
    'resource.reverted',
    'cleanup.status CLEAN',
  ])
  stage.script.answers('a', made('a2'))
  const cancelled = await stage.play([{ key: 'one', steps: [spawn('a'), CUE] }])
  await cancelRun(stage.ctx, MIRA, { runId: cancelled })
  await stage.settle()
  expect(await stage.run(cancelled)).toMatchObject({ status: 'CANCELLED', cleanupStatus: 'CLEAN', wakeAt: null })
  expect((await stage.story(cancelled)).slice(-4)).toEqual([
    'run.control CANCEL CANCELLED',
    'cleanup.status PENDING',
    'resource.reverted',
    'cleanup.status CLEAN',
  ])
  const [, pending] = (await stage.log(cancelled)).slice(-4)
  expect(pending).toMatchObject({
    actorKind: 'SYSTEM',
    detail: { from: 'NOT_REQUIRED', to: 'PENDING', unresolved: 1 },
    text: 'What the run left in the world is being taken back.',
  })
  expect(stage.script.reverted()).toEqual(['a1', 'a2'])
})

test('a cancelled run is cleaned up once its step has answered, and what that made goes too', async () => {
  const stage = await newStage()
  stage.script.answers('a', made('a1'))
  const hung = stage.script.hang('b')
  const runId = await stage.play([{ key: 'one', steps: [spawn('a'), spawn('b')] }])
  await hung.called
  await cancelRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  await stage.letPass(5_000)
  expect(await stage.run(runId)).toMatchObject({ status: 'CANCELLED', cleanupStatus: 'PENDING' })
  expect(stage.script.reverted()).toEqual([])
  hung.answer(made('b1'))
  await stage.settle()
  expect(stage.script.reverted()).toEqual(['b1', 'a1'])
  expect(await stage.run(runId)).toMatchObject({ status: 'CANCELLED', cleanupStatus: 'CLEAN' })
})

test('a lease ends while the run waits, while a step is in flight, and after the run', async () => {
  const stage = await newStage()
  stage.script.answers('a', leased('cue', MINUTE))
  stage.script.answers('b', leased('flight', 2 * MINUTE))
  stage.script.answers('c', made('rest'))
  const hung = stage.script.hang('slow')
  const slow = { actionId: 'test.slow', key: 'slow' }
  const runId = await stage.play([{ key: 'one', steps: [spawn('a'), spawn('b'), spawn('c'), CUE, slow, CUE] }])
  await stage.letPass(MINUTE - 1)
  expect(stage.script.reverted()).toEqual([])
  await stage.letPass(1)
  expect(stage.script.reverted()).toEqual(['cue'])
  expect(await stage.run(runId)).toMatchObject({ status: 'RUNNING', cleanupStatus: 'NOT_REQUIRED' })
  await confirm(stage, runId, 3)
  await hung.called
  await stage.letPass(MINUTE)
  expect(stage.script.reverted()).toEqual(['cue', 'flight'])
  expect(await stage.run(runId)).toMatchObject({ status: 'RUNNING', inFlight: expect.any(String) })
  hung.answer({ ok: true })
  await stage.settle()
  await confirm(stage, runId, 5)
  expect(stage.script.reverted()).toEqual(['cue', 'flight', 'rest'])
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', cleanupStatus: 'CLEAN' })
})

test('a lease that ends while what the run left waits for its last step is not waited for', async () => {
  const stage = await newStage()
  stage.script.answers('a', leased('short', MINUTE))
  stage.script.answers('b', made('long'))
  const hung = stage.script.hang('slow')
  const runId = await stage.play([
    { key: 'one', steps: [spawn('a'), spawn('b'), { actionId: 'test.slow', key: 'slow' }] },
  ])
  await hung.called
  await cancelRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  await stage.letPass(MINUTE)
  expect(stage.script.reverted()).toEqual(['short'])
  hung.answer({ ok: true })
  await stage.settle()
  expect(stage.script.reverted()).toEqual(['short', 'long'])
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'CLEAN' })
})

test('a paused run keeps what an answer made', async () => {
  const stage = await newStage()
  const hung = stage.script.hang('a')
  const runId = await stage.play([{ key: 'one', steps: [spawn('a'), CUE] }])
  await hung.called
  await pauseRun(stage.ctx, MIRA, { runId })
  hung.answer(made('a1'))
  await stage.settle()
  expect(await ledger(stage, runId)).toEqual(['a1 ACTIVE'])
  expect(await stage.run(runId)).toMatchObject({ status: 'PAUSED', cleanupStatus: 'NOT_REQUIRED' })
})

test('a parked answer keeps what it made, and so does one that a cancelled run has no use for', async () => {
  const stage = await newStage()
  stage.script.answers('a', { ...made('a1'), await: 'human' })
  const hung = stage.script.hang('b')
  const runId = await stage.play([{ key: 'one', steps: [spawn('a'), spawn('b')] }])
  expect(await ledger(stage, runId)).toEqual(['a1 ACTIVE'])
  await confirm(stage, runId, 0)
  await hung.called
  await cancelRun(stage.ctx, MIRA, { runId })
  hung.answer({ ...made('b1'), await: 'human' })
  await stage.settle()
  expect((await stage.step(runId, 1)).status).toBe('CANCELLED')
  expect(stage.script.reverted()).toEqual(['b1', 'a1'])
})

test('a rehearsal keeps nothing', async () => {
  const stage = await newStage()
  stage.script.answers('a', made('a1'))
  const { definitionId } = await stage.publish([{ key: 'one', steps: [spawn('a')] }])
  const runId = await stage.start(definitionId, { rehearsal: true })
  await stage.settle()
  expect(stage.script.calls).toMatchObject([{ verify: true }])
  expect(await ledger(stage, runId)).toEqual([])
  expect(stage.script.reverted()).toEqual([])
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', cleanupStatus: 'NOT_REQUIRED' })
})

test('what an action that cannot take back says to have made is not kept, and its log says so', async () => {
  const stage = await newStage()
  stage.script.answers('a', made('a1'))
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }] }])
  expect(await ledger(stage, runId)).toEqual([])
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', cleanupStatus: 'NOT_REQUIRED' })
  const said = (await stage.log(runId)).find(({ kind }) => kind === 'step.message')
  expect(said).toMatchObject({ detail: { level: 'warn' }, text: expect.stringContaining('not reversible') })
})
