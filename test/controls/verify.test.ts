import { createHash } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { ControlContext } from '../../src/controls/context.ts'
import { formatId } from '../../src/domain/ids.ts'
import { Registry } from '../../src/modules/registry.ts'

import {
  auditOf,
  clock,
  create,
  ctx,
  db,
  findingsOf,
  never,
  type Perform,
  publish,
  spawn,
  T0,
  verify,
  versionsOf,
  world,
} from './verifying.ts'

test('publishing asks the actions that can be asked, and what passes is verified from then on', async () => {
  const parameters = [{ name: 'guests', type: 'INTEGER' as const, default: '40' }]
  const id = await create([spawn({ count: '{guests}' }), spawn({}, 'shard.mute'), spawn({ count: 3 })], { parameters })
  clock.moveBy(5_000)
  const { versionId, verification } = await publish(id)
  expect(verification).toMatchObject({ passed: true, issues: [] })
  expect(verification.steps).toMatchObject([
    { path: 'phases[0].steps[0]', phase: 'main', seq: 0, actionId: 'shard.spawn', finding: 'OK' },
    { path: 'phases[0].steps[1]', phase: 'main', seq: 1, actionId: 'shard.mute', finding: 'OK' },
    { path: 'phases[0].steps[2]', phase: 'main', seq: 2, actionId: 'shard.spawn', finding: 'OK' },
  ])
  expect(await versionsOf(id)).toMatchObject([{ id: versionId, verifiedAt: new Date(T0 + 5_000), verification }])
  const key = (seq: number) =>
    createHash('sha256')
      .update(`verify|${formatId('Version', versionId)}|main|${seq}`)
      .digest('hex')
      .slice(0, 40)
  const envelope = { runId: null, stepId: null, scope: '', actor: { kind: 'user', name: 'Mira' }, verify: true }
  expect(world.calls).toEqual([
    { ...envelope, params: { count: 40 }, idempotencyKey: key(0) },
    { ...envelope, params: { count: 3 }, idempotencyKey: key(2) },
  ])
})

test('what does not pass is published all the same and is not verified', async () => {
  world.perform = () => ({ ok: false, error: 'the shard is down' })
  const id = await create([spawn()])
  const { created, versionId, verification } = await publish(id)
  expect(created).toBe(true)
  expect(verification).toMatchObject({
    passed: false,
    steps: [{ finding: 'ERROR', message: expect.stringContaining('the shard is down') }],
  })
  expect(await versionsOf(id)).toMatchObject([{ id: versionId, verifiedAt: null, verification }])
  expect((await auditOf(id)).at(-1)).toEqual({ action: 'definition.publish', detail: { version: 1, passed: false } })
})

test.each<[string, Perform, string]>([
  ['throws', () => Promise.reject(new Error('boom')), 'ERROR'],
  ['says that it would fail for good', () => ({ ok: false, retry: false, error: 'boom' }), 'ERROR'],
  ['says that it would fail for the moment', () => ({ ok: false, error: 'boom' }), 'ERROR'],
  ['answers nothing that can be used', () => ({}), 'ERROR'],
  ['would hold or wait for a person', () => ({ ok: true, holdFor: 60, await: 'human' }), 'OK'],
  ['says of holds and waiting what means nothing', () => ({ ok: true, holdFor: 'soon', await: 'robots' }), 'OK'],
])('an action that %s is found so: %s', async (_what, perform, finding) => {
  const id = await create([spawn()])
  world.perform = perform
  expect(findingsOf((await publish(id)).verification)).toEqual([finding])
})

test('an action that does not answer within its budget is a warning, and the version passes', async () => {
  const id = await create([spawn(), spawn({ count: 2 })])
  world.perform = ({ params }) => (params.count === 1 ? never() : { ok: true })
  const publishing = publish(id)
  await world.called(2)
  clock.moveBy(10_000)
  const { verification } = await publishing
  expect(findingsOf(verification)).toEqual(['WARNING', 'OK'])
  expect(verification.steps[0]?.message).toContain('did not answer in time')
  expect(await versionsOf(id)).toMatchObject([{ verifiedAt: new Date(T0 + 10_000) }])
})

test('all calls together take 30 seconds at most; what was not asked by then is a warning too', async () => {
  const id = await create([...Array.from({ length: 20 }, () => spawn({}, 'shard.slow')), spawn()])
  const signals: AbortSignal[] = []
  world.perform = (_envelope, { signal }) => {
    signals.push(signal)
    return never()
  }
  const publishing = publish(id)
  await world.called(16)
  clock.moveBy(29_999)
  expect(signals.map(({ aborted }) => aborted)).not.toContain(true)
  clock.moveBy(1)
  const { verification } = await publishing
  expect(findingsOf(verification)).toEqual(Array.from({ length: 21 }, () => 'WARNING'))
  expect(world.calls).toHaveLength(16)
  expect(signals.map(({ aborted }) => aborted)).not.toContain(false)
})

test('a call that begins late has what is left of the 30 seconds', async () => {
  const id = await create(Array.from({ length: 16 * 3 + 5 }, () => spawn()))
  world.perform = never
  const publishing = publish(id)
  for (const called of [16, 32, 48]) {
    await world.called(called)
    clock.moveBy(10_000)
  }
  expect(findingsOf((await publishing).verification)).toEqual(Array.from({ length: 53 }, () => 'WARNING'))
  expect(world.calls).toHaveLength(48)
})

test('calls are made side by side, sixteen at a time, and each answer goes to its step', async () => {
  const id = await create(Array.from({ length: 40 }, (_, count) => spawn({ count })))
  let [asking, most] = [0, 0]
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  world.perform = async ({ params }) => {
    most = Math.max(most, ++asking)
    await new Promise((resolve) => setImmediate(resolve))
    asking--
    return Number(params.count) % 3 === 0 ? { ok: false, error: `not ${params.count}` } : { ok: true }
  }
  const { steps } = (await publish(id)).verification
  expect(most).toBe(16)
  // Node complains of a signal that too many listen to.
  expect(warnings).toEqual([])
  for (const [seq, { finding, message }] of steps.entries()) {
    expect(finding).toBe(seq % 3 === 0 ? 'ERROR' : 'OK')
    if (seq % 3 === 0) expect(message).toContain(`not ${seq}.`)
  }
})

test('what an action logs while it is asked goes nowhere, and is no fault', async () => {
  const id = await create([spawn()])
  world.perform = (_envelope, { log }) => {
    log('looking around')
    return { ok: true }
  }
  expect((await publish(id)).verification.passed).toBe(true)
  expect(await db.logLine.count()).toBe(0)
})

test('an action that an admin switched off is an error and is not called', async () => {
  await db.actionSetting.create({ data: { actionId: 'shard.spawn', enabled: false, updatedAt: new Date(T0) } })
  const { verification } = await publish(await create([spawn()]))
  expect(verification).toMatchObject({
    passed: false,
    steps: [{ finding: 'ERROR', message: expect.stringContaining('switched shard.spawn off') }],
  })
  expect(world.calls).toEqual([])
})

test('the smallest cap that an action of the version sets bounds what all its steps cost', async () => {
  const capped = (actionId: string, cap: number | null) =>
    db.actionSetting.create({
      data: { actionId, updatedAt: new Date(T0), caps: { create: { dimension: 'creatures', cap } } },
    })
  await capped('shard.spawn', null)
  await capped('shard.mute', 10)
  await capped('shard.slow', 1)
  const alone = await publish(await create([spawn({ count: 999 })]))
  expect(findingsOf(alone.verification)).toEqual(['OK'])
  const both = await publish(
    await create([spawn({ count: 6 }), spawn({ count: 5 }), spawn({ count: 4 }, 'shard.mute')]),
  )
  expect(findingsOf(both.verification)).toEqual(['OK', 'ERROR', 'OK'])
  expect(both.verification.steps[1]?.message).toContain('4 of the 10 that the settings of shard.mute allow')
})

test('placeholders that are unknown or have no default are warnings', async () => {
  const steps = [spawn({ note: 'to {nowhere}' }), spawn({ note: 'to {region}' })]
  const { verification } = await publish(await create(steps, { parameters: [{ name: 'region' }] }))
  expect(verification.passed).toBe(true)
  expect(findingsOf(verification)).toEqual(['WARNING', 'WARNING'])
  expect(world.calls.map(({ params }) => params.note)).toEqual(['to {nowhere}'])
})

test('a version whose module is gone or changed since is found so', async () => {
  const id = await create([spawn()])
  await publish(id)
  const { catalog } = ctx
  ctx.catalog = new Registry()
  expect(await verify(id)).toMatchObject({
    verification: {
      passed: false,
      steps: [{ finding: 'ERROR', message: expect.stringContaining('shard.spawn is not registered') }],
    },
  })
  const newer: ControlContext['catalog'] = {
    action: (actionId) => {
      const action = catalog.action(actionId)
      return action && { ...action, version: 7 }
    },
    trigger: (triggerId) => catalog.trigger(triggerId),
    whyMissing: (missing) => catalog.whyMissing(missing),
  }
  ctx.catalog = newer
  expect((await verify(id)).verification).toMatchObject({
    passed: true,
    steps: [{ finding: 'OK', message: expect.stringContaining('registered as version 7 and was version 1') }],
  })
})
