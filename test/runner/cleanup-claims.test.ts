import { expect, test } from 'vitest'
import { cancelRun } from '../../src/controls/runs.ts'
import { MIRA, newStage, type Stage, T0 } from '../support/stage.ts'
import { CUE, made, resource, spawn } from './spawned.ts'

/** A run that made something and waits for a person. */
async function spawned(stage: Stage, ...refs: string[]): Promise<string> {
  stage.script.answers('a', made(...refs))
  return stage.play([{ key: 'one', steps: [spawn('a'), CUE] }])
}

/** What a process leaves that was killed while it took something back. */
async function abandoned(stage: Stage, runId: string, { ref, attempts }: { ref: string; attempts: number }) {
  await stage.db.prisma.resource.updateMany({
    where: { runId, ref },
    data: { status: 'REVERTING', revertAttempts: attempts, claimNo: attempts },
  })
  await stage.db.prisma.run.update({
    where: { id: runId },
    data: { ledgerOwner: 'dead:1#1', ledgerAt: new Date(T0 + 30_000) },
  })
}

test('however many processes clean up, each thing is taken back once', async () => {
  const stage = await newStage()
  const refs = Array.from({ length: 12 }, (_, run) => [`${run}-a`, `${run}-b`, `${run}-c`])
  const runs: string[] = []
  for (const ofRun of refs) runs.push(await spawned(stage, ...ofRun))
  const others = Array.from({ length: 3 }, (_, index) => stage.newRunner({ worker: `other:${index}` }))
  for (const other of others) other.start()
  await Promise.all(runs.map((runId) => cancelRun(stage.ctx, MIRA, { runId })))
  const all = [stage.runner, ...others]
  for (const runner of [...all, ...all]) await stage.settle(runner)
  expect(stage.script.reverted().sort()).toEqual(refs.flat().sort())
  for (const runId of runs) expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'CLEAN', ledgerOwner: null })
})

test("a dead process's revert is taken back when its lease ends, and counts as an attempt", async () => {
  const stage = await newStage()
  const runId = await spawned(stage, 'a1', 'a2')
  await abandoned(stage, runId, { ref: 'a2', attempts: 1 })
  await cancelRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  await stage.letPass(29_999)
  expect(stage.script.reverted()).toEqual([])
  await stage.letPass(1)
  expect(stage.script.reverted()).toEqual(['a2', 'a1'])
  expect(await resource(stage, 'a2')).toMatchObject({ status: 'REVERTED', revertAttempts: 2, claimNo: 2 })
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'CLEAN' })
  const [reclaimed, ...more] = (await stage.log(runId)).filter(({ kind }) => kind === 'step.reclaimed')
  expect(more).toEqual([])
  expect(reclaimed?.detail).toMatchObject({ previousOwner: 'dead:1#1', attempts: 1, ref: 'a2' })
  expect(reclaimed?.text).toBe(
    'Taking back spawn a2 was taken over from dead:1#1, which stopped answering in attempt 1.',
  )
})

test('what was interrupted too often is given up', async () => {
  const stage = await newStage()
  const runId = await spawned(stage, 'a1')
  await abandoned(stage, runId, { ref: 'a1', attempts: 3 })
  await cancelRun(stage.ctx, MIRA, { runId })
  await stage.letPass(30_000)
  expect(stage.script.reverted()).toEqual([])
  expect(await resource(stage, 'a1')).toMatchObject({
    status: 'FAILED',
    lastError: 'gave up after repeated interruptions',
  })
  expect((await stage.story(runId)).slice(-3)).toEqual([
    'step.reclaimed',
    'resource.failed',
    'cleanup.status INCOMPLETE',
  ])
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'INCOMPLETE' })
})

test('an answer for a claim that was taken back changes nothing and is logged', async () => {
  const stage = await newStage({ leaseMs: 1_000_000 })
  const runId = await spawned(stage, 'a1')
  const hung = stage.script.hangRevert('a1')
  await cancelRun(stage.ctx, MIRA, { runId })
  await hung.called
  // The process was frozen; its lease ran out, and another took the ledger over.
  await stage.db.prisma.run.update({ where: { id: runId }, data: { ledgerAt: new Date(T0 - 1) } })
  stage.script.onRevert('a1', () => ({ ok: true }))
  const other = stage.newRunner({ worker: 'other:2' })
  other.start()
  await stage.settle(other)
  const before = await stage.run(runId)
  expect(before).toMatchObject({ cleanupStatus: 'CLEAN' })
  expect(await resource(stage, 'a1')).toMatchObject({ status: 'REVERTED', revertAttempts: 2 })
  hung.answer({ ok: false, retry: false, error: 'too late' })
  await stage.settle()
  expect(await stage.run(runId)).toEqual({ ...before, lastLine: before.lastLine + 1 })
  expect(await resource(stage, 'a1')).toMatchObject({ status: 'REVERTED', lastError: null })
  expect((await stage.log(runId)).at(-1)).toMatchObject({
    kind: 'step.late',
    detail: { action: 'test.spawn', outcome: 'failed: too late', kind: 'spawn', ref: 'a1' },
    text: 'An answer about taking back spawn a1 came after its claim had been taken back and changed nothing: failed: too late.',
  })
})

test('the lease is renewed while the module takes back, and never beyond its budget and a margin', async () => {
  const stage = await newStage({ leaseMs: 3_000, stepLeaseMarginMs: 2_000 })
  const runId = await spawned(stage, 'a1')
  const hung = stage.script.hangRevert('a1')
  await cancelRun(stage.ctx, MIRA, { runId })
  await hung.called
  const lease = async () => ((await stage.run(runId)).ledgerAt?.getTime() ?? 0) - T0
  expect(await lease()).toBe(3_000)
  const renewed = async (to: number) => {
    while ((await lease()) !== to) await new Promise((resolve) => setImmediate(resolve))
  }
  for (let second = 1; second <= 9; second += 1) {
    stage.clock.moveBy(1_000)
    await renewed(Math.min(second * 1_000 + 3_000, 12_000))
  }
  expect(await resource(stage, 'a1')).toMatchObject({ status: 'REVERTING', revertAttempts: 1 })
  await stage.letPass(1_000)
  expect(await resource(stage, 'a1')).toMatchObject({ status: 'ACTIVE', lastError: 'no answer within 10 s' })
  expect(await stage.run(runId)).toMatchObject({ ledgerOwner: null, ledgerAt: new Date(T0 + 70_000) })
  hung.answer({ ok: true })
})

test('stopping lets a revert finish, begins no other, and another process goes on', async () => {
  const stage = await newStage()
  const runId = await spawned(stage, 'a1', 'a2')
  const hung = stage.script.hangRevert('a2')
  await cancelRun(stage.ctx, MIRA, { runId })
  await hung.called
  const stopped = stage.runner.stop()
  hung.answer({ ok: true })
  await stopped
  expect(stage.script.reverted()).toEqual(['a2'])
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'PENDING', ledgerOwner: null, ledgerAt: new Date(T0) })
  const next = stage.newRunner()
  next.start()
  await stage.settle(next)
  expect(stage.script.reverted()).toEqual(['a2', 'a1'])
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'CLEAN' })
})

test('a long ledger gives others a turn, and is done all the same', async () => {
  const stage = await newStage({ stepsPerPass: 2 })
  const refs = ['1', '2', '3', '4', '5']
  const runId = await spawned(stage, ...refs)
  await cancelRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(stage.script.reverted()).toEqual([...refs].reverse())
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'CLEAN', ledgerOwner: null, ledgerAt: null })
})

test.each([1, 2, 3])(
  'whichever write of a cleanup loses its answer (the %i.), each thing is taken back once',
  async (lost) => {
    const stage = await newStage()
    const runId = await spawned(stage, 'a1', 'a2')
    let nth = 0
    stage.interpose(async (sql) => {
      const answer = await stage.send(sql)
      if (!sql.sql.includes('ledger_owner = CASE')) return answer
      nth += 1
      if (nth === lost) throw new Error('Connection terminated unexpectedly')
      return answer
    })
    await cancelRun(stage.ctx, MIRA, { runId })
    await stage.settle()
    expect(nth).toBeGreaterThanOrEqual(3)
    expect(stage.script.reverted()).toEqual(['a2', 'a1'])
    expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'CLEAN', ledgerOwner: null, ledgerAt: null })
    const lines = await stage.log(runId)
    expect(lines.map((line) => line.line)).toEqual(lines.map((_, index) => index + 1))
    expect(lines.filter(({ kind }) => kind === 'step.late')).toEqual([])
    stage.expectFaults(/did not answer/)
  },
)

test('a step and what the run left do not wait for each other: both write as often as it takes', async () => {
  const stage = await newStage()
  const refs = Array.from({ length: 10 }, (_, index) => `r${index}`)
  stage.script.answers('a', {
    ok: true,
    resources: refs.map((ref) => ({ kind: 'spawn', ref, leaseUntil: new Date(T0).toISOString() })),
  })
  const steps = Array.from({ length: 20 }, (_, index) => ({ key: `s${index}` }))
  const runId = await stage.play([{ key: 'one', steps: [spawn('a'), ...steps] }])
  expect(stage.script.reverted().sort()).toEqual([...refs].sort())
  expect(stage.script.keys()).toEqual(['a', ...steps.map(({ key }) => key)])
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', cleanupStatus: 'CLEAN' })
  const lines = await stage.log(runId)
  expect(lines.map((line) => line.line)).toEqual(lines.map((_, index) => index + 1))
})
