import { expect, test } from 'vitest'
import { resumeRun } from '../../src/controls/runs.ts'
import { MIRA, newStage, T0 } from '../support/stage.ts'

const steps = [{ key: 'first', label: 'First' }, { key: 'second' }]

test.each([
  ['a refusal to try again', { ok: false, retry: false, error: 'no such boss' }],
  ['a hold that is negative', { ok: true, holdFor: -1 }],
  ['a hold that is no number', { ok: true, holdFor: 'soon' }],
])('%s fails the step at once', async (_name, answer) => {
  const stage = await newStage()
  stage.script.answers('first', answer)
  const runId = await stage.play([{ key: 'one', steps }])
  expect(await stage.step(runId)).toMatchObject({ status: 'FAILED', attempts: 1 })
  expect(await stage.run(runId)).toMatchObject({ status: 'PAUSED', health: 'DEGRADED' })
})

test.each([
  ['{ok: false}', () => ({ ok: false, error: 'busy' }), 'busy'],
  ['a throw', () => Promise.reject(new Error('connection reset')), 'connection reset'],
  ['a throw of no error', () => Promise.reject('just so'), 'just so'],
  ['nothing', () => undefined, 'unusable'],
  ['null', () => null, 'unusable'],
  ['a string', () => 'ok', 'unusable'],
  ['an array', () => [true], 'unusable'],
  ['an empty object', () => ({}), 'unusable'],
  ["{ok: 'yes'}", () => ({ ok: 'yes' }), 'unusable'],
])(
  '%s is tried again after a flat backoff, and fails the step when attempts are spent',
  async (_name, perform, error) => {
    const stage = await newStage()
    stage.script.on('first', perform)
    const runId = await stage.play([{ key: 'one', steps }])
    expect(await stage.step(runId)).toMatchObject({
      status: 'PENDING',
      attempts: 1,
      dueAt: new Date(T0 + 60_000),
      held: false,
    })
    expect(await stage.run(runId)).toMatchObject({ status: 'RUNNING', health: 'DEGRADED' })
    await stage.letPass(59_999)
    expect(stage.script.calls).toHaveLength(1)
    await stage.letPass(60_001)
    expect(stage.script.keys()).toEqual(['first', 'first', 'first'])
    const step = await stage.step(runId)
    expect(step).toMatchObject({ status: 'FAILED', attempts: 3 })
    expect(step.lastError).toContain(error)
    expect(new Set(stage.script.calls.map((call) => call.idempotencyKey)).size).toBe(1)
    expect((await stage.story(runId)).filter((line) => /step|health|PAUSED/.test(line))).toEqual([
      'step.retry',
      'run.health DEGRADED',
      'step.retry',
      'step.status FAILED',
      'run.status PAUSED',
    ])
  },
)

test('an action that does not answer within its budget has failed in that attempt', async () => {
  const stage = await newStage()
  const { called } = stage.script.hang('first')
  const { definitionId } = await stage.publish([{ key: 'one', steps }])
  const runId = await stage.start(definitionId)
  await called
  stage.clock.moveBy(9_999)
  expect(stage.runner.calls.size).toBe(1)
  stage.clock.moveBy(1)
  await stage.settle()
  expect(await stage.step(runId)).toMatchObject({ status: 'PENDING', attempts: 1, dueAt: new Date(T0 + 70_000) })
  expect((await stage.step(runId)).lastError).toContain('10 s')
})

test('SKIP goes on behind the step that failed', async () => {
  const stage = await newStage()
  stage.script.answers('first', { ok: false, retry: false, error: 'no' })
  const runId = await stage.play([{ key: 'one', steps: [{ ...steps[0], onFailure: 'SKIP' }, { key: 'second' }] }])
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', health: 'DEGRADED' })
  expect((await stage.run(runId)).steps.map((step) => step.status)).toEqual(['FAILED', 'DONE'])
})

test('PAUSE stops the run with the error, and resuming goes on after the step that failed', async () => {
  const stage = await newStage()
  stage.script.answers('first', { ok: false, retry: false, error: 'no such boss' })
  const runId = await stage.play([{ key: 'one', steps }])
  const run = await stage.run(runId)
  expect(run).toMatchObject({ status: 'PAUSED' })
  expect(run.lastError).toBe('"First" (test.change) failed: no such boss')
  await stage.letPass(86_400_000)
  expect(stage.script.keys()).toEqual(['first'])
  await resumeRun(stage.ctx, MIRA, { runId })
  await stage.settle()
  expect(stage.script.keys()).toEqual(['first', 'second'])
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', lastError: null })
})

test('ABORT_RUN cancels what is pending and fails the run', async () => {
  const stage = await newStage()
  stage.script.answers('first', { ok: false, retry: false, error: 'no' })
  const runId = await stage.play([
    { key: 'one', steps: [{ ...steps[0], onFailure: 'ABORT_RUN' }, { key: 'second' }, { key: 'third' }] },
    { key: 'two', steps: [{ key: 'fourth' }] },
  ])
  const run = await stage.run(runId)
  expect(run).toMatchObject({ status: 'FAILED', endedAt: new Date(T0), claimedBy: null })
  expect(run.endedBecause).toContain('failed: no')
  expect(run.steps.map((step) => step.status)).toEqual(['FAILED', 'CANCELLED', 'CANCELLED'])
  expect((await stage.log(runId)).at(-1)).toMatchObject({
    detail: { from: 'RUNNING', to: 'FAILED', cancelledSteps: 2 },
  })
})

test('an error that the database cannot hold loses neither the step nor the run', async () => {
  const stage = await newStage()
  stage.script.answers('first', { ok: false, retry: false, error: 'bad \u0000 byte \ud800' })
  const runId = await stage.play([{ key: 'one', steps }])
  expect(await stage.step(runId)).toMatchObject({ status: 'FAILED' })
  expect((await stage.step(runId)).lastError).toMatch(/^bad .* byte/)
  expect(stage.faults).toEqual([])
})

test('an action whose version differs from the published one runs, and its line says so', async () => {
  const stage = await newStage()
  const { definitionId, versionId } = await stage.publish([{ key: 'one', steps }])
  const { spec } = await stage.db.prisma.version.findUniqueOrThrow({ where: { id: versionId } })
  const text = JSON.stringify(spec).replaceAll('"actionVersion":1', '"actionVersion":7')
  await stage.db.prisma.version.update({ where: { id: versionId }, data: { spec: JSON.parse(text) } })
  const runId = await stage.start(definitionId)
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  const [line] = (await stage.log(runId)).filter((candidate) => candidate.kind === 'step.status')
  expect(line?.detail).toMatchObject({ versionDrift: { pinned: 7, registered: 1 } })
})

test('params that do not fit once their placeholders are filled fail the step without a call', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ params: { key: 'a', count: '{n}' } }] }], {
    parameters: [{ name: 'n', label: 'n', type: 'TEXT', required: false }],
  })
  const bad = await stage.start(definitionId, { params: { n: 'many' } })
  await stage.settle()
  const good = await stage.start(definitionId, { params: { n: '12' }, scope: 'elsewhere' })
  await stage.settle()
  expect(await stage.step(bad)).toMatchObject({ status: 'FAILED' })
  expect((await stage.step(bad)).lastError).toContain('params.count')
  expect(await stage.run(good)).toMatchObject({ status: 'COMPLETED' })
  expect(stage.script.calls.map((call) => call.params)).toEqual([{ key: 'a', count: 12 }])
})

test('sixty hanging actions hold up no other run', async () => {
  const stage = await newStage({ runConcurrency: 4 })
  const hung = stage.script.hang('hang')
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'hang' }] }])
  for (let index = 0; index < 60; index += 1) await stage.start(definitionId, { scope: `s${index}` })
  await hung.called
  const other = await stage.publish([{ key: 'one', steps: [{ key: 'quick' }] }])
  const runId = await stage.start(other.definitionId)
  await stage.until(runId, 'COMPLETED')
  await stage.runner.idle()
  expect(stage.runner.calls.size).toBe(60)
  hung.answer({ ok: true })
  await stage.settle()
  expect(await stage.db.prisma.run.count({ where: { definitionId, status: 'COMPLETED' } })).toBe(60)
})

test('an action that logs a flood is called once, and every line is there', async () => {
  const stage = await newStage()
  stage.script.on('a', (_envelope, { log }) => {
    for (let line = 0; line < 150_000; line += 1) log(`line ${line}`)
    return { ok: true }
  })
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }] }])
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  expect(stage.script.calls).toHaveLength(1)
  expect(await stage.db.prisma.logLine.count({ where: { runId, kind: 'step.message' } })).toBe(150_000)
})

test('what is too long to be written fails the step, once', async () => {
  const stage = await newStage()
  stage.interpose((sql) => {
    if (sql.values.some((value) => typeof value === 'string' && value.includes('far too long')))
      throw new RangeError('Invalid string length')
    return stage.send(sql)
  })
  stage.expectFaults(/refused what a step/)
  stage.script.on('a', () => ({ ok: true, output: { text: 'far too long' } }))
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }] }])
  expect(await stage.run(runId)).toMatchObject({ status: 'PAUSED' })
  expect((await stage.step(runId)).lastError).toContain('cannot be stored')
})
