import { expect, test } from 'vitest'
import { newStage, type Stage, T0 } from '../support/stage.ts'

const CUE = { actionId: 'core.cue', params: { instruction: 'Open the gate' }, label: 'Gate' }

/** What a process leaves that was killed while it called the run's action. */
async function abandon(stage: Stage, runId: string, { attempts = 1 } = {}): Promise<void> {
  const step = await stage.step(runId)
  await stage.db.prisma.step.update({
    where: { id: step.id },
    data: { status: 'RUNNING', attempts, claimNo: attempts, startedAt: new Date(T0), dueAt: null },
  })
  await stage.db.prisma.run.update({
    where: { id: runId },
    data: { claimedBy: 'dead:1', leaseUntil: new Date(stage.clock.now() + 30_000), inFlight: step.id, wakeAt: null },
  })
  stage.runner.wake()
}

async function interrupted(
  stage: Stage,
  { attempts = 1, onFailure = 'PAUSE' as 'PAUSE' | 'ABORT_RUN' | 'SKIP' } = {},
): Promise<string> {
  stage.script.answers('a', { ok: false, error: 'busy' }, { ok: true })
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a', label: 'A', onFailure }, { key: 'b' }] }])
  await abandon(stage, runId, { attempts })
  return runId
}

test("a dead process's step is handed back when its lease ends, and keeps its attempts", async () => {
  const stage = await newStage()
  const runId = await interrupted(stage, { attempts: 2 })
  await stage.letPass(29_999)
  expect(await stage.run(runId)).toMatchObject({ status: 'RUNNING', claimedBy: 'dead:1' })
  await stage.letPass(1)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  expect(await stage.step(runId)).toMatchObject({ status: 'DONE', attempts: 3 })
  const [line] = (await stage.log(runId)).filter((candidate) => candidate.kind === 'step.reclaimed')
  expect(line?.detail).toEqual({ previousOwner: 'dead:1', attempts: 2 })
})

test('it is handed back while all that may be called hangs, and is called when there is room', async () => {
  const stage = await newStage({ maxDispatches: 1, pollMs: 1000 })
  const runId = await interrupted(stage)
  const hung = stage.script.hang('hang')
  const hanging = await stage.publish([{ key: 'one', steps: [{ actionId: 'test.slow', key: 'hang' }] }])
  await stage.start(hanging.definitionId)
  await stage.letPass(30_000)
  expect(await stage.story(runId)).toContain('step.reclaimed')
  expect(await stage.step(runId)).toMatchObject({ status: 'PENDING', attempts: 1 })
  expect(stage.runner.calls.size).toBe(1)
  hung.answer({ ok: true })
  await stage.letPass(2_000)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
})

test('a step whose attempts are spent under reclaim fails, and its disposition applies', async () => {
  const stage = await newStage()
  const runId = await interrupted(stage, { attempts: 3, onFailure: 'ABORT_RUN' })
  await stage.letPass(32_000)
  expect(await stage.step(runId)).toMatchObject({
    status: 'FAILED',
    attempts: 3,
    lastError: 'gave up after repeated interruptions',
  })
  expect(await stage.run(runId)).toMatchObject({ status: 'FAILED', claimedBy: null, inFlight: null })
})

test('a cue outlives any number of leases', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE] }])
  await stage.letPass(7 * 86_400_000)
  expect(await stage.step(runId)).toMatchObject({ status: 'RUNNING', parked: true, attempts: 1 })
  expect(await stage.run(runId)).toMatchObject({ status: 'RUNNING', claimedBy: null, inFlight: null })
  expect((await stage.story(runId)).filter((line) => line.startsWith('step'))).toEqual(['step.parked'])
})

test('a live lease is not taken over', async () => {
  const stage = await newStage()
  const hung = stage.script.hang('a')
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  const runId = await stage.start(definitionId)
  await hung.called
  const other = stage.newRunner({ worker: 'other:2' })
  other.start()
  stage.clock.moveBy(9_000)
  await other.idle()
  expect(await stage.run(runId)).toMatchObject({ claimedBy: expect.stringContaining(stage.runner.worker) })
  hung.answer({ ok: true })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  await other.stop()
})

test('an answer for a claim that was taken back changes nothing and is logged', async () => {
  const stage = await newStage({ leaseMs: 1_000_000 })
  const hung = stage.script.hang('a')
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }, CUE] }])
  const runId = await stage.start(definitionId)
  await hung.called
  // The process was frozen; its lease ran out, and another took the run over and finished the step.
  await stage.db.prisma.run.update({ where: { id: runId }, data: { leaseUntil: new Date(T0 - 1) } })
  stage.script.on('a', () => ({ ok: true }))
  const other = stage.newRunner({ worker: 'other:2' })
  other.start()
  await stage.settle(other)
  const before = await stage.run(runId)
  expect(before.steps.map((step) => [step.status, step.attempts])).toEqual([
    ['DONE', 2],
    ['RUNNING', 1],
  ])
  hung.answer({ ok: false, retry: false, error: 'too late' })
  await stage.settle()
  const after = await stage.run(runId)
  expect(after).toEqual({ ...before, lastLine: before.lastLine + 1 })
  expect((await stage.log(runId)).at(-1)).toMatchObject({ kind: 'step.late', detail: { outcome: 'failed: too late' } })
  await other.stop()
})

test('a claim without a step in flight is taken over too', async () => {
  const stage = await newStage()
  const runId = await stage.play([
    { key: 'one', steps: [{ actionId: 'core.wait', params: { for: '1h' } }, { key: 'a' }] },
  ])
  await stage.db.prisma.run.update({
    where: { id: runId },
    data: { claimedBy: 'dead:1', leaseUntil: new Date(T0 + 30_000) },
  })
  stage.runner.wake()
  await stage.letPass(40_000)
  expect(await stage.run(runId)).toMatchObject({ claimedBy: null, wakeAt: new Date(T0 + 3_600_000) })
  await stage.letPass(3_600_000)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
})

test('stopping lets an action in flight finish, dispatches nothing more, and another process goes on', async () => {
  const stage = await newStage()
  const hung = stage.script.hang('a')
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }, { key: 'b' }] }])
  const runId = await stage.start(definitionId)
  await hung.called
  const stopped = stage.runner.stop()
  hung.answer({ ok: true })
  await stopped
  expect(stage.script.keys()).toEqual(['a'])
  expect(await stage.run(runId)).toMatchObject({
    status: 'RUNNING',
    claimedBy: null,
    inFlight: null,
    wakeAt: new Date(T0),
  })
  const next = stage.newRunner()
  next.start()
  await stage.settle(next)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  await next.stop()
})

test('starting and stopping twice does no harm, and a stopped runner stays stopped', async () => {
  const stage = await newStage()
  stage.runner.start()
  await Promise.all([stage.runner.stop(), stage.runner.stop()])
  stage.runner.start()
  expect(stage.runner.trouble()).toBe('the runner is not running')
  const unstarted = stage.newRunner()
  await unstarted.stop()
})
