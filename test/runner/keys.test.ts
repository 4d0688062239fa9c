import { expect, test } from 'vitest'
import { cancelRun, pauseRun } from '../../src/controls/runs.ts'
import { confirmCue } from '../../src/controls/steps.ts'
import { claimKeyedStarts, KEYED_STARTS_LOCK } from '../../src/store/claims.ts'
import { done } from '../support/scheduled.ts'
import { MIRA, newStage, type Stage, T0 } from '../support/stage.ts'

const CUE = { actionId: 'core.cue', params: { instruction: 'Go' } }
const MINUTE = 60_000

async function keyed(stage: Stage, graceSeconds = 900) {
  return stage.publish([{ key: 'one', steps: [CUE] }], {
    concurrencyKey: 'invasion:{region}',
    graceSeconds,
    parameters: [{ name: 'region', label: 'Region', type: 'TEXT', required: true }],
  })
}

const confirm = async (stage: Stage, runId: string) => {
  await confirmCue(stage.ctx, MIRA, { stepId: (await stage.step(runId)).id })
  await stage.settle()
}

test('a held key blocks a start, says so once, and lets the starts go in the order of their instants', async () => {
  const stage = await newStage()
  const { definitionId } = await keyed(stage)
  const start = async (scope: string, minutes: number) => {
    const runId = await stage.start(definitionId, {
      scope,
      params: { region: 'Yew' },
      scheduledFor: new Date(T0 + minutes * MINUTE),
    })
    return runId
  }
  const [holder, third, second] = [await start('a', 0), await start('b', 2), await start('c', 1)]
  const elsewhere = await stage.start(definitionId, {
    scope: 'd',
    params: { region: 'Trinsic' },
    scheduledFor: new Date(T0 + MINUTE),
  })
  await stage.settle()
  await stage.letPass(5 * MINUTE)
  expect(await stage.run(elsewhere)).toMatchObject({ status: 'RUNNING', concurrencyKey: 'invasion:Trinsic' })
  for (const blocked of [second, third]) {
    expect(await stage.run(blocked)).toMatchObject({
      status: 'SCHEDULED',
      lastError: `Waits for run_${holder} (RUNNING), which holds the concurrency key "invasion:Yew".`,
    })
    expect(await stage.story(blocked)).toEqual(['run.created', 'run.blocked'])
  }
  await confirm(stage, holder)
  expect(await stage.run(second)).toMatchObject({ status: 'RUNNING', lastError: null })
  expect(await stage.run(third)).toMatchObject({ status: 'SCHEDULED' })
  expect((await stage.story(third)).filter((line) => line === 'run.blocked')).toHaveLength(2)
  await confirm(stage, second)
  await confirm(stage, third)
  expect(await stage.run(third)).toMatchObject({ status: 'COMPLETED' })
})

test('a paused run keeps its key, a cancelled one lets it go', async () => {
  const stage = await newStage()
  const { definitionId } = await keyed(stage)
  const holder = await stage.start(definitionId, { scope: 'a', params: { region: 'Yew' } })
  await stage.settle()
  const next = await stage.start(definitionId, { scope: 'b', params: { region: 'Yew' } })
  await pauseRun(stage.ctx, MIRA, { runId: holder })
  await stage.settle()
  expect(await stage.run(next)).toMatchObject({ status: 'SCHEDULED' })
  await cancelRun(stage.ctx, MIRA, { runId: holder })
  await stage.settle()
  expect(await stage.run(next)).toMatchObject({ status: 'RUNNING' })
})

test('a start whose grace window passes while its key is held is MISSED for that reason', async () => {
  const stage = await newStage()
  const { definitionId } = await keyed(stage, 60)
  const holder = await stage.start(definitionId, { scope: 'a', params: { region: 'Yew' } })
  await stage.settle()
  const late = await stage.start(definitionId, { scope: 'b', params: { region: 'Yew' } })
  await stage.settle()
  await stage.letPass(2 * MINUTE)
  const run = await stage.run(late)
  expect(run).toMatchObject({ status: 'MISSED', missedReason: 'KEY_HELD' })
  expect(run.endedBecause).toContain(`run_${holder}`)
  // What it waited for is over.
  expect(run).toMatchObject({ lastError: null, blockedBy: null })
})

test('a start whose key is free again, and which nobody started in time, is not MISSED for the key', async () => {
  const stage = await newStage()
  const { definitionId } = await keyed(stage, 60)
  const holder = await stage.start(definitionId, { scope: 'a', params: { region: 'Yew' } })
  await stage.settle()
  const late = await stage.start(definitionId, { scope: 'b', params: { region: 'Yew' } })
  await stage.settle()
  expect(await stage.run(late)).toMatchObject({ status: 'SCHEDULED', blockedBy: holder })
  await stage.runner.stop()
  done(await cancelRun(stage.ctx, MIRA, { runId: holder }))
  stage.clock.moveTo(T0 + 2 * MINUTE)
  stage.runner = stage.newRunner()
  stage.runner.start()
  await stage.settle()
  expect(await stage.run(late)).toMatchObject({ status: 'MISSED', missedReason: 'NOT_RUNNING', lastError: null })
})

test('a blocked start that is cancelled waits for nobody any more', async () => {
  const stage = await newStage()
  const { definitionId } = await keyed(stage)
  await stage.start(definitionId, { scope: 'a', params: { region: 'Yew' } })
  await stage.settle()
  const late = await stage.start(definitionId, { scope: 'b', params: { region: 'Yew' } })
  await stage.settle()
  done(await cancelRun(stage.ctx, MIRA, { runId: late }))
  expect(await stage.run(late)).toMatchObject({ status: 'CANCELLED', lastError: null, blockedBy: null })
})

test('rehearsals neither hold nor wait for keys', async () => {
  const stage = await newStage()
  const { definitionId } = await keyed(stage)
  const input = { params: { region: 'Yew' } }
  const runs = [
    await stage.start(definitionId, { ...input, rehearsal: true }),
    await stage.start(definitionId, { ...input, scope: 'a' }),
    await stage.start(definitionId, { ...input, rehearsal: true }),
  ]
  await stage.settle()
  for (const runId of runs) expect(await stage.run(runId)).toMatchObject({ status: 'RUNNING' })
})

test('however many runners race, one holder per key', async () => {
  const stage = await newStage()
  const { definitionId } = await keyed(stage)
  const others = Array.from({ length: 3 }, (_, index) => stage.newRunner({ worker: `other:${index}` }))
  for (const other of others) other.start()
  const due = new Date(T0 + 1000)
  const runs = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      stage.start(definitionId, {
        scope: `s${index}`,
        params: { region: index % 2 === 0 ? 'Yew' : 'Trinsic' },
        scheduledFor: due,
      }),
    ),
  )
  await Promise.all([stage.runner, ...others].map((runner) => stage.settle(runner)))
  stage.clock.moveTo(due.getTime())
  await Promise.all([stage.runner, ...others].map((runner) => stage.settle(runner)))
  const statuses = await Promise.all(runs.map(async (runId) => (await stage.run(runId)).status))
  expect(statuses.filter((status) => status === 'RUNNING')).toHaveLength(2)
  expect(statuses.filter((status) => status === 'SCHEDULED')).toHaveLength(22)
  for (const other of others) await other.stop()
  expect(stage.faults).toEqual([])
})

test('a start that comes while another is being made elsewhere waits for it, and finds its key taken', async () => {
  const stage = await newStage()
  const { definitionId } = await keyed(stage)
  const start = (scope: string, ms: number) =>
    stage.start(definitionId, { scope, params: { region: 'Yew' }, scheduledFor: new Date(T0 + ms) })
  const [due, moved] = [await start('a', MINUTE), await start('b', 3 * MINUTE)]
  await stage.settle()
  const now = T0 + 2 * MINUTE
  const request = { owner: 'here:1#1', now, leaseUntil: now + MINUTE, limit: 10 }
  let begun: Promise<unknown> = Promise.resolve()
  await stage.db.prisma.$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${KEYED_STARTS_LOCK}::bigint)`
    // A clock that is ahead of ours by two minutes lets it start what is not due here.
    await transaction.run.update({
      where: { id: moved },
      data: { status: 'STARTING', claimedBy: 'elsewhere:1#1', leaseUntil: new Date(T0 + 4 * MINUTE) },
    })
    begun = claimKeyedStarts(stage.db.hot, request, { now: () => now })
    begun.catch(() => {})
    const waiting = () => stage.db.prisma.$queryRaw`
      SELECT FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`
    await expect.poll(waiting, { timeout: 20_000 }).toHaveLength(1)
  })
  expect(await begun).toEqual([])
  expect(await stage.run(due)).toMatchObject({ status: 'SCHEDULED', claimedBy: null })
})

test('a start whose row somebody holds takes the place of no other', async () => {
  const stage = await newStage()
  const { definitionId } = await keyed(stage)
  const start = (region: string, ms: number) =>
    stage.start(definitionId, { scope: region, params: { region }, scheduledFor: new Date(T0 + ms) })
  const [held, free] = [await start('Yew', MINUTE), await start('Trinsic', 2 * MINUTE)]
  await stage.settle()
  const now = T0 + 3 * MINUTE
  await stage.db.prisma.$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT FROM runs WHERE id = ${held}::uuid FOR UPDATE`
    const request = { owner: 'here:1#1', now, leaseUntil: now + MINUTE, limit: 1 }
    expect(await claimKeyedStarts(stage.db.hot, request, { now: () => now })).toMatchObject([
      { runId: free, started: true },
    ])
  })
  expect(await stage.run(held)).toMatchObject({ status: 'SCHEDULED', claimedBy: null })
})

test('a start that waited for its key is dated when the key was found free, and not when the pass began', async () => {
  const stage = await newStage()
  const { definitionId } = await keyed(stage)
  const due = await stage.start(definitionId, { params: { region: 'Yew' }, scheduledFor: new Date(T0 + MINUTE) })
  await stage.settle()
  const [began, found] = [T0 + 2 * MINUTE, T0 + 2 * MINUTE + 50]
  const request = { owner: 'here:1#1', now: began, leaseUntil: began + MINUTE, limit: 1 }
  expect(await claimKeyedStarts(stage.db.hot, request, { now: () => found })).toMatchObject([{ runId: due }])
  expect(await stage.run(due)).toMatchObject({ status: 'STARTING', startedAt: new Date(found) })
  const lines = await stage.db.prisma.logLine.findMany({ where: { runId: due, kind: 'run.status' } })
  expect(lines.map(({ at }) => at.getTime())).toEqual([found])
})
