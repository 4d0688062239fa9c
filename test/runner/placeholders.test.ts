import { expect, test } from 'vitest'
import { abandonResource } from '../../src/controls/ledger.ts'
import { cancelRun, retryCleanup } from '../../src/controls/runs.ts'
import { formatId } from '../../src/domain/ids.ts'
import { MIRA, newStage, type Stage, type StageStep, T0 } from '../support/stage.ts'

const MINUTE = 60_000
const CUE: StageStep = { actionId: 'core.cue', params: { instruction: 'Go' } }
const spawn = (onFailure: 'SKIP' | 'PAUSE' | 'ABORT_RUN' = 'SKIP'): StageStep => ({
  actionId: 'test.spawn',
  key: 'a',
  label: 'Spawn',
  onFailure,
})
const made = (...refs: string[]) => ({ ok: true, resources: refs.map((ref) => ({ kind: 'spawn', ref })) })

const ledger = (stage: Stage, runId: string) =>
  stage.db.prisma.resource.findMany({ where: { runId }, orderBy: { createdAt: 'asc' } })

/** Each may answer what has to be waited for before time passes. */
const unanswered: [string, (stage: Stage) => Promise<void> | void][] = [
  ['a timeout', (stage) => stage.script.hang('a').called],
  [
    'a throw',
    (stage) =>
      stage.script.on('a', () => {
        throw new Error('the line is dead')
      }),
  ],
  ['a refusal', (stage) => stage.script.answers('a', { ok: false, retry: false, error: 'no' })],
  ['an unusable answer', (stage) => stage.script.answers('a', 'spawned')],
  ['resources that cannot be read', (stage) => stage.script.answers('a', { ok: true, resources: [{ kind: 'spawn' }] })],
]

test.each(unanswered)('what a step may have made is taken back where all that came of it is %s', async (_what, set) => {
  const stage = await newStage({ stepMaxAttempts: 1 })
  const called = set(stage)
  const runId = await stage.play([{ key: 'one', steps: [spawn(), CUE] }])
  await called
  await stage.letPass(10_000)
  const step = await stage.step(runId)
  expect(step.status).toBe('FAILED')
  expect(await ledger(stage, runId)).toMatchObject([
    { kind: '@step', ref: formatId('Step', step.id), placeholder: true, status: 'ACTIVE', module: 'test' },
  ])
  await cancelRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(stage.script.reverts).toEqual([
    {
      resource: {
        id: expect.stringMatching(/^res_/),
        kind: '@step',
        ref: formatId('Step', step.id),
        payload: null,
        memberKey: null,
      },
      runId: formatId('Run', runId),
      stepId: formatId('Step', step.id),
      scope: '',
      idempotencyKey: step.idempotencyKey,
    },
  ])
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'CLEAN' })
  const reverted = (await stage.log(runId)).find(({ kind }) => kind === 'resource.reverted')
  expect(reverted).toMatchObject({ detail: { kind: '@step' }, text: 'What "Spawn" may have made was taken back.' })
})

test('an answer of a later attempt takes the place of what the lost one may have made', async () => {
  const stage = await newStage()
  stage.script.answers('a', 'spawned', made('a1'))
  const runId = await stage.play([{ key: 'one', steps: [spawn(), CUE] }])
  expect(await ledger(stage, runId)).toMatchObject([{ kind: '@step' }])
  await stage.letPass(MINUTE)
  expect(await ledger(stage, runId)).toMatchObject([{ kind: 'spawn', ref: 'a1', placeholder: false }])
  await cancelRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(stage.script.reverted()).toEqual(['a1'])
})

test('a crash between the admission and the result leaves it to be taken back', async () => {
  const stage = await newStage({ stepMaxAttempts: 1, leaseMs: 1_000_000 })
  const hung = stage.script.hang('a')
  const { definitionId } = await stage.publish([{ key: 'one', steps: [spawn('ABORT_RUN')] }])
  const runId = await stage.start(definitionId)
  await hung.called
  // The process was frozen; its lease ran out, and another took the run over.
  await stage.db.prisma.run.update({ where: { id: runId }, data: { leaseUntil: new Date(T0 - 1) } })
  const other = stage.newRunner({ worker: 'other:2' })
  other.start()
  await stage.settle(other)
  expect(await stage.run(runId)).toMatchObject({ status: 'FAILED', cleanupStatus: 'CLEAN' })
  expect(stage.script.reverted()).toEqual(['@step'])
  hung.answer(made('late'))
  await stage.settle()
  expect(await ledger(stage, runId)).toMatchObject([{ kind: '@step', status: 'REVERTED' }])
  expect((await stage.log(runId)).at(-1)).toMatchObject({ kind: 'step.late' })
})

test('a cancelled run whose step is in flight is cleaned up once its lease ended', async () => {
  const stage = await newStage()
  const hung = stage.script.hang('a')
  const { definitionId } = await stage.publish([{ key: 'one', steps: [spawn()] }])
  const runId = await stage.start(definitionId)
  await hung.called
  await stage.db.prisma.run.update({
    where: { id: runId },
    data: { claimedBy: 'dead:1', leaseUntil: new Date(T0 + 5_000) },
  })
  await cancelRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  await stage.letPass(4_999)
  expect(stage.script.reverted()).toEqual([])
  expect(await stage.run(runId)).toMatchObject({ status: 'CANCELLED', cleanupStatus: 'PENDING' })
  await stage.letPass(1)
  expect(stage.script.reverted()).toEqual(['@step'])
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'CLEAN' })
  hung.answer({ ok: true })
})

test('a cancelled run whose step answers that it made nothing is CLEAN', async () => {
  const stage = await newStage()
  const hung = stage.script.hang('a')
  const runId = await stage.play([{ key: 'one', steps: [spawn()] }])
  await hung.called
  await cancelRun(stage.ctx, MIRA, { runId })
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'PENDING' })
  hung.answer({ ok: true })
  await stage.settle()
  expect(stage.script.reverted()).toEqual([])
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'CLEAN', ledgerAt: null })
})

test('a placeholder that could not be taken back can be retried, and abandoned', async () => {
  const stage = await newStage({ stepMaxAttempts: 1 })
  stage.script.answers('a', 'spawned')
  stage.script.revertAnswers('@step', { ok: false, retry: false, error: 'who?' })
  const runId = await stage.play([{ key: 'one', steps: [spawn()] }])
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', cleanupStatus: 'INCOMPLETE' })
  expect(await retryCleanup(stage.ctx, MIRA, { runId })).toEqual({ runId })
  await stage.settle()
  expect(stage.script.reverted()).toEqual(['@step', '@step'])
  const [placeholder] = await ledger(stage, runId)
  const abandoned = { resourceId: placeholder?.id ?? '', reason: 'nothing was there' }
  expect(await abandonResource(stage.ctx, MIRA, abandoned)).toEqual({ resourceId: placeholder?.id })
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'CLEAN' })
  expect((await stage.log(runId)).at(-2)).toMatchObject({
    kind: 'resource.abandoned',
    text: 'Mira abandoned what "Spawn" may have made: nothing was there.',
  })
})
