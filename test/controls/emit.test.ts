import { beforeEach, expect, test } from 'vitest'
import { emitTrigger } from '../../src/controls/emit.ts'
import { advancePhase, cancelRun, pauseRun, resumeRun } from '../../src/controls/runs.ts'
import { pruneEmissions, tallyTrigger } from '../../src/store/triggers.ts'
import { MIRA, newStage, SHARD, type Stage, type StagePhase } from '../support/stage.ts'

let stage: Stage
beforeEach(async () => {
  stage = await newStage()
})

const DAY_MS = 86_400_000

type TriggerGate = { where?: { field: string; op: string; value: string | number }; count?: number }

const waiting = (trigger: TriggerGate = {}): StagePhase[] => [
  { key: 'assault', steps: [{ key: 'spawn' }], advance: { trigger: { on: 'test.slain', ...trigger } } },
  { key: 'loot', steps: [{ key: 'chest' }] },
]

const gateOf = async (runId: string) => (await stage.run(runId)).gates[0]
const linesOf = async (runId: string, wanted: string) => (await stage.log(runId)).filter(({ kind }) => kind === wanted)

test('a trigger opens the gate that waits for it, and the run goes on', async () => {
  const runId = await stage.play(waiting())
  expect(await stage.run(runId)).toMatchObject({ status: 'RUNNING', currentPhase: 'assault' })
  await stage.letPass(90_000)
  expect(await stage.emit({ payload: { boss: 'Balron' } })).toEqual({
    duplicate: false,
    matchedCount: 1,
    matched: [{ runId, phase: 'assault', matched: true, tally: 1, needed: 1, opened: true }],
  })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  expect(await linesOf(runId, 'condition.evaluated')).toMatchObject([
    {
      phase: 'assault',
      actorKind: 'TOKEN',
      actorName: 'shard',
      detail: { trigger: 'test.slain', payload: { boss: 'Balron' }, matched: true, tally: 1, needed: 1 },
      text: 'test.slain happened and counts: 1 of 1.',
    },
  ])
  expect(await linesOf(runId, 'phase.advanced')).toMatchObject([
    {
      actorKind: 'SYSTEM',
      detail: { because: 'TRIGGER', trigger: 'test.slain', tally: 1, needed: 1, waitedSeconds: 90 },
    },
  ])
  expect(await gateOf(runId)).toMatchObject({
    openedBy: 'TRIGGER',
    openedByKind: 'TOKEN',
    openedByName: 'shard',
    tally: 1,
    lastEvent: { trigger: 'test.slain', payload: { boss: 'Balron' }, matched: true },
  })
})

test('a gate says in words what it waits for when it is armed', async () => {
  const runId = await stage.play(waiting({ count: 3, where: { field: 'boss', op: 'EQ', value: 'Balron' } }))
  expect(await linesOf(runId, 'phase.gate')).toMatchObject([
    {
      detail: { gate: 'ON', trigger: 'test.slain', needed: 3, where: 'boss is Balron' },
      text: 'The phase may end when test.slain has happened 3 times, where boss is Balron.',
    },
  ])
})

test('a payload that does not meet the condition is logged and does not count', async () => {
  const runId = await stage.play(waiting({ where: { field: 'level', op: 'GTE', value: 5 } }))
  expect(await stage.emit({ payload: { level: 4 } })).toMatchObject({
    matchedCount: 0,
    matched: [{ runId, matched: false, tally: 0, opened: false }],
  })
  expect(await linesOf(runId, 'condition.evaluated')).toMatchObject([
    { detail: { payload: { level: 4 }, matched: false, tally: 0, needed: 1 } },
  ])
  expect(await gateOf(runId)).toMatchObject({ tally: 0, openedAt: null, lastEvent: { matched: false } })
  expect(await stage.emit({ payload: { level: 5 } })).toMatchObject({ matchedCount: 1 })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
})

test('a gate that opens early skips no step, and was not what was waited for', async () => {
  const spawn = stage.script.hang('spawn')
  const runId = await stage.play(waiting())
  await spawn.called
  expect(await stage.emit()).toMatchObject({ matchedCount: 1, matched: [{ opened: true }] })
  await stage.letPass(5_000)
  expect(await stage.run(runId)).toMatchObject({ status: 'RUNNING', currentPhase: 'assault' })
  spawn.answer({ ok: true })
  await stage.until(runId, 'COMPLETED')
  expect(await linesOf(runId, 'phase.advanced')).toEqual([])
  expect(await stage.emit()).toMatchObject({ matchedCount: 0, matched: [] })
})

test('only gates of the phase that is current meet a trigger, of runs that are RUNNING or PAUSED', async () => {
  const cancelled = await stage.play(waiting())
  await cancelRun(stage.ctx, MIRA, { runId: cancelled })
  const { definitionId } = await stage.publish(waiting())
  await stage.start(definitionId, { scheduledFor: new Date(stage.clock.now() + DAY_MS) })
  const later = await stage.play([
    { key: 'first', steps: [{ actionId: 'core.cue', params: { instruction: 'Wait' } }] },
    ...waiting(),
  ])
  await stage.play([{ key: 'a', steps: [], advance: { trigger: { on: 'test.other' } } }])
  expect(await stage.emit()).toEqual({ duplicate: false, matchedCount: 0, matched: [] })
  expect(await linesOf(cancelled, 'condition.evaluated')).toEqual([])
  expect(await linesOf(later, 'condition.evaluated')).toEqual([])
})

test('a paused run is tallied, its gate may open, and it goes on when it is resumed', async () => {
  const runId = await stage.play(waiting({ count: 2 }))
  await pauseRun(stage.ctx, MIRA, { runId })
  await stage.emit()
  await stage.letPass(60_000)
  expect(await stage.emit()).toMatchObject({ matched: [{ tally: 2, opened: true }] })
  await stage.letPass(60_000)
  expect(await stage.run(runId)).toMatchObject({ status: 'PAUSED', currentPhase: 'assault' })
  await resumeRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  expect(await linesOf(runId, 'phase.advanced')).toMatchObject([
    { detail: { because: 'TRIGGER', tally: 2, needed: 2, waitedSeconds: 60 } },
  ])
})

test('with a scope only its runs meet a trigger, the empty one included', async () => {
  const { definitionId } = await stage.publish(waiting({ count: 9 }))
  const yew = await stage.start(definitionId, { scope: 'Yew' })
  const none = await stage.start(definitionId)
  await stage.settle()
  const metBy = async (scope?: string | null) =>
    (await stage.emit(scope === undefined ? {} : { scope })).matched.map(({ runId }) => runId)
  expect(await metBy('Yew')).toEqual([yew])
  expect(await metBy('')).toEqual([none])
  expect(await metBy('Vesper')).toEqual([])
  expect((await metBy()).toSorted()).toEqual([yew, none].toSorted())
  expect((await metBy(null)).toSorted()).toEqual([yew, none].toSorted())
})

test('rehearsals and real runs are never driven by the same trigger', async () => {
  const { definitionId } = await stage.publish(waiting({ count: 9 }))
  const real = await stage.start(definitionId)
  const rehearsal = await stage.start(definitionId, { rehearsal: true })
  await stage.settle()
  expect((await stage.emit({ dedupeKey: 'k' })).matched.map(({ runId }) => runId)).toEqual([real])
  // The key of a rehearsal does not stand in for the real one's either.
  expect(await stage.emit({ rehearsal: true, dedupeKey: 'k' })).toMatchObject({
    duplicate: false,
    matched: [{ runId: rehearsal }],
  })
  expect(await gateOf(real)).toMatchObject({ tally: 1 })
  expect(await gateOf(rehearsal)).toMatchObject({ tally: 1 })
})

test('the gates that matched are listed first, a hundred at most, and all are counted', async () => {
  const fussy = await stage.publish(waiting({ count: 9, where: { field: 'level', op: 'EQ', value: 1 } }))
  const glad = await stage.publish(waiting({ count: 9 }))
  for (let scope = 0; scope < 60; scope += 1) {
    await stage.start(fussy.definitionId, { scope: `${scope}` })
    await stage.start(glad.definitionId, { scope: `${scope}` })
  }
  await stage.settle()
  const { matched, matchedCount } = await stage.emit()
  expect(matchedCount).toBe(60)
  expect(matched.map((gate) => gate.matched)).toEqual([...Array(60).fill(true), ...Array(40).fill(false)])
})

test('what does not fit is refused with its path, and nothing is counted', async () => {
  const runId = await stage.play(waiting())
  const issuesOf = async (input: Partial<Parameters<typeof emitTrigger>[2]>) => {
    const answer = await emitTrigger(stage.ctx, SHARD, { trigger: 'test.slain', ...input })
    return answer.error === 'INVALID_INPUT' ? answer.issues : answer
  }
  expect(await issuesOf({ trigger: 'test.nothing' })).toMatchObject([
    { path: 'trigger', message: expect.stringContaining('test.nothing') },
  ])
  expect(await issuesOf({ payload: { level: 'high', boss: 3 } })).toMatchObject([
    { path: 'payload.boss' },
    { path: 'payload.level' },
  ])
  expect(await issuesOf({ payload: { note: 'x'.repeat(70_000) } })).toMatchObject([{ path: 'payload' }])
  let deep: Record<string, unknown> = {}
  for (let level = 0; level < 40; level += 1) deep = { deep }
  expect(await issuesOf({ payload: deep })).toMatchObject([{ path: 'payload' }])
  expect(await issuesOf({ scope: 'y'.repeat(191), dedupeKey: '' })).toMatchObject([
    { path: 'scope' },
    { path: 'dedupeKey', message: 'The dedupeKey must not be empty; leave it out.' },
  ])
  expect(await gateOf(runId)).toMatchObject({ tally: 0, lastEvent: null })
})

test('what a text cannot be stored with is replaced in the log, and the trigger counts', async () => {
  const runId = await stage.play(waiting())
  expect(await stage.emit({ payload: { boss: 'Bal\0ron\ud800' } })).toMatchObject({ matchedCount: 1 })
  expect(await linesOf(runId, 'condition.evaluated')).toMatchObject([
    { detail: { payload: { boss: 'Bal\uFFFDron\uFFFD' } } },
  ])
})

test('the same key within a day is answered with the first result and counts once', async () => {
  const runId = await stage.play(waiting({ count: 9 }))
  const first = await stage.emit({ dedupeKey: 'kill-1', payload: { boss: 'Balron' } })
  expect(first).toMatchObject({ duplicate: false, matched: [{ tally: 1 }] })
  await stage.letPass(DAY_MS - 1)
  const again = await stage.emit({ dedupeKey: 'kill-1', payload: { boss: 'Another' }, scope: 'Yew' })
  expect(again).toEqual({ ...first, duplicate: true })
  expect(await gateOf(runId)).toMatchObject({ tally: 1 })
  expect(await stage.emit({ dedupeKey: 'kill-2' })).toMatchObject({ duplicate: false, matched: [{ tally: 2 }] })
  expect(await stage.emit({ trigger: 'test.other', dedupeKey: 'kill-1' })).toMatchObject({ duplicate: false })
  await stage.letPass(1)
  expect(await stage.emit({ dedupeKey: 'kill-1' })).toMatchObject({ duplicate: false, matched: [{ tally: 3 }] })
})

test('keys whose day is over are forgotten, others are not', async () => {
  await stage.db.prisma.triggerEmission.deleteMany()
  await stage.emit({ dedupeKey: 'old' })
  await stage.letPass(60_000)
  await stage.emit({ dedupeKey: 'young' })
  const now = stage.clock.now() + DAY_MS - 60_000
  expect(await pruneEmissions(stage.db.hot, { now: now - 1, limit: 10 })).toBe(0)
  expect(await pruneEmissions(stage.db.hot, { now, limit: 10 })).toBe(1)
  const left = await stage.db.prisma.triggerEmission.findMany({ where: { dedupeKey: { in: ['old', 'young'] } } })
  expect(left).toMatchObject([{ dedupeKey: 'young' }])
})

test('the runner forgets them', async () => {
  await stage.emit({ dedupeKey: 'for a day' })
  await stage.letPass(DAY_MS + 600_000)
  await stage.settle()
  expect(await stage.db.prisma.triggerEmission.count({ where: { dedupeKey: 'for a day' } })).toBe(0)
})

test('of many at once with one key only one counts, and all get its answer', async () => {
  const runId = await stage.play(waiting({ count: 9 }))
  const answers = await Promise.all(Array.from({ length: 20 }, () => stage.emit({ dedupeKey: 'together' })))
  expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
  for (const { matched } of answers) expect(matched).toMatchObject([{ runId, tally: 1 }])
  expect(await gateOf(runId)).toMatchObject({ tally: 1 })
})

test('an emission that fails half way counts nowhere, and its key is free', async () => {
  const { definitionId } = await stage.publish(waiting({ count: 9 }))
  const runIds = [await stage.start(definitionId, { scope: 'a' }), await stage.start(definitionId, { scope: 'b' })]
  await stage.settle()
  const emission = {
    trigger: 'test.slain',
    payload: {},
    scope: null,
    rehearsal: false,
    dedupeKey: 'half way',
    actor: SHARD,
  }
  let looks = 0
  const failing = {
    ...stage.clock,
    now: () => {
      looks += 1
      if (looks > 1) throw new Error('the process died')
      return stage.clock.now()
    },
  }
  await expect(tallyTrigger(stage.db.prisma, emission, failing as typeof stage.clock)).rejects.toThrow('died')
  for (const runId of runIds) expect(await gateOf(runId)).toMatchObject({ tally: 0, lastEvent: null })
  expect(await stage.emit({ dedupeKey: 'half way' })).toMatchObject({ duplicate: false, matchedCount: 2 })
})

test('a trigger that arrives while the phase before it is current does not count for it', async () => {
  const spawn = stage.script.hang('spawn')
  const { definitionId } = await stage.publish([
    { key: 'before', steps: [{ key: 'spawn' }] },
    ...waiting().map((phase) => ({ ...phase, steps: [] })),
  ])
  const runId = await stage.start(definitionId)
  await spawn.called
  expect(await stage.emit()).toMatchObject({ matched: [] })
  spawn.answer({ ok: true })
  await stage.settle()
  expect(await gateOf(runId)).toMatchObject({ tally: 0 })
  await advancePhase(stage.ctx, MIRA, { runId, phase: 'assault', reason: 'enough' })
  await stage.until(runId, 'COMPLETED')
})
