import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { ControlContext } from '../../src/controls/context.ts'
import {
  archiveDefinition,
  type CreateDefinitionInput,
  createDefinition,
  publishDefinition,
  updateDefinition,
} from '../../src/controls/definitions.ts'
import type { Result } from '../../src/controls/result.ts'
import { startRun } from '../../src/controls/start.ts'
import type { Catalog } from '../../src/domain/catalog.ts'
import { formatId } from '../../src/domain/ids.ts'
import { IntlZones } from '../../src/domain/recurrence/intl-zones.ts'
import type { EventSpecInput } from '../../src/domain/spec.ts'
import { Changes, type RunChange } from '../../src/store/changes.ts'
import { mintId } from '../../src/store/ids.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'

const T0 = Date.parse('2026-03-06T20:00:00.000Z')
const MIRA = { kind: 'USER', name: 'Mira' } as const
const MISSING = '0198f0c2-0000-7000-8000-000000000000'
const versionOf: Record<string, number> = { 'core.log': 1 }
const catalog: Catalog = {
  action: (id) => {
    const version = versionOf[id]
    return version === undefined ? undefined : { version, risk: 'NOTIFY', checkDraft: () => [] }
  },
  trigger: () => undefined,
}
const clock = new FakeClock(T0)
const changes = new Changes()
let ctx: ControlContext
let db: TestDatabase['db']['prisma']

beforeAll(async () => {
  const database = await testDatabase()
  ctx = { db: database.db, changes, clock, catalog, zones: new IntlZones() }
  db = database.db.prisma
})

const SPEC: EventSpecInput = {
  schedule: { manual: true },
  phases: [{ key: 'main', steps: [{ actionId: 'core.log', params: { message: 'Hello {region}' } }] }],
}
const says = (message: string): EventSpecInput => ({
  ...SPEC,
  phases: [{ key: 'main', steps: [{ actionId: 'core.log', params: { message } }] }],
})

/** Fails the test where a control refused. */
function done<T>(result: Result<T>): T {
  if (result.error !== undefined) throw new Error(JSON.stringify(result))
  return result
}

const freeSlug = () => `event-${randomUUID()}`
async function create(input: Partial<CreateDefinitionInput> = {}): Promise<string> {
  const created = await createDefinition(ctx, MIRA, { slug: freeSlug(), title: 'Event', spec: SPEC, ...input })
  return done(created).definitionId
}
const read = (id: string) =>
  db.definition.findUniqueOrThrow({ where: { id }, include: { versions: { orderBy: { version: 'asc' } } } })
const auditOf = (id: string) =>
  db.auditEntry.findMany({ where: { subject: formatId('Definition', id) }, orderBy: { id: 'asc' } })
async function published(input: Partial<CreateDefinitionInput> = {}) {
  const id = await create(input)
  return done(await publishDefinition(ctx, MIRA, { id }))
}

test('creating keeps what was sent, with defaults for the rest, and says in the audit log who did it', async () => {
  const slug = freeSlug()
  const id = await create({ slug, title: ' Invasion ', parameters: [{ name: 'region' }] })
  expect(await read(id)).toMatchObject({
    slug,
    title: 'Invasion',
    description: null,
    state: 'DRAFT',
    timeZone: 'UTC',
    graceSeconds: 900,
    concurrencyKey: null,
    parameters: [{ name: 'region', label: 'region', type: 'TEXT', required: false, default: null, options: null }],
    draft: SPEC,
    currentVersionId: null,
    createdAt: new Date(T0),
    updatedAt: new Date(T0),
  })
  expect(await auditOf(id)).toMatchObject([
    {
      at: new Date(T0),
      actorKind: 'USER',
      actorName: 'Mira',
      action: 'definition.create',
      detail: { slug, title: 'Invasion' },
    },
  ])
})

test('a draft may be saved unfinished', async () => {
  const spec = { schedule: { once: { at: 'soon' } }, phases: [{ key: '', steps: [{ actionId: 'no.such' }] }] }
  const id = await create({ timeZone: 'Mars', graceSeconds: -1, concurrencyKey: '{', parameters: [{ name: '' }], spec })
  expect(await read(id)).toMatchObject({
    timeZone: 'Mars',
    graceSeconds: -1,
    concurrencyKey: '{',
    draft: { schedule: spec.schedule },
  })
})

test.each(['', 'Yew', '-yew', 'y_w', 'yéw', 'y ew', 'x'.repeat(65), 'yew\0', 'yew\n'])(
  'the slug %j is refused',
  async (slug) => {
    const result = await createDefinition(ctx, MIRA, { slug, title: '', spec: SPEC })
    expect(result).toMatchObject({ error: 'INVALID_INPUT', issues: [{ path: 'slug' }, { path: 'title' }] })
  },
)

test('a slug that is taken is a conflict with the definition that has it, and nothing is written', async () => {
  const slug = freeSlug()
  const definitionId = await create({ slug })
  const result = await createDefinition(ctx, MIRA, { slug, title: 'Other', spec: SPEC })
  expect(result).toMatchObject({ error: 'CONFLICT', definitionId, message: expect.stringContaining(slug) })
  expect(await read(definitionId)).toMatchObject({ title: 'Event' })
  expect(await auditOf(definitionId)).toHaveLength(1)
})

test('of many who want one slug at once one gets it', async () => {
  const slug = freeSlug()
  const results = await Promise.all(
    Array.from({ length: 8 }, () => createDefinition(ctx, MIRA, { slug, title: 'Event', spec: SPEC })),
  )
  expect(results.filter((result) => result.error === undefined)).toHaveLength(1)
  expect(results.filter((result) => result.error === 'CONFLICT')).toHaveLength(7)
})

test('characters that the database cannot keep are replaced by one that shows', async () => {
  const spec = says('a\0b\ud800')
  const id = await create({
    title: 'T\0',
    description: '\0',
    timeZone: '\0',
    concurrencyKey: '\0',
    parameters: [{ name: '\0' }],
    spec,
  })
  expect(await read(id)).toMatchObject({
    title: 'T\uFFFD',
    description: '\uFFFD',
    timeZone: '\uFFFD',
    concurrencyKey: '\uFFFD',
    parameters: [{ name: '\uFFFD' }],
    draft: { phases: [{ steps: [{ params: { message: 'a\uFFFDb\uFFFD' } }] }] },
  })
})

test('params that nest without end are refused', async () => {
  let deep: Record<string, unknown> = {}
  for (let i = 0; i < 5000; i++) deep = { deep }
  const spec = { ...SPEC, phases: [{ key: 'main', steps: [{ actionId: 'core.log', params: deep }] }] }
  expect(await createDefinition(ctx, MIRA, { slug: freeSlug(), title: 'Event', spec })).toMatchObject({
    error: 'INVALID_INPUT',
    issues: [{ path: 'spec' }],
  })
})

test('updating keeps what is omitted and clears what is null', async () => {
  const id = await create({
    description: 'About',
    timeZone: 'Europe/Berlin',
    graceSeconds: 5,
    concurrencyKey: 'k',
    parameters: [{ name: 'a' }],
  })
  done(await updateDefinition(ctx, MIRA, { id, title: 'New' }))
  expect(await read(id)).toMatchObject({
    title: 'New',
    description: 'About',
    timeZone: 'Europe/Berlin',
    graceSeconds: 5,
    concurrencyKey: 'k',
    parameters: [{ name: 'a' }],
    draft: SPEC,
  })
  const cleared = {
    description: null,
    timeZone: null,
    graceSeconds: null,
    concurrencyKey: null,
    parameters: null,
    spec: null,
  }
  done(await updateDefinition(ctx, MIRA, { id, ...cleared }))
  expect(await read(id)).toMatchObject({
    title: 'New',
    description: null,
    timeZone: 'UTC',
    graceSeconds: 900,
    concurrencyKey: null,
    parameters: [],
    draft: { schedule: { manual: true }, phases: [] },
  })
  expect((await auditOf(id)).map(({ action, detail }) => [action, detail])).toEqual([
    ['definition.create', expect.anything()],
    ['definition.update', { fields: ['title'] }],
    [
      'definition.update',
      { fields: ['description', 'timeZone', 'graceSeconds', 'concurrencyKey', 'parameters', 'draft'] },
    ],
  ])
})

test.each([null, '', '  '])('a title of %j is refused on updating, and nothing else is changed', async (title) => {
  const id = await create()
  const result = await updateDefinition(ctx, MIRA, { id, title, graceSeconds: 5 })
  expect(result).toMatchObject({ error: 'INVALID_INPUT', issues: [{ path: 'title' }] })
  expect(await read(id)).toMatchObject({ title: 'Event', graceSeconds: 900 })
})

test('what somebody changed since it was read is not overwritten', async () => {
  const id = await create()
  const { updatedAt } = await read(id)
  done(await updateDefinition(ctx, MIRA, { id, ifUpdatedAt: updatedAt, title: 'First' }))
  const second = await updateDefinition(ctx, MIRA, { id, ifUpdatedAt: updatedAt, title: 'Second' })
  expect(second).toMatchObject({ error: 'CONFLICT', definitionId: id })
  expect(await publishDefinition(ctx, MIRA, { id, ifUpdatedAt: updatedAt })).toMatchObject({
    error: 'CONFLICT',
    definitionId: id,
  })
  const after = await read(id)
  expect(after.title).toBe('First')
  expect(after.updatedAt.getTime()).toBeGreaterThan(updatedAt.getTime())
  expect(await auditOf(id)).toHaveLength(2)
})

test('of two who change the same reading at once one wins', async () => {
  const id = await create()
  const { updatedAt } = await read(id)
  const results = await Promise.all(
    ['A', 'B', 'C', 'D'].map((title) => updateDefinition(ctx, MIRA, { id, ifUpdatedAt: updatedAt, title })),
  )
  expect(results.filter((result) => result.error === undefined)).toHaveLength(1)
})

test('what does not exist is not found', async () => {
  const expected = { error: 'NOT_FOUND', message: expect.stringContaining(formatId('Definition', MISSING)) }
  expect(await updateDefinition(ctx, MIRA, { id: MISSING, title: 'x' })).toMatchObject(expected)
  expect(await publishDefinition(ctx, MIRA, { id: MISSING })).toMatchObject(expected)
  expect(await archiveDefinition(ctx, MIRA, { id: MISSING })).toMatchObject(expected)
  expect(await auditOf(MISSING)).toEqual([])
})

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
      verifiedAt: null,
    },
  ])
  expect((await auditOf(definitionId)).at(-1)).toMatchObject({ action: 'definition.publish', detail: { version: 1 } })
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
    message: expect.stringContaining('3 problems'),
    issues: [{ path: 'timeZone' }, { path: 'phases' }, { path: 'schedule' }],
  })
  expect(await read(id)).toMatchObject({ state: 'DRAFT', versions: [] })
})

test('publishing a draft that is equal to the current version answers that version and changes nothing', async () => {
  const { definitionId, versionId } = await published()
  const before = [await read(definitionId), await auditOf(definitionId)]
  expect(await publishDefinition(ctx, MIRA, { id: definitionId })).toEqual({ definitionId, versionId, created: false })
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

test('an archived definition is not updated, published or started; archiving it again is no error', async () => {
  const { definitionId } = await published()
  expect(await archiveDefinition(ctx, MIRA, { id: definitionId })).toEqual({ definitionId })
  expect(await archiveDefinition(ctx, MIRA, { id: definitionId })).toEqual({ definitionId })
  const refused = { error: 'CONFLICT', definitionId, message: expect.stringContaining('archived') }
  expect(await updateDefinition(ctx, MIRA, { id: definitionId, title: 'x' })).toMatchObject(refused)
  expect(await publishDefinition(ctx, MIRA, { id: definitionId })).toMatchObject(refused)
  expect(await startRun(ctx, MIRA, { definitionId })).toMatchObject(refused)
  expect((await auditOf(definitionId)).map((entry) => entry.action)).toEqual([
    'definition.create',
    'definition.publish',
    'definition.archive',
  ])
})

test('archiving is refused while runs go on or wait to be cleaned up, and says how many', async () => {
  const { definitionId } = await published()
  const runs: string[] = []
  for (const days of [1, 2, 3]) {
    const scheduledFor = new Date(T0 + days * 86_400_000)
    runs.push(done(await startRun(ctx, MIRA, { definitionId, scheduledFor })).runId)
  }
  const ended = { status: 'CANCELLED', endedAt: new Date(T0) } as const
  await db.run.update({ where: { id: runs[0] ?? '' }, data: { ...ended, cleanupStatus: 'CLEAN' } })
  await db.run.update({ where: { id: runs[1] ?? '' }, data: { ...ended, cleanupStatus: 'INCOMPLETE' } })
  expect(await archiveDefinition(ctx, MIRA, { id: definitionId })).toMatchObject({
    error: 'CONFLICT',
    definitionId,
    message: expect.stringContaining('2 runs'),
  })
  expect(await read(definitionId)).toMatchObject({ state: 'READY' })
  await db.run.updateMany({ where: { definitionId }, data: { ...ended, cleanupStatus: 'NOT_REQUIRED' } })
  expect(await archiveDefinition(ctx, MIRA, { id: definitionId })).toEqual({ definitionId })
})

test('archiving cancels the upcoming runs that the schedule made, each with a line that says so', async () => {
  const { definitionId } = await published()
  const runs: string[] = []
  for (const days of [1, 2]) {
    const scheduledFor = new Date(T0 + days * 86_400_000)
    runs.push(done(await startRun(ctx, MIRA, { definitionId, scheduledFor })).runId)
  }
  await db.run.updateMany({ where: { definitionId }, data: { source: 'SCHEDULE' } })
  const told: RunChange[] = []
  const off = changes.onRuns((change) => told.push(change))
  done(await archiveDefinition(ctx, MIRA, { id: definitionId }))
  off()
  for (const id of runs) {
    const run = await db.run.findUniqueOrThrow({
      where: { id },
      include: { steps: true, log: { orderBy: { line: 'asc' } } },
    })
    expect(run).toMatchObject({
      status: 'CANCELLED',
      endedBecause: 'archived',
      endedByName: 'Mira',
      wakeAt: null,
      lastLine: 2,
    })
    expect(run.steps.map((step) => step.status)).toEqual(['CANCELLED'])
    expect(run.log.at(-1)).toMatchObject({
      line: 2,
      kind: 'run.status',
      actorKind: 'USER',
      actorName: 'Mira',
      detail: { from: 'SCHEDULED', to: 'CANCELLED', because: 'archived', cancelledSteps: 1 },
    })
  }
  expect(told.map(({ runId, line }) => [runId, line]).sort()).toEqual(runs.map((id) => [id, 2]).sort())
})

test('a run that is made while its definition is archived is either there before or not at all', async () => {
  for (let round = 0; round < 5; round++) {
    const { definitionId } = await published()
    const scope = mintId()
    const [started, put] = await Promise.all([
      startRun(ctx, MIRA, { definitionId, scope }),
      archiveDefinition(ctx, MIRA, { id: definitionId }),
    ])
    const runs = await db.run.count({ where: { definitionId } })
    const { state } = await read(definitionId)
    expect([started.error, put.error, runs, state]).toEqual(
      runs === 1 ? [undefined, 'CONFLICT', 1, 'READY'] : ['CONFLICT', undefined, 0, 'ARCHIVED'],
    )
  }
})
