import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { archiveDefinition, publishDefinition, updateDefinition } from '../../src/controls/definitions.ts'
import { verifyDefinition } from '../../src/controls/verify.ts'
import { formatId } from '../../src/domain/ids.ts'

import {
  auditOf,
  changes,
  clock,
  create,
  ctx,
  db,
  done,
  findingsOf,
  hangOnce,
  MIRA,
  MISSING,
  publish,
  spawn,
  specOf,
  T0,
  verify,
  verifyDraft,
  versionsOf,
  world,
} from './verifying.ts'

test('a version is verified once it passed, and stays so since when it was; the last report is kept', async () => {
  const schedule = { recurring: { start: '2026-03-07T20:00', rule: 'FREQ=DAILY' } }
  const id = await create([], { spec: { ...specOf(spawn()), schedule } })
  world.perform = () => ({ ok: false, error: 'the shard is down' })
  const { versionId } = await publish(id)
  expect(await versionsOf(id)).toMatchObject([{ verifiedAt: null }])

  world.perform = () => ({ ok: true })
  let wakes = 0
  changes.onSchedules(() => wakes++)
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
