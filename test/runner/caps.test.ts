import { expect, test } from 'vitest'
import { cancelRun, pauseRun, resumeRun } from '../../src/controls/runs.ts'
import { retryStep } from '../../src/controls/steps.ts'
import { formatId } from '../../src/domain/ids.ts'
import { MIRA, newStage } from '../support/stage.ts'
import { detailsOf, meter, one, set, spawningStage, statuses, vermin } from './spawning.ts'

test('a step that a cap has no room for is REFUSED, is not called, and leaves what is left to others', async () => {
  const stage = await spawningStage()
  await set(stage, 'shard.vermin', { caps: { creatures: 10 } })
  const runId = await stage.play(one(vermin({ count: 6 }), vermin({ count: 5, gold: 1 }), vermin({ count: 4 })))
  expect(await statuses(stage, runId)).toEqual(['DONE', 'REFUSED', 'DONE'])
  expect(stage.world.calls.map(({ params }) => params.count)).toEqual([6, 4])
  expect(await meter(stage, runId)).toEqual([
    ['creatures', 10, 10, 'shard.vermin'],
    ['gold', 0, null, null],
  ])
  expect(await detailsOf(stage, runId, 'step.refused')).toEqual([
    { code: 'CAP_EXCEEDED', dimension: 'creatures', requested: 5, cap: 10, consumed: 6 },
  ])
  const [line] = (await stage.log(runId)).filter(({ kind }) => kind === 'step.refused')
  expect(line).toMatchObject({ phase: 'one', stepId: (await stage.step(runId, 1)).id })
  expect(line?.text).toContain('was refused: It costs 5 creatures, and 6 of the 10')
  expect(await stage.step(runId, 1)).toMatchObject({
    attempts: 1,
    spent: false,
    lastError: expect.stringContaining('6 of the 10'),
  })
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', health: 'DEGRADED' })
  expect(await detailsOf(stage, runId, 'step.status')).toHaveLength(2)
})

test.each([
  ['PAUSE', 'PAUSED', ['REFUSED', 'PENDING']],
  ['ABORT_RUN', 'FAILED', ['REFUSED', 'CANCELLED']],
  ['SKIP', 'COMPLETED', ['REFUSED', 'DONE']],
] as const)('what a refusal does to the run: %s', async (onFailure, status, steps) => {
  const stage = await spawningStage()
  await set(stage, 'shard.vermin', { enabled: false })
  const runId = await stage.play(one(vermin({}, onFailure), { actionId: 'shard.plain', params: {} }))
  expect(await statuses(stage, runId)).toEqual(steps)
  expect(await stage.run(runId)).toMatchObject({ status, health: 'DEGRADED' })
  expect(await detailsOf(stage, runId, 'step.refused')).toEqual([{ code: 'ACTION_DISABLED' }])
  const { lastError } = await stage.run(runId)
  if (onFailure !== 'SKIP') expect(lastError).toContain('was refused: An admin switched shard.vermin off')
})

test('an action that is not registered is refused by name', async () => {
  const stage = await newStage()
  const runId = await stage.play(one({ actionId: 'gone.spawn', key: 'x' }))
  expect(await statuses(stage, runId)).toEqual(['REFUSED'])
  expect(await detailsOf(stage, runId, 'step.refused')).toEqual([{ code: 'ACTION_UNREGISTERED' }])
  expect((await stage.run(runId)).lastError).toMatch(/gone.spawn is not registered.*"gone"/)
})

test.each([
  ['throws', 666, /the beast is not for sale/],
  ['is no number', 7, /"creatures".*NaN/],
  ['is negative', -1, /"creatures".*-1/],
  ['is undeclared', 8, /"dragons"/],
])('a cost that %s fails the step for good, and is no refusal', async (_name, count, error) => {
  const stage = await spawningStage()
  const runId = await stage.play(one(vermin({ count }, 'PAUSE')))
  expect(await stage.step(runId)).toMatchObject({ status: 'FAILED', attempts: 1, spent: false })
  expect((await stage.run(runId)).lastError).toMatch(error)
  expect(stage.world.calls).toEqual([])
  expect((await meter(stage, runId)).map(([, consumed]) => consumed)).toEqual([0, 0])
})

test('the layers are checked in their order', async () => {
  const stage = await spawningStage()
  await set(stage, 'shard.vermin', { enabled: false, caps: { creatures: 0 } })
  // Switched off, params that do not fit, a cost that throws, no room: the first that holds is said.
  const off = await stage.play(one(vermin({ count: 'many' })))
  expect(await detailsOf(stage, off, 'step.refused')).toEqual([{ code: 'ACTION_DISABLED' }])
  await set(stage, 'shard.vermin', { enabled: true })
  const unfit = await stage.play(one(vermin({ count: 'many' })))
  expect((await stage.step(unfit)).lastError).toMatch(/params do not fit: params.count/)
  const short = await stage.play(one(vermin()))
  expect(await detailsOf(stage, short, 'step.refused')).toMatchObject([{ code: 'CAP_EXCEEDED', cap: 0, consumed: 0 }])
})

test('a step pays once, over its retries, a retry by a person and a reclaim, and keeps its spend when it fails', async () => {
  const stage = await spawningStage()
  await set(stage, 'shard.vermin', { caps: { creatures: 5 } })
  stage.world.answers.set('orc', () => ({ ok: false, error: 'busy' }))
  const runId = await stage.play(one(vermin({ count: 5 }, 'PAUSE'), vermin()))
  await stage.letPass(180_000)
  expect(await stage.step(runId)).toMatchObject({ status: 'FAILED', attempts: 3, spent: true })
  expect((await meter(stage, runId))[0]).toEqual(['creatures', 5, 5, 'shard.vermin'])

  const { id: stepId } = await stage.step(runId)
  await retryStep(stage.ctx, MIRA, { stepId, reason: 'again' })
  await resumeRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(stage.world.calls).toHaveLength(4)
  expect((await meter(stage, runId))[0]).toEqual(['creatures', 5, 5, 'shard.vermin'])
  stage.world.answers.delete('orc')
  await stage.letPass(60_000)
  expect(await statuses(stage, runId)).toEqual(['DONE', 'REFUSED'])
  expect(new Set(stage.world.calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
})

test('a person may retry a refused step, which pays then', async () => {
  const stage = await spawningStage()
  await set(stage, 'shard.vermin', { enabled: false })
  const runId = await stage.play(one(vermin({ count: 3 }, 'PAUSE')))
  expect(await stage.step(runId)).toMatchObject({ status: 'REFUSED', spent: false })
  await set(stage, 'shard.vermin', { enabled: true })
  const { id: stepId } = await stage.step(runId)
  expect(await retryStep(stage.ctx, MIRA, { stepId, reason: 'switched on' })).toMatchObject({ stepId })
  await resumeRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  expect((await meter(stage, runId))[0]).toEqual(['creatures', 3, null, null])
})

test('a rehearsal spends on its own meter, also for steps that are not called, and leaves nothing in the ledger', async () => {
  const stage = await spawningStage()
  await set(stage, 'shard.vermin', { caps: { creatures: 5 } })
  const { definitionId } = await stage.publish(
    one({ actionId: 'shard.spawn', params: { count: 3 } }, vermin({ count: 2 }), vermin()),
  )
  const rehearsal = await stage.start(definitionId, { rehearsal: true })
  await stage.settle()
  expect(await statuses(stage, rehearsal)).toEqual(['DONE', 'DONE', 'REFUSED'])
  expect(stage.world.calls).toMatchObject([{ verify: true, params: { count: 2 } }])
  expect((await meter(stage, rehearsal))[0]).toEqual(['creatures', 5, 5, 'shard.vermin'])
  expect(await stage.db.prisma.resource.count()).toBe(0)
  const real = await stage.start(definitionId)
  await stage.settle()
  expect(await statuses(stage, real)).toEqual(['DONE', 'DONE', 'REFUSED'])
})

test('before a reversible action is called a placeholder stands in the ledger, and a refused one places none', async () => {
  const stage = await spawningStage()
  await set(stage, 'shard.spawn', { caps: { creatures: 1 } })
  const seen: unknown[] = []
  stage.world.answers.set('orc', async () => {
    seen.push(...(await stage.db.prisma.resource.findMany()))
    return { ok: false, retry: false, error: 'no' }
  })
  const spawn = { actionId: 'shard.spawn', params: {}, onFailure: 'SKIP' } as const
  const runId = await stage.play(one(spawn, spawn))
  expect(await statuses(stage, runId)).toEqual(['FAILED', 'REFUSED'])
  const { id: stepId } = await stage.step(runId)
  const ref = formatId('Step', stepId)
  expect(seen).toMatchObject([
    { runId, stepId, module: 'shard', kind: '@step', ref, placeholder: true, status: 'ACTIVE' },
  ])
  expect(await stage.db.prisma.resource.count({ where: { runId, placeholder: true } })).toBe(1)
})

test('a run that is cancelled between the claim and the call calls nothing, and the step is CANCELLED', async () => {
  // Its only attempt: what was not called has not failed.
  const stage = await spawningStage({ stepMaxAttempts: 1 })
  const { definitionId } = await stage.publish(one({ actionId: 'shard.spawn', params: {} }))
  stage.interpose(async (sql) => {
    if (sql.sql.includes('INSERT INTO budget_lines AS b')) {
      const [run] = await stage.db.prisma.run.findMany()
      expect(await cancelRun(stage.ctx, MIRA, { runId: run?.id ?? '', reason: 'no' })).not.toHaveProperty('error')
    }
    return stage.send(sql)
  })
  const runId = await stage.start(definitionId)
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'CANCELLED', inFlight: null })
  expect(await stage.step(runId)).toMatchObject({ status: 'CANCELLED', spent: false })
  expect(stage.world.calls).toEqual([])
  expect(await stage.db.prisma.resource.count()).toBe(0)
})

test('a run that is paused between the claim and the call goes on with that step', async () => {
  const stage = await spawningStage()
  const { definitionId } = await stage.publish(one(vermin(), vermin()))
  let asked = 0
  stage.interpose(async (sql) => {
    if (sql.sql.includes('INSERT INTO budget_lines AS b') && ++asked === 1) {
      const [run] = await stage.db.prisma.run.findMany()
      expect(await pauseRun(stage.ctx, MIRA, { runId: run?.id ?? '' })).not.toHaveProperty('error')
    }
    return stage.send(sql)
  })
  const runId = await stage.start(definitionId)
  await stage.settle()
  expect(await statuses(stage, runId)).toEqual(['DONE', 'PENDING'])
})

test('an admission whose answer is lost is asked again and pays once', async () => {
  const stage = await spawningStage()
  stage.expectFaults(/did not answer/)
  const { definitionId } = await stage.publish(one({ actionId: 'shard.spawn', params: { count: 4 } }))
  let lost = 0
  stage.interpose(async (sql) => {
    const answer = await stage.send(sql)
    if (sql.sql.includes('INSERT INTO budget_lines AS b') && lost++ < 2) throw new Error('the connection broke')
    return answer
  })
  const runId = await stage.start(definitionId)
  await stage.until(runId, 'COMPLETED')
  expect(stage.world.calls).toHaveLength(1)
  expect((await meter(stage, runId))[0]).toEqual(['creatures', 4, null, null])
})

test('a claim that was taken back before its admission calls nothing; who took it pays once', async () => {
  const stage = await spawningStage()
  const { definitionId } = await stage.publish(one(vermin({ count: 4 })))
  let asked = 0
  stage.interpose(async (sql) => {
    const answer = await stage.send(sql)
    // Paid, but the answer never reaches the process, which is dead: its claim is somebody else's by then.
    if (sql.sql.includes('INSERT INTO budget_lines AS b') && ++asked === 1) {
      // Its lease ends in a while: the runner sleeps until then, whether it has looked already or not.
      const leaseUntil = new Date(stage.clock.now() + 1000)
      await stage.db.prisma.run.updateMany({ data: { claimedBy: 'dead#1', leaseUntil } })
      throw new Error('the connection broke')
    }
    return answer
  })
  stage.expectFaults(/did not answer/)
  const runId = await stage.start(definitionId)
  await expect.poll(() => asked).toBe(2)
  expect(stage.world.calls).toEqual([])
  await stage.letPass(30_000)
  await stage.until(runId, 'COMPLETED')
  expect(stage.world.calls).toHaveLength(1)
  expect((await meter(stage, runId))[0]).toEqual(['creatures', 4, null, null])
  expect(await stage.step(runId)).toMatchObject({ attempts: 2, spent: true })
  expect(await stage.story(runId)).not.toContain('step.late')
})

test('two runs side by side, worked by two processes, spend one cap each and no more', async () => {
  const stage = await spawningStage({ stepsPerPass: 3 })
  const second = stage.newRunner({ worker: 'second', settings: { stepsPerPass: 3 } })
  second.start()
  await set(stage, 'shard.vermin', { caps: { creatures: 10, gold: 1 } })
  const steps = Array.from({ length: 30 }, () => vermin({ count: 1, gold: 0.1 }))
  const { definitionId } = await stage.publish(one(...steps))
  const runIds = [
    await stage.start(definitionId, { scope: 'Yew' }),
    await stage.start(definitionId, { scope: 'Vesper' }),
  ]
  await Promise.all(runIds.map((runId) => stage.until(runId, 'COMPLETED')))
  for (const runId of runIds) {
    expect((await meter(stage, runId)).map(([dimension, consumed]) => [dimension, consumed])).toEqual([
      ['creatures', 10],
      ['gold', 1],
    ])
    const count = (status: string) => steps.length - all.filter((each) => each !== status).length
    const all = await statuses(stage, runId)
    expect([count('DONE'), count('REFUSED')]).toEqual([10, 20])
  }
  expect(stage.world.calls).toHaveLength(20)
})

test('a cost that cannot be added to what is spent fails its step with a sentence, and not with words of the database', async () => {
  const stage = await spawningStage()
  stage.expectFaults(/could not be counted/)
  const runId = await stage.play(one(vermin({ count: 1.5e308 }), vermin({ count: 1.5e308 }), vermin({ count: 1 })))
  expect(await statuses(stage, runId)).toEqual(['DONE', 'FAILED', 'DONE'])
  expect(stage.world.calls.map(({ params }) => params.count)).toEqual([1.5e308, 1])
  expect((await stage.step(runId, 1)).lastError).toBe(
    "What it costs cannot be counted on top of what the run has spent; lower it, and see the server's log for why.",
  )
})
