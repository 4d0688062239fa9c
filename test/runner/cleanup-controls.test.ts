import { expect, test } from 'vitest'
import { abandonResource } from '../../src/controls/ledger.ts'
import { cancelRun, retryCleanup } from '../../src/controls/runs.ts'
import { MIRA, newStage, type Stage, T0, TOM } from '../support/stage.ts'
import { CUE, confirm, leased, ledger, MINUTE, made, resource, spawn } from './spawned.ts'

/** A run that made something and whose cleanup is over, not all of which could be taken back. */
async function incomplete(stage: Stage, refs: string[], options: Parameters<Stage['publish']>[1] = {}) {
  stage.script.answers('a', made(...refs))
  for (const ref of refs) stage.script.revertAnswers(ref, { ok: false, retry: false, error: 'stuck' })
  return stage.play([{ key: 'one', steps: [spawn('a')] }], options)
}

test('the concurrency key is held until the cleanup ends, INCOMPLETE too, and the next run starts then', async () => {
  const stage = await newStage()
  for (const [answer, cleanupStatus] of [
    [{ ok: true }, 'CLEAN'],
    [{ ok: false, retry: false, error: 'no' }, 'INCOMPLETE'],
  ] as const) {
    stage.script.answers('a', made(cleanupStatus))
    const hung = stage.script.hangRevert(cleanupStatus)
    const { definitionId } = await stage.publish([{ key: 'one', steps: [spawn('a'), CUE] }], {
      concurrencyKey: `lane ${cleanupStatus}`,
    })
    const holder = await stage.start(definitionId, { scope: 'a' })
    await stage.settle()
    const next = await stage.start(definitionId, { scope: 'b' })
    await stage.settle()
    await cancelRun(stage.ctx, MIRA, { runId: holder })
    await hung.called
    await stage.settle()
    expect(await stage.run(holder)).toMatchObject({ status: 'CANCELLED', cleanupStatus: 'PENDING' })
    expect(await stage.run(next)).toMatchObject({ status: 'SCHEDULED' })
    hung.answer(answer)
    await stage.settle()
    expect(await stage.run(holder)).toMatchObject({ cleanupStatus })
    expect(await stage.run(next)).toMatchObject({ status: 'RUNNING', startedAt: new Date(T0) })
    await cancelRun(stage.ctx, MIRA, { runId: next })
    await stage.settle()
  }
})

test('a retried cleanup starts anew and holds the key again; while another holds it, it is refused', async () => {
  const stage = await newStage()
  const runId = await incomplete(stage, ['a1', 'a2'], { concurrencyKey: 'lane' })
  const { definitionId } = await stage.publish([{ key: 'one', steps: [CUE] }], { concurrencyKey: 'lane' })
  const other = await stage.start(definitionId)
  await stage.settle()
  const before = await stage.run(runId)
  expect(await retryCleanup(stage.ctx, MIRA, { runId })).toMatchObject({
    error: 'CONFLICT',
    runId,
    message: `run_${other} (RUNNING) holds the concurrency key "lane", which a cleanup needs; retry it when that run is over.`,
  })
  expect(await stage.run(runId)).toEqual(before)
  await confirm(stage, other, 0)
  const hung = stage.script.hangRevert('a2')
  stage.script.revertAnswers('a1', { ok: true })
  expect(await retryCleanup(stage.ctx, TOM, { runId, reason: 'the shard is up again' })).toEqual({ runId })
  const blocked = await stage.start(definitionId, { scope: 'b' })
  await hung.called
  await stage.settle()
  expect(await stage.run(blocked)).toMatchObject({ status: 'SCHEDULED' })
  expect(await resource(stage, 'a2')).toMatchObject({ status: 'REVERTING', revertAttempts: 1, lastError: null })
  expect(await retryCleanup(stage.ctx, MIRA, { runId })).toMatchObject({
    error: 'CONFLICT',
    message: expect.stringContaining('Tom retried the cleanup of this'),
  })
  hung.answer({ ok: true })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', cleanupStatus: 'CLEAN' })
  expect(await stage.run(blocked)).toMatchObject({ status: 'RUNNING' })
  const lines = (await stage.log(runId)).slice(-5)
  expect(lines.map(({ kind }) => kind)).toEqual([
    'run.control',
    'cleanup.status',
    'resource.reverted',
    'resource.reverted',
    'cleanup.status',
  ])
  expect(lines[0]).toMatchObject({
    actorName: 'Tom',
    detail: { control: 'RETRY_CLEANUP', from: 'COMPLETED', to: 'COMPLETED', reason: 'the shard is up again' },
  })
  expect(lines[1]?.detail).toEqual({ from: 'INCOMPLETE', to: 'PENDING', unresolved: 2 })
})

test('what is abandoned is left; the last one makes the cleanup CLEAN, and never before', async () => {
  const stage = await newStage()
  const runId = await incomplete(stage, ['a1', 'a2'])
  const [a1, a2] = [await resource(stage, 'a1'), await resource(stage, 'a2')]
  const reason = 'it is only scenery'
  expect(await abandonResource(stage.ctx, MIRA, { resourceId: a1.id, reason: ' ' })).toMatchObject({
    error: 'INVALID_INPUT',
  })
  expect(await abandonResource(stage.ctx, MIRA, { resourceId: a1.id, reason })).toEqual({ resourceId: a1.id })
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'INCOMPLETE' })
  const [one, two] = await Promise.all([
    abandonResource(stage.ctx, MIRA, { resourceId: a2.id, reason }),
    abandonResource(stage.ctx, TOM, { resourceId: a2.id, reason }),
  ])
  expect([one, two].filter(({ error }) => error === undefined)).toHaveLength(1)
  expect([one, two]).toContainEqual(
    expect.objectContaining({ error: 'CONFLICT', message: expect.stringContaining('The resource is ABANDONED') }),
  )
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'CLEAN' })
  expect(await ledger(stage, runId)).toEqual(['a1 ABANDONED', 'a2 ABANDONED'])
  const lines = (await stage.log(runId)).slice(-3)
  expect(lines.map(({ kind }) => kind)).toEqual(['resource.abandoned', 'resource.abandoned', 'cleanup.status'])
  expect(lines[0]).toMatchObject({
    actorName: 'Mira',
    detail: { ref: 'a1', reason },
    text: 'Mira abandoned spawn a1: it is only scenery.',
  })
  expect(lines[2]?.detail).toEqual({ from: 'INCOMPLETE', to: 'CLEAN', unresolved: 0 })
  expect(await retryCleanup(stage.ctx, MIRA, { runId })).toMatchObject({ error: 'CONFLICT' })
})

test('what still may be taken back is not abandoned', async () => {
  const stage = await newStage()
  stage.script.answers('a', made('a1'))
  stage.script.revertAnswers('a1', { ok: false, error: 'busy' })
  await stage.play([{ key: 'one', steps: [spawn('a')] }])
  const { id } = await resource(stage, 'a1')
  expect(await abandonResource(stage.ctx, MIRA, { resourceId: id, reason: 'no' })).toMatchObject({
    error: 'CONFLICT',
    message: expect.stringContaining("is ACTIVE and its run's cleanup is PENDING"),
  })
})

test('what failed while the run went on keeps its cleanup from being CLEAN', async () => {
  const stage = await newStage()
  stage.script.answers('a', leased('a1', MINUTE))
  stage.script.revertAnswers('a1', { ok: false, retry: false, error: 'stuck' })
  const runId = await stage.play([{ key: 'one', steps: [spawn('a'), CUE] }])
  await stage.letPass(MINUTE)
  expect(await ledger(stage, runId)).toEqual(['a1 FAILED'])
  const { id } = await resource(stage, 'a1')
  expect(await abandonResource(stage.ctx, MIRA, { resourceId: id, reason: 'no' })).toMatchObject({ error: 'CONFLICT' })
  await confirm(stage, runId, 1)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', cleanupStatus: 'INCOMPLETE' })
  expect(stage.script.reverted()).toEqual(['a1'])
})
