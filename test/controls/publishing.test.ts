import { expect, test } from 'vitest'
import { publishDefinition, updateDefinition } from '../../src/controls/definitions.ts'
import { startRun } from '../../src/controls/start.ts'
import { auditOf, create, ctx, db, done, MIRA, published, read, says, T0, versionOf } from './authoring.ts'

test('publishing makes version 1 with everything pinned, and the definition ready', async () => {
  const parameters = [{ name: 'region', default: 'Yew' }]
  const { definitionId, versionId, created } = await published({
    timeZone: 'Europe/Berlin',
    concurrencyKey: 'k:{region}',
    parameters,
  })
  expect(created).toBe(true)
  const { versions, ...definition } = await read(definitionId)
  expect(definition).toMatchObject({ state: 'READY', currentVersionId: versionId })
  expect(versions).toMatchObject([
    {
      id: versionId,
      version: 1,
      spec: {
        schedule: { manual: true },
        phases: [
          {
            key: 'main',
            label: 'main',
            steps: [
              { actionId: 'core.log', actionVersion: 1, params: { message: 'Hello {region}' }, onFailure: 'SKIP' },
            ],
          },
        ],
      },
      timeZone: 'Europe/Berlin',
      graceSeconds: 900,
      concurrencyKey: 'k:{region}',
      parameters: [{ name: 'region', default: 'Yew' }],
      publishedAt: new Date(T0),
      publishedByKind: 'USER',
      publishedByName: 'Mira',
      verifiedAt: new Date(T0),
    },
  ])
  expect((await auditOf(definitionId)).at(-1)).toMatchObject({
    action: 'definition.publish',
    detail: { version: 1, passed: true },
  })
})

test('a published event can be started', async () => {
  const { definitionId, versionId } = await published()
  const { runId } = done(await startRun(ctx, MIRA, { definitionId }))
  expect(await db.run.findUniqueOrThrow({ where: { id: runId } })).toMatchObject({ versionId, status: 'SCHEDULED' })
})

test('a draft with problems is refused with all of them and stays a draft', async () => {
  const id = await create({ timeZone: 'Mars', spec: { schedule: { once: { at: '2026-07-01T20:00' } }, phases: [] } })
  expect(await publishDefinition(ctx, MIRA, { id })).toMatchObject({
    error: 'INVALID_INPUT',
    message: expect.stringContaining('2 problems'),
    issues: [{ path: 'timeZone' }, { path: 'phases' }],
  })
  expect(await read(id)).toMatchObject({ state: 'DRAFT', versions: [] })
})

test('publishing a draft that is equal to the current version answers that version and changes nothing', async () => {
  const first = await published()
  const { definitionId } = first
  const before = [await read(definitionId), await auditOf(definitionId)]
  expect(await publishDefinition(ctx, MIRA, { id: definitionId })).toEqual({ ...first, created: false })
  expect([await read(definitionId), await auditOf(definitionId)]).toEqual(before)
})

test('publishing twice with the same reading is no conflict', async () => {
  const id = await create()
  const { updatedAt } = await read(id)
  const first = done(await publishDefinition(ctx, MIRA, { id, ifUpdatedAt: updatedAt }))
  expect(await publishDefinition(ctx, MIRA, { id, ifUpdatedAt: updatedAt })).toEqual({ ...first, created: false })
})

test.each([
  ['the spec', { spec: says('Bye') }],
  ['the zone', { timeZone: 'Europe/Berlin' }],
  ['the grace window', { graceSeconds: 5 }],
  ['the concurrency key', { concurrencyKey: 'k' }],
  ['the parameters', { parameters: [{ name: 'region' }] }],
])('a change of %s makes a new version', async (_what, change) => {
  const { definitionId, versionId } = await published()
  done(await updateDefinition(ctx, MIRA, { id: definitionId, ...change }))
  const second = done(await publishDefinition(ctx, MIRA, { id: definitionId }))
  expect(second).toMatchObject({ created: true })
  expect((await read(definitionId)).versions.map((version) => [version.version, version.id])).toEqual([
    [1, versionId],
    [2, second.versionId],
  ])
})

test('a new version of an action makes a new version of the event, and title and description do not', async () => {
  const { definitionId, versionId } = await published()
  done(await updateDefinition(ctx, MIRA, { id: definitionId, title: 'Other', description: 'Other' }))
  expect(await publishDefinition(ctx, MIRA, { id: definitionId })).toMatchObject({ versionId, created: false })
  versionOf['core.log'] = 2
  try {
    expect(await publishDefinition(ctx, MIRA, { id: definitionId })).toMatchObject({ created: true })
  } finally {
    versionOf['core.log'] = 1
  }
})

test('of many who publish one draft at once one makes a version and all answer it', async () => {
  const id = await create()
  const results = await Promise.all(Array.from({ length: 8 }, () => publishDefinition(ctx, MIRA, { id })))
  const versions = (await read(id)).versions
  expect(versions).toHaveLength(1)
  expect(results.every((result) => done(result).versionId === versions[0]?.id)).toBe(true)
  expect(results.filter((result) => done(result).created)).toHaveLength(1)
})

test('versions are numbered without gap or double however many change and publish at once', async () => {
  const id = await create()
  const work = Array.from({ length: 12 }, async (_, index) => {
    done(await updateDefinition(ctx, MIRA, { id, spec: says(`Message ${index}`) }))
    return done(await publishDefinition(ctx, MIRA, { id }))
  })
  const results = await Promise.all(work)
  const { versions, currentVersionId } = await read(id)
  expect(versions.map((version) => version.version)).toEqual(versions.map((_, index) => index + 1))
  expect(versions).toHaveLength(results.filter((result) => result.created).length)
  expect(currentVersionId).toBe(versions.at(-1)?.id)
})
