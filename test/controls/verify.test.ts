import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { ControlContext } from '../../src/controls/context.ts'
import {
  archiveDefinition,
  type CreateDefinitionInput,
  createDefinition,
  publishDefinition,
  updateDefinition,
} from '../../src/controls/definitions.ts'
import type { Result } from '../../src/controls/result.ts'
import { verifyDefinition } from '../../src/controls/verify.ts'
import { formatId } from '../../src/domain/ids.ts'
import type { StepSpecInput } from '../../src/domain/spec.ts'
import type { VerificationReport } from '../../src/domain/verification.ts'
import { coreModule } from '../../src/modules/core/core.ts'
import { type ActionContext, type Answer, defineAction, defineModule, type Envelope } from '../../src/modules/module.ts'
import { Registry } from '../../src/modules/registry.ts'
import { Targets } from '../../src/modules/targets.ts'
import { Changes } from '../../src/store/changes.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { controlContext } from '../support/context.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'

const T0 = Date.parse('2026-03-06T20:00:00.000Z')
const MIRA = { kind: 'USER', name: 'Mira' } as const
const MISSING = '0198f0c2-0000-7000-8000-000000000000'

type Perform = (envelope: Envelope, context: ActionContext) => unknown

/** A module that says how it was asked; each test says what it answers. */
class World {
  readonly calls: Envelope[] = []
  perform: Perform = () => ({ ok: true })
  #waiting: { count: number; resolve: () => void }[] = []

  /** Resolves when it has been called so many times. */
  called(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ count, resolve })
      this.#tell()
    })
  }

  #tell(): void {
    for (const { resolve } of this.#waiting.filter(({ count }) => count <= this.calls.length)) resolve()
    this.#waiting = this.#waiting.filter(({ count }) => count > this.calls.length)
  }

  readonly module = defineModule({
    id: 'shard',
    actions: [
      { id: 'shard.spawn', budgetMs: 10_000, supportsVerify: true },
      { id: 'shard.slow', budgetMs: 3_600_000, supportsVerify: true },
      { id: 'shard.mute', budgetMs: 10_000, supportsVerify: false },
    ].map((action) =>
      defineAction({
        ...action,
        label: action.id,
        version: 1,
        risk: 'change',
        params: z.object({ count: z.number().int(), note: z.string().optional() }),
        dimensions: ['creatures'],
        cost: ({ count }) => ({ creatures: count }),
        perform: (envelope, context) => {
          this.calls.push(envelope)
          this.#tell()
          return this.perform(envelope, context) as Answer
        },
      }),
    ),
  })
}

const never = () => new Promise(() => {})

let db: TestDatabase['db']['prisma']
let database: TestDatabase['db']
let world: World
let clock: FakeClock
let changes: Changes
let ctx: ControlContext

beforeAll(async () => {
  database = (await testDatabase()).db
  db = database.prisma
})
beforeEach(async () => {
  await db.actionSetting.deleteMany()
  world = new World()
  clock = new FakeClock(T0)
  changes = new Changes()
  const registry = new Registry()
  expect(registry.register(coreModule(new Targets([])), { core: true })).toMatchObject({ ok: true })
  expect(registry.register(world.module)).toMatchObject({ ok: true })
  ctx = controlContext({ db: database, changes, clock, catalog: registry })
})

/** Fails the test where a control refused. */
function done<T>(result: Result<T>): T {
  if (result.error !== undefined) throw new Error(JSON.stringify(result))
  return result
}

const spawn = (params: Record<string, unknown> = {}, actionId = 'shard.spawn'): StepSpecInput => ({
  actionId,
  params: { count: 1, ...params },
})
const specOf = (...steps: StepSpecInput[]) => ({ schedule: { manual: true }, phases: [{ key: 'main', steps }] })

async function create(steps: StepSpecInput[], input: Partial<CreateDefinitionInput> = {}): Promise<string> {
  const event = { slug: `event-${randomUUID()}`, title: 'Event', spec: specOf(...steps), ...input }
  return done(await createDefinition(ctx, MIRA, event)).definitionId
}
const publish = async (id: string) => done(await publishDefinition(ctx, MIRA, { id }))
const verify = async (id: string) => done(await verifyDefinition(ctx, MIRA, { id }))
const verifyDraft = async (id: string) => done(await verifyDefinition(ctx, MIRA, { id, draft: true }))
const versionsOf = (definitionId: string) =>
  db.version.findMany({ where: { definitionId }, orderBy: { version: 'asc' } })
const auditOf = async (id: string) =>
  (await db.auditEntry.findMany({ where: { subject: formatId('Definition', id) }, orderBy: { id: 'asc' } })).map(
    ({ action, detail }) => ({ action, detail }),
  )
const findingsOf = ({ steps }: VerificationReport) => steps.map(({ finding }) => finding)

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
  ctx = { ...ctx, catalog: new Registry() }
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
  ctx = { ...ctx, catalog: newer }
  expect((await verify(id)).verification).toMatchObject({
    passed: true,
    steps: [{ finding: 'OK', message: expect.stringContaining('registered as version 7 and was version 1') }],
  })
})

test('a version is verified once it passed, and stays so since when it was; the last report is kept', async () => {
  const id = await create([spawn()])
  world.perform = () => ({ ok: false, error: 'the shard is down' })
  const { versionId } = await publish(id)
  expect(await versionsOf(id)).toMatchObject([{ verifiedAt: null }])

  world.perform = () => ({ ok: true })
  let wakes = 0
  changes.onWake(() => wakes++)
  clock.moveBy(60_000)
  const passed = await verify(id)
  expect(passed).toMatchObject({ versionId, verification: { passed: true } })
  const verifiedAt = new Date(T0 + 60_000)
  expect(await versionsOf(id)).toMatchObject([{ verifiedAt, verification: passed.verification }])
  expect(wakes).toBe(1)

  clock.moveBy(60_000)
  world.perform = () => ({ ok: false, error: 'the shard burns' })
  const failed = await verify(id)
  expect(failed.verification.passed).toBe(false)
  expect(await versionsOf(id)).toMatchObject([{ verifiedAt, verification: failed.verification }])

  clock.moveBy(60_000)
  world.perform = () => ({ ok: true })
  await verify(id)
  expect(await versionsOf(id)).toMatchObject([{ verifiedAt }])
  const verified = (pass: boolean) => ({ action: 'definition.verify', detail: { version: 1, passed: pass } })
  expect((await auditOf(id)).slice(2)).toEqual([verified(true), verified(false), verified(true)])
})

test('the calls of a version have the same keys whenever it is verified', async () => {
  const id = await create([spawn()])
  await publish(id)
  await verify(id)
  expect(new Set(world.calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
  await verifyDraft(id)
  const key = createHash('sha256')
    .update(`verify|${formatId('Definition', id)}|main|0`)
    .digest('hex')
    .slice(0, 40)
  expect(world.calls.at(-1)?.idempotencyKey).toBe(key)
})

test('publishing a draft equal to the current version answers its report, asks nobody and changes nothing', async () => {
  const id = await create([spawn()])
  world.perform = () => ({ ok: false, error: 'the shard is down' })
  const first = await publish(id)
  world.perform = () => ({ ok: true })
  const before = [await versionsOf(id), await auditOf(id)]
  expect(await publish(id)).toEqual({ ...first, created: false })
  expect(world.calls).toHaveLength(1)
  expect([await versionsOf(id), await auditOf(id)]).toEqual(before)
})

test('a version from before there were reports is looked at when it is published again, and nothing is kept', async () => {
  const id = await create([spawn()])
  const { versionId } = await publish(id)
  await db.$executeRaw`UPDATE versions SET verification = NULL, verified_at = NULL WHERE id = ${versionId}::uuid`
  expect(await publish(id)).toMatchObject({ versionId, created: false, verification: { passed: true } })
  expect(await versionsOf(id)).toMatchObject([{ verification: null, verifiedAt: null }])
})

/** The action hangs when it is first asked; `answer` lets it go on. */
function hangOnce(): { asked: Promise<void>; answer: () => void } {
  let answer = () => {}
  const hung = new Promise<void>((resolve) => {
    answer = resolve
  })
  const asked = world.called(1)
  world.perform = async () => {
    if (world.calls.length === 1) await hung
    return { ok: true }
  }
  return { asked, answer: () => answer() }
}

test('a draft that changes while it is verified for publishing is looked at again', async () => {
  const id = await create([spawn({ note: 'old' })])
  const { asked, answer } = hangOnce()
  const publishing = publish(id)
  await asked
  done(await updateDefinition(ctx, MIRA, { id, spec: specOf(spawn({ note: 'new' })) }))
  answer()
  const { versionId } = await publishing
  expect(world.calls.map(({ params }) => params.note)).toEqual(['old', 'new'])
  const [version, ...others] = await versionsOf(id)
  expect(others).toEqual([])
  expect(version).toMatchObject({
    id: versionId,
    version: 1,
    spec: { phases: [{ steps: [{ params: { note: 'new' } }] }] },
    verifiedAt: new Date(T0),
  })
})

test('a title that changes meanwhile makes nobody be asked again', async () => {
  const id = await create([spawn()])
  const { asked, answer } = hangOnce()
  const publishing = publish(id)
  await asked
  done(await updateDefinition(ctx, MIRA, { id, title: 'Other' }))
  answer()
  expect(await publishing).toMatchObject({ created: true })
  expect(world.calls).toHaveLength(1)
})

test('what is archived while it is verified is neither published nor stamped', async () => {
  const draft = await create([spawn()])
  const first = hangOnce()
  const publishing = publishDefinition(ctx, MIRA, { id: draft })
  await first.asked
  done(await archiveDefinition(ctx, MIRA, { id: draft }))
  first.answer()
  expect(await publishing).toMatchObject({ error: 'CONFLICT', definitionId: draft })
  expect(await versionsOf(draft)).toEqual([])

  const id = await create([spawn()])
  await publish(id)
  const [before] = await versionsOf(id)
  world.calls.length = 0
  const second = hangOnce()
  clock.moveBy(1_000)
  const verifying = verifyDefinition(ctx, MIRA, { id })
  await second.asked
  done(await archiveDefinition(ctx, MIRA, { id }))
  second.answer()
  expect(await verifying).toMatchObject({ error: 'CONFLICT', definitionId: id })
  expect(await versionsOf(id)).toEqual([before])
  expect((await auditOf(id)).map(({ action }) => action)).not.toContain('definition.verify')
})

test('a version that is published while the one before is verified is the one that is verified', async () => {
  const id = await create([spawn({ note: 'old' })])
  world.perform = () => ({ ok: false, error: 'the shard is down' })
  await publish(id)
  world.calls.length = 0
  const { asked, answer } = hangOnce()
  const verifying = verify(id)
  await asked
  done(await updateDefinition(ctx, MIRA, { id, spec: specOf(spawn({ note: 'new' })) }))
  const { versionId } = await publish(id)
  answer()
  expect((await verifying).versionId).toBe(versionId)
  expect(await versionsOf(id)).toMatchObject([
    { version: 1, verifiedAt: null, verification: { passed: false } },
    { version: 2, verifiedAt: new Date(T0) },
  ])
})

test('a draft can be verified, which keeps nothing', async () => {
  const id = await create([spawn(), spawn({ note: '{nowhere}' })])
  const before = await auditOf(id)
  expect(await verifyDraft(id)).toMatchObject({
    versionId: null,
    verification: { passed: true, steps: [{ finding: 'OK' }, { finding: 'WARNING' }], issues: [] },
  })
  expect(world.calls).toHaveLength(2)
  expect([await versionsOf(id), await auditOf(id)]).toEqual([[], before])

  await publish(id)
  const [version] = await versionsOf(id)
  done(await updateDefinition(ctx, MIRA, { id, spec: specOf(spawn({ count: 'none' })) }))
  expect((await verifyDraft(id)).verification.passed).toBe(false)
  expect(await versionsOf(id)).toEqual([version])
})

test('the issues of a draft are all in its report, which does not pass, and what can be checked is', async () => {
  const id = await create([], {
    timeZone: 'Mars',
    spec: {
      schedule: { once: { at: '2026-01-01T20:00' } },
      phases: [
        { key: 'main', steps: [spawn(), { actionId: 'no.such' }, spawn({ count: 'none' })] },
        { key: 'main', steps: [], advance: { trigger: { on: 'no.such' } } },
      ],
    },
  })
  const { verification } = await verifyDraft(id)
  expect(verification.passed).toBe(false)
  expect(findingsOf(verification)).toEqual(['OK', 'ERROR', 'ERROR'])
  const paths = verification.issues.map(({ path }) => path)
  expect(paths).toEqual(
    expect.arrayContaining([
      'timeZone',
      'schedule',
      'phases[0].steps[1].actionId',
      'phases[0].steps[2].params.count',
      'phases[1].key',
      'phases[1].advance.trigger.on',
    ]),
  )
  expect(new Set(paths).size).toBe(paths.length)
  expect(world.calls).toHaveLength(1)
})

test('a single start that has passed is a warning with its path, which does not keep a version from passing', async () => {
  const id = await create([spawn()])
  const { versionId } = await publish(id)
  const spec = { schedule: { once: { at: '2026-03-06T20:59' } }, phases: [] }
  await db.version.update({ where: { id: versionId }, data: { spec, timeZone: 'Europe/Berlin' } })
  expect((await verify(id)).verification).toEqual({
    passed: true,
    steps: [],
    issues: [{ path: 'schedule.once.at', message: expect.stringMatching(/^Only a warning: .* has passed/) }],
  })
})

test('a gate of a version that waits for a trigger no module brings is an error', async () => {
  const id = await create([spawn()])
  const { versionId } = await publish(id)
  const gated = { key: 'main', label: 'main', steps: [], advance: { trigger: { on: 'shard.boss-slain' } } }
  await db.version.update({ where: { id: versionId }, data: { spec: { schedule: { manual: true }, phases: [gated] } } })
  expect((await verify(id)).verification).toEqual({
    passed: false,
    steps: [],
    issues: [
      { path: 'phases[0].advance.trigger.on', message: expect.stringContaining('shard.boss-slain is not registered') },
    ],
  })
})

test('what is not there is not found, and what has no version or is archived is a conflict', async () => {
  const missing = { error: 'NOT_FOUND', message: expect.stringContaining(formatId('Definition', MISSING)) }
  expect(await verifyDefinition(ctx, MIRA, { id: MISSING })).toMatchObject(missing)
  const id = await create([spawn()])
  const conflict = { error: 'CONFLICT', definitionId: id }
  expect(await verifyDefinition(ctx, MIRA, { id })).toMatchObject({
    ...conflict,
    message: expect.stringContaining('no version yet'),
  })
  done(await archiveDefinition(ctx, MIRA, { id }))
  for (const draft of [true, false])
    expect(await verifyDefinition(ctx, MIRA, { id, draft })).toMatchObject({
      ...conflict,
      message: expect.stringContaining('archived'),
    })
  expect(world.calls).toEqual([])
})
