import { expect, test } from 'vitest'
import { newStage, T0 } from '../support/stage.ts'

test('a manually started event announces, waits and completes, and its log tells it in order', async () => {
  const stage = await newStage()
  const runId = await stage.play([
    {
      key: 'assault',
      label: 'The assault',
      steps: [
        { key: 'announce', label: 'Announce', actionId: 'test.notify' },
        { actionId: 'core.wait', params: { for: '30m' } },
        { key: 'spawn', label: 'Spawn' },
      ],
    },
    { key: 'end', steps: [{ key: 'cheer' }] },
  ])
  expect(stage.script.keys()).toEqual(['announce'])
  expect((await stage.step(runId, 2)).dueAt).toEqual(new Date(T0 + 1_800_000))
  await stage.letPass(1_799_999)
  expect(stage.script.keys()).toEqual(['announce'])
  await stage.letPass(1)
  expect(stage.script.keys()).toEqual(['announce', 'spawn', 'cheer'])
  const run = await stage.run(runId)
  expect(run).toMatchObject({ status: 'COMPLETED', health: 'OK', claimedBy: null, leaseUntil: null, inFlight: null })
  expect(run.endedAt).toEqual(new Date(T0 + 1_800_000))
  expect(await stage.story(runId)).toEqual([
    'run.created',
    'run.status STARTING',
    'run.status RUNNING',
    'phase.entered',
    'step.status DONE',
    'step.status DONE',
    'step.status DONE',
    'phase.completed',
    'phase.entered',
    'step.status DONE',
    'phase.completed',
    'run.status ENDING',
    'run.status COMPLETED',
  ])
  const lines = await stage.log(runId)
  expect(lines.map((line) => line.line)).toEqual(lines.map((_, index) => index + 1))
  expect(run.lastLine).toBe(lines.length)
})

test('the first phase can be seen before the start, and a future start waits for its instant', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([
    { key: 'one', steps: [{ key: 'a' }, { key: 'b' }] },
    { key: 'two', steps: [{ key: 'c' }] },
  ])
  const runId = await stage.start(definitionId, { scheduledFor: new Date(T0 + 60_000) })
  await stage.settle()
  expect((await stage.run(runId)).steps.map((step) => [step.phase, step.status])).toEqual([
    ['one', 'PENDING'],
    ['one', 'PENDING'],
  ])
  await stage.letPass(59_999)
  expect(await stage.run(runId)).toMatchObject({ status: 'SCHEDULED' })
  await stage.letPass(1)
  const run = await stage.run(runId)
  expect(run).toMatchObject({ status: 'COMPLETED', startedAt: new Date(T0 + 60_000) })
  expect(run.steps.map((step) => step.phase)).toEqual(['one', 'one', 'two'])
})

test('each step is called once with the envelope of its run, and its key never varies', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ params: { key: 'spawn in {region}' } }] }], {
    parameters: [{ name: 'region', label: 'Region', type: 'TEXT', required: true }],
  })
  const runId = await stage.start(definitionId, { scope: 'shard-1', params: { region: 'Yew' } })
  await stage.settle()
  const step = await stage.step(runId)
  expect(stage.script.calls).toEqual([
    {
      key: 'spawn in Yew',
      runId: `run_${runId}`,
      stepId: `step_${step.id}`,
      scope: 'shard-1',
      params: { key: 'spawn in Yew' },
      actor: { kind: 'user', name: 'Mira' },
      idempotencyKey: step.idempotencyKey,
      verify: false,
    },
  ])
  expect(step.idempotencyKey).toMatch(/^[0-9a-f]{40}$/)
})

test('an event of empty phases completes', async () => {
  const stage = await newStage()
  const runId = await stage.play([
    { key: 'one', steps: [] },
    { key: 'two', steps: [] },
  ])
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
})

test('a start that the server slept through becomes MISSED, with its steps cancelled', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }, { key: 'b' }] }], {
    graceSeconds: 60,
  })
  const [late, missed] = [
    await stage.start(definitionId, { scheduledFor: new Date(T0 + 1_060_000) }),
    await stage.start(definitionId, { scheduledFor: new Date(T0 + 1_000_000) }),
  ]
  await stage.settle()
  await stage.runner.stop()
  stage.clock.moveTo(T0 + 1_100_000)
  stage.runner = stage.newRunner()
  stage.runner.start()
  await stage.settle()
  await stage.runner.stop()
  expect(await stage.run(late)).toMatchObject({ status: 'COMPLETED' })
  const run = await stage.run(missed)
  expect(run).toMatchObject({ status: 'MISSED', missedReason: 'NOT_RUNNING', startedAt: null })
  expect(run.steps.map((step) => step.status)).toEqual(['CANCELLED', 'CANCELLED'])
  expect((await stage.log(missed)).at(-1)).toMatchObject({
    kind: 'run.status',
    detail: { from: 'SCHEDULED', to: 'MISSED', cancelledSteps: 2 },
  })
})

test('a run found in ENDING after a crash is finished by the next pass', async () => {
  const stage = await newStage()
  const runId = await stage.play([
    { key: 'one', steps: [{ actionId: 'core.cue', params: { instruction: 'Open the gate' } }] },
  ])
  await stage.db.prisma.run.update({ where: { id: runId }, data: { status: 'ENDING', wakeAt: new Date(T0) } })
  stage.runner.wake()
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', endedAt: new Date(T0) })
})

test('a pinned version that cannot be read fails the run with a sentence, once', async () => {
  const stage = await newStage()
  const { definitionId, versionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  // Further ahead than the runner reads.
  const runId = await stage.start(definitionId, { scheduledFor: new Date(T0 + 60_000) })
  await stage.db.prisma.version.update({ where: { id: versionId }, data: { spec: { nonsense: true } } })
  await stage.letPass(65_000)
  const run = await stage.run(runId)
  expect(run).toMatchObject({ status: 'FAILED', wakeAt: null })
  expect(run.endedBecause).toContain('cannot be read')
  expect((await stage.story(runId)).filter((line) => line === 'run.status FAILED')).toHaveLength(1)
  expect(run.steps.map((step) => step.status)).toEqual(['CANCELLED'])
})

test('a phase with an after gate waits for its instant, and says that the gate was what was waited for', async () => {
  const stage = await newStage()
  const runId = await stage.play([
    { key: 'one', steps: [{ key: 'a' }], advance: { after: '10m' } },
    { key: 'two', steps: [{ key: 'b' }], advance: { after: '10m' } },
    {
      key: 'three',
      steps: [{ actionId: 'core.wait', params: { for: '20m' } }, { key: 'c' }],
      advance: { after: '10m' },
    },
  ])
  await stage.letPass(599_999)
  expect(await stage.run(runId)).toMatchObject({ currentPhase: 'one', status: 'RUNNING' })
  await stage.letPass(1)
  expect(await stage.run(runId)).toMatchObject({ currentPhase: 'two' })
  await stage.letPass(1_800_000)
  const run = await stage.run(runId)
  expect(run).toMatchObject({ status: 'COMPLETED', endedAt: new Date(T0 + 2_400_000) })
  expect(run.gates.map((gate) => [gate.phase, gate.openedBy, gate.openedAt?.getTime()])).toEqual([
    ['one', 'ELAPSED', T0 + 600_000],
    ['two', 'ELAPSED', T0 + 1_200_000],
    ['three', 'ELAPSED', T0 + 1_800_000],
  ])
  // The third gate opened while a step was still held: it was not what the phase waited for.
  const advanced = (await stage.log(runId)).filter((line) => line.kind === 'phase.advanced')
  expect(advanced.map((line) => [line.phase, line.detail])).toEqual([
    ['one', { because: 'ELAPSED', waitedSeconds: 600 }],
    ['two', { because: 'ELAPSED', waitedSeconds: 600 }],
  ])
})

test('a run gives others their turn after so many steps, and loses nothing by it', async () => {
  const stage = await newStage({ stepsPerPass: 2, runConcurrency: 1 })
  const steps = (name: string) => Array.from({ length: 5 }, (_, index) => ({ key: `${name}${index}` }))
  const [first, second] = [
    await stage.publish([{ key: 'one', steps: steps('a') }]),
    await stage.publish([{ key: 'one', steps: steps('b') }]),
  ]
  const runs = [await stage.start(first.definitionId), await stage.start(second.definitionId)]
  await stage.settle()
  for (const runId of runs) expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  expect(stage.script.keys().slice().sort()).toEqual([...steps('a'), ...steps('b')].map((step) => step.key))
  const firstOfB = stage.script.keys().indexOf('b0')
  expect(stage.script.keys().slice(0, firstOfB).length).toBeLessThan(5)
})

test('logs of ended runs are pruned after the retention, and the runs stay', async () => {
  const stage = await newStage({ logRetentionDays: 90 })
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }] }])
  await stage.letPass(90 * 86_400_000 - 1)
  expect(await stage.log(runId)).not.toHaveLength(0)
  await stage.letPass(3_600_000)
  stage.runner.wake()
  await stage.settle()
  expect(await stage.log(runId)).toHaveLength(0)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
})

test('a rehearsal calls what supports verification, tells the rest that it was not called, and keeps its holds', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([
    {
      key: 'one',
      steps: [
        { key: 'spawn' },
        { actionId: 'core.wait', params: { for: '1m' } },
        { actionId: 'core.cue', params: { instruction: 'Go' } },
      ],
    },
  ])
  const runId = await stage.start(definitionId, { rehearsal: true })
  await stage.settle()
  expect(stage.script.calls).toEqual([])
  expect((await stage.step(runId, 2)).dueAt).toEqual(new Date(T0 + 60_000))
  await stage.letPass(60_000)
  expect(await stage.step(runId, 2)).toMatchObject({ status: 'RUNNING', parked: true, instruction: 'Go' })
  const [first] = (await stage.log(runId)).filter((line) => line.kind === 'step.status')
  expect(first?.text).toContain('rehearsed, not called')
})

test('those who watch cues are told of the steps that wait for a person, and of nothing else that runs do', async () => {
  const stage = await newStage()
  let told = 0
  stage.changes.onCues(() => told++)
  await stage.play([
    { key: 'one', steps: [{ key: 'a' }, { key: 'b', onFailure: 'PAUSE' }] },
    { key: 'two', steps: [{ key: 'c' }] },
  ])
  expect(told).toBe(0)
  const runId = await stage.play([{ key: 'one', steps: [{ actionId: 'core.cue', params: { instruction: 'Go' } }] }])
  expect(told).toBe(1)
  expect(await stage.step(runId)).toMatchObject({ parked: true })
})
