import { expect, test } from 'vitest'
import { cancelRun, rescheduleRun } from '../../src/controls/runs.ts'
import { pauseSchedule } from '../../src/controls/schedules.ts'
import { skipStep } from '../../src/controls/steps.ts'
import { draftOf } from '../../src/domain/picture.ts'
import { progress } from '../../src/domain/progress.ts'
import { start } from '../../src/domain/start.ts'
import { Versions } from '../../src/runner/versions.ts'
import { Changes } from '../../src/store/changes.ts'
import { mintStep } from '../../src/store/ids.ts'
import { readStarts, startIfWaiting } from '../../src/store/starts.ts'
import { daily, done, publishScheduled, republish, runsOf } from '../support/scheduled.ts'
import { MIRA, newStage, type Stage, T0 } from '../support/stage.ts'
import { askedOf, DUE, expectOnTime, isStart, PHASES, waiting, watch } from './waiting-starts.ts'

const MINUTE = 60_000
const isClaim = ({ sql }: { sql: string }) => sql.includes('WITH due AS')

const refused = () => Promise.reject(Object.assign(new Error('refused'), { meta: { code: '22P05' } }))

/** The same stage as another process has it: the runner is not told of what is done there. */
const elsewhere = (stage: Stage): Stage => {
  const other = Object.create(stage) as Stage
  Object.defineProperty(other, 'ctx', { value: { ...stage.ctx, changes: new Changes() } })
  return other
}

test('one statement lies between the instant and the call of the first action, which is never early', async () => {
  const stage = await newStage()
  const { runId } = await waiting(stage)
  const seen = watch(stage)
  let before = -1
  stage.script.on('a', () => {
    before = seen.statements.length
    return { ok: true }
  })
  await stage.letPass(DUE - T0 - 1)
  expect(stage.script.calls).toEqual([])
  expect(await stage.run(runId)).toMatchObject({ status: 'SCHEDULED', claimedBy: null })
  expect(seen.statements).toEqual([])
  await stage.letPass(1)
  expect(seen.statements[0]).toBe('start')
  expect(before).toBe(1)
  expect(seen).toMatchObject({ asked: 1, won: 1 })
  expect(await stage.run(runId)).toMatchObject({ status: 'RUNNING', startedAt: new Date(DUE), claimedBy: null })
  expect((await stage.log(runId)).slice(1).map((line) => line.at)).toEqual(
    (await stage.log(runId)).slice(1).map(() => new Date(DUE)),
  )
})

test('starts that wait for their turn when the runner stops are left for others', async () => {
  const stage = await newStage({ runBatch: 400, runConcurrency: 400 })
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  for (let index = 0; index < 400; index += 1)
    await stage.start(definitionId, { scope: `s${index}`, scheduledFor: new Date(DUE) })
  await stage.settle()
  const asked: number[] = []
  let stopped = null as Promise<void> | null
  stage.interpose(async (sql) => {
    if (!isStart(sql)) return stage.send(sql)
    asked.push(askedOf(sql).length)
    const rows = await stage.send(sql)
    stopped ??= stage.runner.stop()
    return rows
  })
  stage.clock.moveBy(DUE - T0)
  await expect.poll(() => stopped !== null).toBe(true)
  await stopped
  // Two statements were under way.
  expect(asked).toEqual([192, 192])
  expect(await stage.db.prisma.run.count({ where: { status: 'SCHEDULED' } })).toBe(16)
})

test('a step is called once, although who is told of its start throws', async () => {
  const stage = await newStage()
  const { runId } = await waiting(stage)
  stage.expectFaults(/could not be worked on/)
  const off = stage.ctx.changes.onRuns(() => {
    off()
    throw new Error('a listener fails')
  })
  await stage.letPass(DUE - T0)
  await stage.letPass(MINUTE)
  await stage.until(runId, 'COMPLETED')
  expect(stage.script.keys()).toEqual(['a', 'b', 'c'])
})

test('a prepared start leaves the rows and the log that any other start leaves', async () => {
  const stage = await newStage()
  const { definitionId, runId } = await waiting(stage)
  const seen = watch(stage)
  await stage.letPass(DUE - T0)
  expect(seen).toMatchObject({ asked: 1, won: 1 })
  // What cannot start this way is claimed.
  stage.interpose((sql) => (isStart(sql) ? refused() : stage.send(sql)))
  const other = await stage.start(definitionId, { scope: 'now' })
  await stage.settle()
  const told = async (id: string) =>
    (await stage.log(id)).slice(1).map(({ line, at, kind, phase, actorKind, detail, text }) => ({
      line,
      at,
      kind,
      phase,
      actorKind,
      detail,
      text,
    }))
  expect(await told(runId)).toEqual(await told(other))
  const shape = async (id: string) => {
    const { status, phaseIndex, currentPhase, startedAt, phaseEnteredAt, wakeAt, lastError, steps, gates } =
      await stage.run(id)
    return {
      ...{ status, phaseIndex, currentPhase, startedAt, phaseEnteredAt, wakeAt, lastError },
      steps: steps.map((step) => [step.seq, step.status, step.attempts, step.claimNo, step.startedAt]),
      gates: gates.map((gate) => [gate.kind, gate.enteredAt, gate.opensAt]),
    }
  }
  expect(await shape(runId)).toEqual(await shape(other))
})

test.each<[string, (stage: Stage, runId: string) => Promise<unknown>, string, string[]]>([
  ['cancelled', (stage, runId) => cancelRun(stage.ctx, MIRA, { runId }), 'CANCELLED', []],
  [
    'moved',
    (stage, runId) => rescheduleRun(stage.ctx, MIRA, { runId, scheduledFor: new Date(DUE + MINUTE) }),
    'SCHEDULED',
    [],
  ],
  [
    'changed: a step is skipped',
    async (stage, runId) => skipStep(stage.ctx, MIRA, { stepId: (await stage.step(runId)).id, reason: 'no' }),
    'RUNNING',
    ['b'],
  ],
])('a run that is %s in another process meanwhile does not start from what was known of it', async (...args) => {
  const [, control, status, called] = args
  const stage = await newStage()
  const { runId } = await waiting(stage)
  const seen = watch(stage)
  expect(await control(elsewhere(stage), runId)).not.toHaveProperty('error')
  await stage.letPass(DUE - T0)
  expect(seen.asked - seen.won).toBe(1)
  expect(await stage.run(runId)).toMatchObject({ status })
  expect(stage.script.keys()).toEqual(called)
})

test('a run whose grace passes between the reading and the start is missed, and calls nothing', async () => {
  const stage = await newStage()
  const { runId } = await waiting(stage)
  const { graceUntil } = await stage.run(runId)
  const seen = watch(stage)
  // The process slept over the instant.
  stage.clock.moveTo(graceUntil.getTime() + 1)
  await stage.settle()
  expect(seen.asked).toBe(1)
  expect(seen.won).toBe(0)
  expect(await stage.run(runId)).toMatchObject({ status: 'MISSED' })
  expect(stage.script.keys()).toEqual([])
})

test('a run of a schedule that is paused meanwhile is missed', async () => {
  const stage = await newStage()
  const { definitionId } = await publishScheduled(stage, { schedule: daily('20:30') })
  await stage.settle()
  const seen = watch(stage)
  done(await pauseSchedule(elsewhere(stage).ctx, MIRA, { id: definitionId }))
  await stage.letPass(30 * MINUTE)
  expect(seen).toMatchObject({ asked: 1, won: 0 })
  const [first] = await runsOf(stage, definitionId)
  expect(first).toMatchObject({ status: 'MISSED', missedReason: 'SCHEDULE_PAUSED' })
  expect(stage.script.calls).toEqual([])
})

test('a run that a new version takes along meanwhile starts with the steps of that', async () => {
  const stage = await newStage()
  const { definitionId } = await publishScheduled(stage, { schedule: daily('20:30') })
  await stage.settle()
  const seen = watch(stage)
  await republish(elsewhere(stage), definitionId, {
    schedule: daily('20:30'),
    phases: [{ key: 'main', steps: [{ actionId: 'test.change', params: { key: 'new' }, onFailure: 'PAUSE' }] }],
  })
  await stage.letPass(30 * MINUTE)
  // As it was read before, and as it is then.
  expect(seen).toMatchObject({ asked: 2, won: 1 })
  expect(stage.script.keys()).toEqual(['new'])
  const [first] = await runsOf(stage, definitionId)
  expect(first).toMatchObject({ status: 'COMPLETED', startedAt: new Date(T0 + 30 * MINUTE) })
})

test('of several processes that prepared the same starts each run is started by one', async () => {
  const stage = await newStage()
  const others = [stage.newRunner({ worker: 'other:1' }), stage.newRunner({ worker: 'other:2' })]
  for (const other of others) other.start()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  const scopes = Array.from({ length: 20 }, (_, index) => `s${index}`)
  const runs = await Promise.all(
    scopes.map((scope) => stage.start(definitionId, { scope, scheduledFor: new Date(DUE) })),
  )
  const settle = () => Promise.all([stage.runner, ...others].map((runner) => stage.settle(runner)))
  await settle()
  const seen = watch(stage)
  stage.clock.moveTo(DUE)
  await settle()
  // Each asks for all that it prepared, and may read some of them once more.
  expect(seen.asked).toBeGreaterThanOrEqual(60)
  expect(seen.won).toBe(20)
  expect(stage.script.calls.map((call) => call.runId).sort()).toEqual(runs.map((runId) => `run_${runId}`).sort())
  for (const runId of runs) {
    expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
    expect((await stage.story(runId)).filter((line) => line === 'run.status STARTING')).toHaveLength(1)
  }
})

test('what a process that died right after a prepared start had in hand is taken back when its lease ends', async () => {
  const stage = await newStage()
  const { runId } = await waiting(stage)
  const { hot } = stage.db
  const [picture] = await readStarts(hot, { after: T0, until: DUE, limit: 1 })
  if (picture === undefined) throw new Error('The run is not ahead.')
  const draft = draftOf(picture)
  start(draft, DUE)
  const spec = await new Versions(hot).spec(picture.facts.versionId)
  progress(draft, { spec, now: DUE, mint: mintStep, mayDispatch: true, stallMs: MINUTE })
  const died = { draft, owner: 'dead:1#1', leaseUntil: DUE + 30_000 }
  expect(await startIfWaiting(hot, [died], DUE - 1)).toEqual([null])
  expect(await startIfWaiting(hot, [died], DUE)).not.toEqual([null])
  await stage.letPass(DUE + 29_999 - T0)
  expect(stage.script.calls).toEqual([])
  await stage.letPass(1)
  expect(stage.script.keys()).toEqual(['a', 'b'])
  expect(await stage.step(runId)).toMatchObject({ status: 'DONE', attempts: 2 })
  expect((await stage.story(runId)).slice(0, 7)).toEqual([
    'run.created',
    'run.status STARTING',
    'run.status RUNNING',
    'phase.entered',
    'phase.gate',
    'step.reclaimed',
    'step.status DONE',
  ])
})

test('a start that the database refuses to write so is made as any other', async () => {
  const stage = await newStage()
  const { runId } = await waiting(stage)
  stage.interpose((sql) => (isStart(sql) ? refused() : stage.send(sql)))
  await expectOnTime(stage, runId)
})

test('a start that the database refuses holds up none of those that were sent with it', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  const runIds: string[] = []
  for (const scope of ['x', 'y', 'z'])
    runIds.push(await stage.start(definitionId, { scope, scheduledFor: new Date(DUE) }))
  await stage.settle()
  const groups: number[] = []
  let won = 0
  stage.interpose(async (sql) => {
    if (!isStart(sql)) return stage.send(sql)
    groups.push(askedOf(sql).length)
    if (askedOf(sql).includes(runIds[1] ?? '')) return refused()
    const rows = await stage.send(sql)
    won += (rows as unknown[]).length
    return rows
  })
  await stage.letPass(DUE - T0)
  // It is tried once more, as it is due, and claimed then as anything else.
  expect(groups[0]).toBe(3)
  expect(groups.at(-1)).toBe(1)
  expect(won).toBe(2)
  expect(await stage.db.prisma.run.count({ where: { status: 'COMPLETED' } })).toBe(3)
})

test('runs with a concurrency key, and those that have no action to call at once, start as ever', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish(PHASES, { concurrencyKey: 'one-at-a-time' })
  const scheduledFor = new Date(DUE)
  const keyed = await stage.start(definitionId, { scheduledFor })
  const empty = await stage.publish([
    { key: 'one', steps: [] },
    { key: 'two', steps: [] },
  ])
  const idle = await stage.start(empty.definitionId, { scheduledFor })
  await stage.settle()
  const seen = watch(stage)
  await stage.letPass(DUE - T0)
  expect(seen.asked).toBe(0)
  expect(await stage.run(keyed)).toMatchObject({ status: 'RUNNING', startedAt: scheduledFor })
  expect(await stage.run(idle)).toMatchObject({ status: 'COMPLETED', startedAt: scheduledFor })
})

test('more starts than there is room for all come, the others when there is', async () => {
  const stage = await newStage({ runBatch: 4, runConcurrency: 4 })
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  const scopes = Array.from({ length: 11 }, (_, index) => `s${index}`)
  for (const scope of scopes) await stage.start(definitionId, { scope, scheduledFor: new Date(DUE) })
  await stage.settle()
  const seen = watch(stage)
  await stage.letPass(DUE - T0)
  // None of them took a claim's commit besides.
  expect(seen).toMatchObject({ asked: 11, won: 11 })
  expect(stage.script.calls).toHaveLength(11)
  expect(await stage.db.prisma.run.count({ where: { status: 'COMPLETED' } })).toBe(11)
})

test('a start that is due already takes one commit, too', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  await stage.settle()
  const seen = watch(stage)
  await stage.start(definitionId, {})
  await stage.settle()
  expect(seen).toMatchObject({ asked: 1, won: 1 })
  expect(stage.script.keys()).toEqual(['a'])
})

test('starts that crowd do not keep a run waiting that goes on', async () => {
  const stage = await newStage({ runBatch: 2, runConcurrency: 2 })
  const { definitionId } = await stage.publish([
    { key: 'one', steps: [{ key: 'first' }], advance: { after: '1m' } },
    { key: 'two', steps: [{ key: 'second' }] },
  ])
  const runId = await stage.start(definitionId, {})
  await stage.settle()
  const crowd = await stage.publish([{ key: 'one', steps: [{ key: 'crowd' }] }])
  for (let index = 0; index < 20; index += 1) {
    await stage.start(crowd.definitionId, { scope: `s${index}`, scheduledFor: new Date(T0 + MINUTE + index) })
  }
  await stage.settle()
  const taken: string[] = []
  stage.interpose((sql) => {
    const answer = stage.send(sql)
    if (!isStart(sql) && !isClaim(sql)) return answer
    return answer.then((rows) => {
      const asked = askedOf(sql)
      for (const row of rows as { run?: number; runId?: string }[])
        taken.push(row.runId ?? asked[(row.run ?? 0) - 1] ?? '')
      return rows
    })
  })
  stage.clock.moveTo(T0 + MINUTE + 20)
  await stage.settle()
  expect(new Set(taken).size).toBe(21)
  // After the one that was prepared and two passes of starts, each of two at most, in a claim of two.
  expect(taken).toContain(runId)
  expect(taken.indexOf(runId)).toBeLessThan(1 + 2 * 2 + 2)
})

test('a start that goes wrong here is no end of the loop: its run is taken over once its claim lapses', async () => {
  const stage = await newStage()
  const { runId } = await waiting(stage, [{ key: 'one', steps: [{ key: 'a' }] }])
  const next = await stage.start((await stage.publish(PHASES)).definitionId, { scheduledFor: new Date(DUE + MINUTE) })
  await stage.settle()
  stage.expectFaults(/"prepared starts" failed/)
  const action = stage.registry.action.bind(stage.registry)
  let asked = 0
  stage.registry.action = (id) => {
    asked += stage.clock.now() >= DUE ? 1 : 0
    // Once its claim is written, and what holds it is not.
    if (asked === 2) throw new Error('it cannot be told how long this takes')
    return action(id)
  }
  await stage.letPass(DUE - T0)
  expect(stage.script.calls).toEqual([])
  expect(stage.faults).toHaveLength(1)
  await stage.letPass(MINUTE)
  expect(await stage.run(next)).toMatchObject({ status: 'RUNNING' })
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
})
