import { expect, test } from 'vitest'
import { cancelRun } from '../../src/controls/runs.ts'
import { READ_AT_ONCE } from '../../src/store/ledger.ts'
import { MIRA, newStage, T0 } from '../support/stage.ts'
import { CUE, MINUTE, made, resource, spawn } from './spawned.ts'

// Ledgers that hold more than a process reads of them at once, in turns that are longer than that.

const REFS = Array.from({ length: 2 * READ_AT_ONCE + 20 }, (_, index) => `${index}`)
const NEWEST_FIRST = [...REFS].reverse()

test('a ledger that is read in parts is taken back newest first; the failures of all parts are counted', async () => {
  const stage = await newStage({ stepsPerPass: 1_000 })
  stage.script.answers('a', made(...REFS))
  const failing = ['3', '70', '119']
  for (const ref of failing) stage.script.revertAnswers(ref, { ok: false, retry: false, error: 'gone' })
  const runId = await stage.play([{ key: 'one', steps: [spawn('a')] }])
  expect(stage.script.reverted()).toEqual(NEWEST_FIRST)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', cleanupStatus: 'INCOMPLETE', ledgerAt: null })
  expect((await stage.log(runId)).filter(({ kind }) => kind === 'cleanup.status').at(-1)?.detail).toEqual({
    ...{ from: 'PENDING', to: 'INCOMPLETE', unresolved: failing.length },
  })
})

test('where all has to be tried again, each is once its pause is over, newest first', async () => {
  const stage = await newStage({ stepsPerPass: 1_000 })
  stage.script.answers('a', made(...REFS))
  for (const ref of REFS) stage.script.revertAnswers(ref, { ok: false, error: 'busy' }, { ok: true })
  const runId = await stage.play([{ key: 'one', steps: [spawn('a')] }])
  expect(stage.script.reverted()).toEqual(NEWEST_FIRST)
  await stage.letPass(MINUTE - 1)
  expect(stage.script.reverted()).toHaveLength(REFS.length)
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'PENDING', ledgerAt: new Date(T0 + MINUTE) })
  await stage.letPass(1)
  expect(stage.script.reverted()).toEqual([...NEWEST_FIRST, ...NEWEST_FIRST])
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', cleanupStatus: 'CLEAN', ledgerAt: null })
})

test('what a dead process was at is not taken back before what is newer and was not read yet', async () => {
  const stage = await newStage({ stepsPerPass: 1_000 })
  stage.script.answers('a', made(...REFS))
  const runId = await stage.play([{ key: 'one', steps: [spawn('a'), CUE] }])
  const { prisma } = stage.db
  await prisma.resource.updateMany({ where: { runId, ref: '5' }, data: { status: 'REVERTING', revertAttempts: 1 } })
  await cancelRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(stage.script.reverted()).toEqual(NEWEST_FIRST)
  expect(await resource(stage, '5')).toMatchObject({ status: 'REVERTED', revertAttempts: 2 })
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'CLEAN' })
})

test('what comes due while something is taken back is next if it is newer than the others', async () => {
  const stage = await newStage()
  const until = (ref: string, ms: number) => ({ kind: 'spawn', ref, leaseUntil: new Date(T0 + ms).toISOString() })
  stage.script.answers('a', {
    ok: true,
    resources: [until('old', 10_000), until('newer', 10_000), until('new', 12_000)],
  })
  const runId = await stage.play([{ key: 'one', steps: [spawn('a'), CUE] }])
  const hung = stage.script.hangRevert('newer')
  await stage.letPass(10_000)
  await hung.called
  stage.clock.moveBy(2_000)
  hung.answer({ ok: true })
  await stage.settle()
  expect(stage.script.reverted()).toEqual(['newer', 'new', 'old'])
  expect(await stage.run(runId)).toMatchObject({ status: 'RUNNING', ledgerOwner: null, ledgerAt: null })
})
