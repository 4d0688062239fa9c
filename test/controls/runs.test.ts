import { expect, test } from 'vitest'
import { advancePhase, cancelRun, pauseRun, rescheduleRun, resumeRun } from '../../src/controls/runs.ts'
import { startRun } from '../../src/controls/start.ts'
import { confirmCue } from '../../src/controls/steps.ts'
import { MIRA, newStage, T0, TOM } from '../support/stage.ts'

const CUE = { actionId: 'core.cue', params: { instruction: 'Go' } }

test('twenty simultaneous starts of one occurrence make one run', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [CUE] }])
  const scheduledFor = new Date(T0 + 1000)
  const results = await Promise.all(
    Array.from({ length: 20 }, () => startRun(stage.ctx, MIRA, { definitionId, scheduledFor })),
  )
  expect(results.filter((result) => result.error === undefined && result.created)).toHaveLength(1)
  expect(new Set(results.map((result) => (result.error === undefined ? result.runId : result.message))).size).toBe(1)
  expect(await stage.db.prisma.run.count()).toBe(1)
})

test('the same occurrence in another scope is another run, and rehearsals are outside the keys', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [CUE] }])
  const scheduledFor = new Date(T0 + 1000)
  for (const input of [{}, { scope: 'a' }, { rehearsal: true }, { rehearsal: true }]) {
    expect(await startRun(stage.ctx, MIRA, { definitionId, scheduledFor, ...input })).toMatchObject({ created: true })
  }
})

test('a second attempt answers the existing run with its own params', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [CUE] }], {
    parameters: [{ name: 'region', label: 'Region', type: 'TEXT', required: false }],
  })
  const scheduledFor = new Date(T0 + 1000)
  const first = await stage.start(definitionId, { scheduledFor, params: { region: 'Yew' } })
  expect(await startRun(stage.ctx, TOM, { definitionId, scheduledFor, params: { region: 'Trinsic' } })).toEqual({
    created: false,
    runId: first,
  })
  expect(await stage.run(first)).toMatchObject({ params: { region: 'Yew' }, startedByName: 'Mira' })
})

test('a requestId makes "start now" safe to send again, and different arguments a conflict', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [CUE] }])
  const first = await stage.start(definitionId, { requestId: 'r1' })
  stage.clock.moveBy(5000)
  expect(await startRun(stage.ctx, MIRA, { definitionId, requestId: 'r1' })).toEqual({ created: false, runId: first })
  expect(await startRun(stage.ctx, MIRA, { definitionId, requestId: 'r1', scope: 'a' })).toMatchObject({
    error: 'CONFLICT',
    runId: first,
  })
  expect(await startRun(stage.ctx, MIRA, { definitionId, requestId: 'r2' })).toMatchObject({ created: true })
})

test('a repeat is answered with the first run whatever changed since, its grace window too', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [CUE] }], { graceSeconds: 10 })
  const scheduledFor = new Date(T0 + 1000)
  const input = { definitionId, scheduledFor, requestId: 'r1' }
  const first = await stage.start(definitionId, input)
  stage.clock.moveBy(3_600_000)
  const { requestId: _, ...occurrence } = input
  expect(await startRun(stage.ctx, MIRA, input)).toEqual({ created: false, runId: first })
  expect(await startRun(stage.ctx, MIRA, occurrence)).toEqual({ created: false, runId: first })
  await stage.db.prisma.definition.update({ where: { id: definitionId }, data: { state: 'ARCHIVED' } })
  expect(await startRun(stage.ctx, MIRA, input)).toEqual({ created: false, runId: first })
})

test('the last instant there is can be started at', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [CUE] }])
  const scheduledFor = new Date('9999-12-31T23:59:59.999Z')
  expect(await startRun(stage.ctx, MIRA, { definitionId, scheduledFor })).toMatchObject({ created: true })
})

test('a start that cannot be is refused by name', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [CUE] }], {
    graceSeconds: 60,
    parameters: [{ name: 'level', label: 'Level', type: 'INTEGER', required: true }],
  })
  const bad = await startRun(stage.ctx, MIRA, {
    definitionId,
    scope: 'x'.repeat(191),
    scheduledFor: new Date(T0 - 60_001),
    params: { level: 'high', colour: 'red' },
  })
  expect(bad).toMatchObject({ error: 'INVALID_INPUT' })
  const paths = bad.error === 'INVALID_INPUT' ? bad.issues.map((issue) => issue.path) : []
  expect(paths.sort()).toEqual(['params.colour', 'params.level', 'scheduledFor', 'scope'])
  const gone = '00000000-0000-7000-8000-000000000000'
  expect(await startRun(stage.ctx, MIRA, { definitionId: gone })).toMatchObject({ error: 'NOT_FOUND' })
  await stage.db.prisma.definition.update({ where: { id: definitionId }, data: { state: 'ARCHIVED' } })
  expect(await startRun(stage.ctx, MIRA, { definitionId, params: { level: 1 } })).toMatchObject({
    error: 'CONFLICT',
    definitionId,
  })
})

test('a pause in the middle of a batch takes effect before the next dispatch', async () => {
  const stage = await newStage()
  const steps = Array.from({ length: 10 }, (_, index) => ({ key: `s${index}` }))
  const { definitionId } = await stage.publish([{ key: 'one', steps }])
  let runId = ''
  stage.script.on('s3', async () => {
    await pauseRun(stage.ctx, MIRA, { runId, reason: 'wait for me' })
    return { ok: true }
  })
  runId = await stage.start(definitionId)
  await stage.settle()
  expect(stage.script.keys()).toEqual(['s0', 's1', 's2', 's3'])
  expect(await stage.run(runId)).toMatchObject({ status: 'PAUSED', claimedBy: null })
  await resumeRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(stage.script.keys()).toEqual(steps.map((step) => step.key))
  expect(
    (await stage.log(runId))
      .filter((line) => line.kind === 'run.control')
      .map((line) => [line.actorName, line.detail, line.text]),
  ).toEqual([
    [
      'Mira',
      { control: 'PAUSE', from: 'RUNNING', to: 'PAUSED', reason: 'wait for me' },
      'Mira paused the run: wait for me.',
    ],
    ['Mira', { control: 'RESUME', from: 'PAUSED', to: 'RUNNING' }, 'Mira resumed the run.'],
  ])
})

test('cancelling ends the run for good, with what was open', async () => {
  const stage = await newStage()
  const runId = await stage.play([
    { key: 'one', steps: [CUE, { key: 'a' }] },
    { key: 'two', steps: [{ key: 'b' }] },
  ])
  expect(await cancelRun(stage.ctx, MIRA, { runId, reason: 'server fire' })).toEqual({ runId })
  const run = await stage.run(runId)
  expect(run).toMatchObject({
    status: 'CANCELLED',
    endedBecause: 'Mira cancelled it: server fire',
    endedByName: 'Mira',
    endedAt: new Date(T0),
  })
  expect(run.steps.map((step) => [step.status, step.parked])).toEqual([
    ['CANCELLED', false],
    ['CANCELLED', false],
  ])
  expect((await stage.log(runId)).at(-1)?.detail).toEqual({
    control: 'CANCEL',
    from: 'RUNNING',
    to: 'CANCELLED',
    reason: 'server fire',
    cancelledSteps: 2,
  })
  await stage.letPass(86_400_000)
  expect(stage.script.keys()).toEqual([])
})

test('of twenty people who pause and cancel at once, each is answered, and the log has each fact once', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE] }])
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? pauseRun : cancelRun)(stage.ctx, MIRA, { runId })),
  )
  const won = results.filter((result) => result.error === undefined).length
  const controls = (await stage.log(runId)).filter((line) => line.kind === 'run.control')
  expect(controls).toHaveLength(won)
  expect(controls.filter((line) => (line.detail as { control: string }).control === 'CANCEL')).toHaveLength(1)
  expect(await stage.run(runId)).toMatchObject({ status: 'CANCELLED' })
})

test('a rescheduled run starts at its new instant and keeps its identity', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }], { graceSeconds: 60 })
  const runId = await stage.start(definitionId, { scheduledFor: new Date(T0 + 60_000) })
  const before = await stage.run(runId)
  expect(await rescheduleRun(stage.ctx, MIRA, { runId, scheduledFor: new Date(T0 - 100_000) })).toMatchObject({
    error: 'INVALID_INPUT',
    issues: [{ path: 'scheduledFor' }],
  })
  expect(await rescheduleRun(stage.ctx, MIRA, { runId, scheduledFor: new Date(T0 + 600_000), reason: 'late' })).toEqual(
    { runId },
  )
  await stage.letPass(599_999)
  const run = await stage.run(runId)
  expect(run).toMatchObject({
    status: 'SCHEDULED',
    occurrenceKey: before.occurrenceKey,
    occurrenceAt: before.occurrenceAt,
    moved: true,
  })
  await stage.letPass(1)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', startedAt: new Date(T0 + 600_000) })
  expect(await rescheduleRun(stage.ctx, MIRA, { runId, scheduledFor: new Date(T0 + 900_000) })).toMatchObject({
    error: 'CONFLICT',
  })
})

test('forcing a gate lets the phase go once its steps are done, and is logged once', async () => {
  const stage = await newStage()
  const runId = await stage.play([
    { key: 'one', steps: [CUE], advance: { after: '1h' } },
    { key: 'two', steps: [{ key: 'a' }], advance: { after: '1h' } },
  ])
  stage.clock.moveBy(60_000)
  expect(await advancePhase(stage.ctx, MIRA, { runId, phase: 'one', reason: ' ' })).toMatchObject({
    issues: [{ path: 'reason' }],
  })
  expect(await advancePhase(stage.ctx, MIRA, { runId, phase: 'two', reason: 'go' })).toMatchObject({
    error: 'CONFLICT',
  })
  expect(await advancePhase(stage.ctx, MIRA, { runId, phase: 'one', reason: 'go' })).toEqual({ runId })
  expect(await advancePhase(stage.ctx, TOM, { runId, phase: 'one', reason: 'go' })).toMatchObject({ error: 'CONFLICT' })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ currentPhase: 'one', status: 'RUNNING' })
  await confirmCue(stage.ctx, MIRA, { stepId: (await stage.step(runId)).id })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ currentPhase: 'two' })
  const advanced = (await stage.log(runId)).filter((line) => line.kind === 'phase.advanced')
  expect(advanced.map((line) => [line.actorName, line.detail])).toEqual([
    ['Mira', { because: 'FORCED', waitedSeconds: 60, reason: 'go' }],
  ])
  expect((await stage.run(runId)).gates[0]).toMatchObject({ openedBy: 'FORCED', openedByName: 'Mira', reason: 'go' })
})

test('a gate that is forced was opened at the instant of its line, though time goes on meanwhile', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE], advance: { after: '1h' } }])
  let now = stage.clock.now()
  const ctx = { ...stage.ctx, clock: { ...stage.ctx.clock, now: () => (now += 1000) } }
  expect(await advancePhase(ctx, MIRA, { runId, phase: 'one', reason: 'go' })).toEqual({ runId })
  const line = (await stage.log(runId)).find(({ kind }) => kind === 'phase.advanced')
  expect(line?.at).toBeInstanceOf(Date)
  expect((await stage.run(runId)).gates[0]?.openedAt).toEqual(line?.at)
})

test('who advances too late is told what opened the gate', async () => {
  const stage = await newStage()
  const runId = await stage.play([
    { key: 'one', steps: [CUE], advance: { trigger: { on: 'test.slain' } } },
    { key: 'two', steps: [CUE], advance: { after: '1h' } },
    { key: 'three', steps: [] },
  ])
  const late = async (phase: string) => {
    const answer = await advancePhase(stage.ctx, TOM, { runId, phase, reason: 'go' })
    // No person was first.
    expect(answer).toMatchObject({ error: 'CONFLICT', lastControl: null })
    return answer.error === 'CONFLICT' ? answer.message : null
  }
  const confirm = async (phaseIndex: number) => {
    await confirmCue(stage.ctx, MIRA, { stepId: (await stage.step(runId, 0, phaseIndex)).id })
    await stage.settle()
  }
  expect(await late('two')).toContain('Phase "two" is not the current one: "one" is. Advance that, or leave it.')
  await stage.emit()
  stage.clock.moveBy(2000)
  expect(await late('one')).toMatch(/ that is not open\. test\.slain opened the gate of phase "one" 2 s ago\.$/)
  await confirm(0)
  expect(await late('one')).toMatch(/leave it\. test\.slain opened the gate of phase "one" 2 s ago\.$/)
  await stage.letPass(3_600_000)
  expect(await late('two')).toMatch(/ Its time opened the gate of phase "two" just now\.$/)
  await confirm(1)
  expect(await late('two')).toMatch(/^The run is COMPLETED; .* Its time opened the gate of phase "two" just now\.$/)
  expect(await late('one')).toMatch(
    /^The run is COMPLETED; .* test\.slain opened the gate of phase "one" 1 h[^.]* ago\.$/,
  )
  expect(await late('three')).toMatch(/^The run is COMPLETED; this needs [^.]+\.$/)
})

test('who advances after another person, or a run that was cancelled, is told who was first', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE], advance: { after: '1h' } }])
  const late = () => advancePhase(stage.ctx, TOM, { runId, phase: 'one', reason: 'go' })
  await advancePhase(stage.ctx, MIRA, { runId, phase: 'one', reason: 'go' })
  await pauseRun(stage.ctx, TOM, { runId })
  expect(await late()).toMatchObject({ message: expect.stringMatching(/ Mira advanced this just now\.$/) })
  stage.clock.moveBy(1000)
  await cancelRun(stage.ctx, TOM, { runId })
  stage.clock.moveBy(3_600_000)
  expect(await late()).toMatchObject({
    message: expect.stringMatching(/^The run is CANCELLED; .* Mira advanced this 1 h[^.]* ago\.$/),
    lastControl: { action: 'ADVANCE', actor: MIRA },
  })
  const closed = await stage.play([{ key: 'one', steps: [CUE], advance: { after: '1h' } }])
  await cancelRun(stage.ctx, MIRA, { runId: closed })
  expect(await advancePhase(stage.ctx, TOM, { runId: closed, phase: 'one', reason: 'go' })).toMatchObject({
    message: expect.stringMatching(/ Mira cancelled this just now\.$/),
    lastControl: { action: 'CANCEL', actor: MIRA },
  })
})

test('a run that is not there is not found', async () => {
  const stage = await newStage()
  expect(await pauseRun(stage.ctx, MIRA, { runId: '00000000-0000-7000-8000-000000000000' })).toMatchObject({
    error: 'NOT_FOUND',
  })
})

test('a control waits for no list: all connections that those have may be taken', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [CUE] }])
  const lists = await stage.db.patient.$transaction(async (blocker) => {
    await blocker.$queryRaw`SELECT pg_advisory_xact_lock(1)::text`
    const held = Array.from(
      { length: 10 },
      async () => stage.db.prisma.$queryRaw`SELECT pg_advisory_xact_lock(1)::text`,
    )
    expect(await pauseRun(stage.ctx, MIRA, { runId })).toEqual({ runId })
    return held
  })
  await Promise.all(lists)
})

test('a control waits for a connection as long as others wait for a lock', async () => {
  const stage = await newStage()
  const [held, other] = [
    await stage.play([{ key: 'one', steps: [CUE] }]),
    await stage.play([{ key: 'one', steps: [CUE] }]),
  ]
  const asked = await stage.db.patient.$transaction(async (blocker) => {
    await blocker.$queryRaw`SELECT 1 FROM runs WHERE id = ${held}::uuid FOR UPDATE`
    const pauses = Array.from({ length: 8 }, () => pauseRun(stage.ctx, MIRA, { runId: held }))
    const pause = pauseRun(stage.ctx, MIRA, { runId: other })
    // Longer than Prisma has a transaction wait of its own accord.
    await blocker.$queryRaw`SELECT pg_sleep(2.5)::text`
    return { pauses, pause }
  })
  expect(await asked.pause).toEqual({ runId: other })
  const answers = await Promise.all(asked.pauses)
  expect(answers.filter(({ error }) => error === undefined)).toHaveLength(1)
})
