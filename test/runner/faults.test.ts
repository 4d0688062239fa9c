import { expect, test } from 'vitest'
import { rescheduleRun } from '../../src/controls/runs.ts'
import { confirmCue, skipStep } from '../../src/controls/steps.ts'
import { MIRA, newStage, type Stage, T0 } from '../support/stage.ts'

const MINUTE = 60_000

/** Loses the answer of the runner's transitions that `which` chooses: the statement is carried out, its sender hears nothing. */
function loseAnswers(stage: Stage, which: (nth: number) => boolean): { lost: () => number } {
  const { send } = stage
  let nth = 0
  let lost = 0
  stage.interpose(async (sql) => {
    const answer = await send(sql)
    // A start is planned ahead by sending it for no run.
    const isTransition = sql.sql.includes('own AS MATERIALIZED') && sql.values[0] !== null
    if (!isTransition) return answer
    nth += 1
    if (!which(nth)) return answer
    lost += 1
    throw new Error('Connection terminated unexpectedly')
  })
  return { lost: () => lost }
}

/** The runner waits a moment before it asks again. */
async function recover(stage: Stage): Promise<void> {
  await stage.settle()
}

test('a group of transitions whose answer is lost strands none of its runs and calls no action twice', async () => {
  const stage = await newStage()
  const losing = loseAnswers(stage, (nth) => nth === 1)
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }, { key: 'b' }] }])
  const due = new Date(T0 + 1000)
  const runs: string[] = []
  for (const scope of ['p', 'q', 'r', 's']) runs.push(await stage.start(definitionId, { scope, scheduledFor: due }))
  await stage.letPass(1000)
  await recover(stage)
  expect(losing.lost()).toBe(1)
  for (const runId of runs) {
    const run = await stage.run(runId)
    expect(run).toMatchObject({ status: 'COMPLETED', claimedBy: null, inFlight: null })
    expect(run.steps.map((step) => step.attempts)).toEqual([1, 1])
  }
  expect(stage.script.calls).toHaveLength(8)
  expect((await stage.story(runs[0] ?? '')).filter((line) => line.includes('late'))).toEqual([])
  stage.expectFaults(/did not answer/)
})

test.each([1, 2, 3, 4])(
  'whichever transition of a run loses its answer (the %i.), each action is called once and the run ends',
  async (lostOne) => {
    const stage = await newStage()
    const losing = loseAnswers(stage, (nth) => nth === lostOne)
    const runId = await stage.play([
      { key: 'one', steps: [{ key: 'a' }, { key: 'b' }] },
      { key: 'two', steps: [{ key: 'c' }] },
    ])
    await recover(stage)
    expect(losing.lost()).toBe(1)
    expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', claimedBy: null, inFlight: null })
    expect(stage.script.keys()).toEqual(['a', 'b', 'c'])
    const lines = await stage.log(runId)
    expect(lines.map((line) => line.line)).toEqual(lines.map((_, index) => index + 1))
    expect(lines.filter((line) => line.kind === 'step.late')).toEqual([])
    stage.expectFaults(/did not answer/)
  },
)

test('an action called after a lost answer keeps its lease for as long as it takes', async () => {
  const stage = await newStage()
  loseAnswers(stage, (nth) => nth === 2)
  const hung = stage.script.hang('b')
  const { definitionId } = await stage.publish([
    { key: 'one', steps: [{ key: 'a' }, { key: 'b', actionId: 'test.slow' }] },
  ])
  const runId = await stage.start(definitionId)
  await stage.runner.idle()
  stage.clock.moveBy(1000)
  await hung.called
  const other = stage.newRunner({ worker: 'other' })
  other.start()
  for (let minute = 0; minute < 3 * 6; minute += 1) {
    stage.clock.moveBy(10_000)
    await stage.renewed(runId)
  }
  await other.idle()
  expect(stage.script.keys()).toEqual(['a', 'b'])
  hung.answer({ ok: true })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  stage.expectFaults(/did not answer/)
})

test('a claim that fails harms no other claim of the pass', async () => {
  const stage = await newStage()
  const { send } = stage
  let failures = 0
  stage.interpose((sql) => {
    if (!sql.sql.includes('AS any') || failures > 0) return send(sql)
    failures += 1
    throw new Error('Connection terminated unexpectedly')
  })
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  const runId = await stage.start(definitionId)
  await stage.until(runId, 'COMPLETED')
  expect(failures).toBe(1)
  stage.expectFaults(/keyed starts/)
})

test('a due run whose row somebody holds is looked at again at once', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  const runId = await stage.start(definitionId, { scheduledFor: new Date(T0 + 1000) })
  await stage.settle()
  const done = stage.until(runId, 'COMPLETED')
  await stage.db.prisma.$transaction(async (session) => {
    await session.$queryRaw`SELECT 1 FROM runs WHERE id = ${runId}::uuid FOR UPDATE`
    stage.clock.moveBy(1000)
    await stage.passes(2)
  })
  await done
})

test('an instant that comes while the runner is busy with a pass is not slept over', async () => {
  const stage = await newStage()
  const { send } = stage
  let moved = false
  stage.interpose(async (sql) => {
    const answer = await send(sql)
    // Between the claims of a pass and its look at what is next.
    if (sql.sql.includes('"heldBy", h.status') && stage.clock.now() >= T0 + 998 && !moved) {
      moved = true
      stage.clock.moveBy(2)
    }
    return answer
  })
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  const runId = await stage.start(definitionId, { scheduledFor: new Date(T0 + 1000) })
  await stage.settle()
  stage.clock.moveBy(998)
  stage.runner.wake()
  await stage.until(runId, 'COMPLETED')
  expect(moved).toBe(true)
})

test('a control that was answered as done while its run was being claimed is not lost', async () => {
  const stage = await newStage()
  const wait = { actionId: 'core.wait', params: { for: '10m' } }
  const skipped = await stage.play([{ key: 'one', steps: [wait, { key: 'a' }, { key: 'b' }] }])
  const confirmed = await stage.play([
    { key: 'one', steps: [{ actionId: 'core.cue', params: { instruction: 'Go' } }], advance: { after: '10m' } },
  ])
  const { send } = stage
  let used = false
  stage.interpose(async (sql) => {
    const answer = await send(sql)
    if (sql.sql.includes('claimed AS') && stage.clock.now() >= T0 + 10 * MINUTE && !used) {
      used = true
      expect(await skipStep(stage.ctx, MIRA, { stepId: (await stage.step(skipped, 1)).id, reason: 'no' })).toEqual({
        stepId: expect.any(String),
      })
      expect(await confirmCue(stage.ctx, MIRA, { stepId: (await stage.step(confirmed)).id })).toEqual({
        stepId: expect.any(String),
      })
    }
    return answer
  })
  await stage.letPass(10 * MINUTE)
  await stage.letPass(MINUTE)
  expect(used).toBe(true)
  expect(await stage.run(skipped)).toMatchObject({ status: 'COMPLETED' })
  expect(await stage.run(confirmed)).toMatchObject({ status: 'COMPLETED' })
  expect(stage.script.keys()).toEqual(['b'])
})

test('a keyed start that was rescheduled while it was chosen does not start', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }], { concurrencyKey: 'k' })
  const runId = await stage.start(definitionId, { scheduledFor: new Date(T0 + 1000) })
  const { send } = stage
  let used = false
  const reschedule = async (answer: unknown) => {
    used = true
    const moved = await rescheduleRun(stage.ctx, MIRA, { runId, scheduledFor: new Date(T0 + 86_400_000) })
    expect(moved).toEqual({ runId })
    return answer
  }
  stage.interpose((sql) => {
    const isLook = sql.sql.includes('AS any') && stage.clock.now() >= T0 + 1000 && !used
    return isLook ? send(sql).then(reschedule) : send(sql)
  })
  await stage.letPass(1000)
  expect(used).toBe(true)
  expect(await stage.run(runId)).toMatchObject({ status: 'SCHEDULED' })
})

test('text that the database refuses fails the step that brought it and strands nobody else in its group', async () => {
  const stage = await newStage()
  const { send } = stage
  // A value that PostgreSQL refuses, put in where our own cleaning would have kept it out.
  stage.interpose((sql) => {
    const values = sql.values.map((value) => (typeof value === 'string' ? value.replaceAll('REFUSE-ME', '\0') : value))
    return send(Object.assign(Object.create(Object.getPrototypeOf(sql)), sql, { values }))
  })
  stage.expectFaults(/refused what a step/)
  stage.script.answers('bad', { ok: true, output: { text: 'REFUSE-ME' } })
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'bad' }] }])
  const { definitionId: good } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  const runs = [await stage.start(definitionId), await stage.start(good), await stage.start(good, { scope: 'x' })]
  await stage.settle()
  expect((await Promise.all(runs.map(async (runId) => (await stage.run(runId)).status))).sort()).toEqual([
    'COMPLETED',
    'COMPLETED',
    'PAUSED',
  ])
  expect((await stage.step(runs[0] ?? '')).lastError).toBe(
    "What it brought cannot be stored; see the server's log for why, and correct the action.",
  )
})
