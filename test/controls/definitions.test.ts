import { expect, test } from 'vitest'
import {
  archiveDefinition,
  createDefinition,
  publishDefinition,
  updateDefinition,
} from '../../src/controls/definitions.ts'
import { formatId } from '../../src/domain/ids.ts'
import { auditOf, create, ctx, done, freeSlug, MIRA, MISSING, read, SPEC, says, T0 } from './authoring.ts'

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
    expect(result).toMatchObject({ error: 'INVALID_INPUT', issues: [{ path: 'slug' }] })
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

const fieldsOf = async (id: string) =>
  (await auditOf(id)).filter(({ action }) => action === 'definition.update').map(({ detail }) => detail)

test('the audit log names the fields that changed, of however many that are given', async () => {
  const id = await create({ description: 'About', parameters: [{ name: 'a' }] })
  const whole = { description: 'About', timeZone: null, graceSeconds: null, parameters: [{ name: 'a' }], spec: SPEC }
  done(await updateDefinition(ctx, MIRA, { id, ...whole, title: 'New' }))
  done(await updateDefinition(ctx, MIRA, { id, ...whole, title: 'New' }))
  done(await updateDefinition(ctx, MIRA, { id, ...whole, title: 'New', description: null, concurrencyKey: 'k' }))
  expect(await fieldsOf(id)).toEqual([{ fields: ['title'] }, { fields: ['description', 'concurrencyKey'] }])
})

test('of two who change the same at once, the later one is told by what was still different', async () => {
  const id = await create()
  const changes = [5, 6, 7].map((graceSeconds) => updateDefinition(ctx, MIRA, { id, title: 'New', graceSeconds }))
  for (const change of await Promise.all(changes)) done(change)
  const fields = await fieldsOf(id)
  expect(fields.filter((detail) => JSON.stringify(detail).includes('title'))).toHaveLength(1)
  expect(fields).toHaveLength(3)
  expect(fields).toContainEqual({ fields: ['graceSeconds'] })
})

test('what an author writes closes the directions that it opens', async () => {
  const steps = [{ actionId: 'core.log', label: '\u202Elabel', params: { message: '\u202Edata' } }]
  const spec = { ...SPEC, phases: [{ key: 'main', label: '\u2067phase', steps }] }
  const parameters = [{ name: 'a', label: 'A\u2069' }]
  const id = await create({ title: '\u202Etitle', description: '\u202Bone\ntwo', parameters, spec })
  expect(await read(id)).toMatchObject({
    title: '\u202Etitle\u202C',
    description: '\u202Bone\u202C\ntwo',
    parameters: [{ name: 'a', label: 'A' }],
    draft: {
      phases: [
        {
          label: '\u2067phase\u2069',
          steps: [{ label: '\u202Elabel\u202C', params: { message: '\u202Edata' } }],
        },
      ],
    },
  })
})

test.each([null, '', '  ', 'x'.repeat(201)])('a title of %j is saved, and cannot be published', async (title) => {
  const id = await create({ title: title ?? '' })
  done(await updateDefinition(ctx, MIRA, { id, title, graceSeconds: 5 }))
  expect(await read(id)).toMatchObject({ title: title?.trim() ?? '', graceSeconds: 5 })
  expect(await publishDefinition(ctx, MIRA, { id })).toMatchObject({
    error: 'INVALID_INPUT',
    issues: [{ path: 'title' }],
  })
  expect(await read(id)).toMatchObject({ state: 'DRAFT' })
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

test('what it says already is no change: it stays as old as it is, and the audit log has nothing', async () => {
  const id = await create({ description: 'Old.', parameters: [{ name: 'region', label: 'Region' }] })
  const { updatedAt, title } = await read(id)
  const same = { title: ` ${title} `, description: 'Old.', timeZone: 'UTC', concurrencyKey: null, spec: SPEC }
  for (const ifUpdatedAt of [null, updatedAt]) {
    for (const given of [same, { parameters: [{ label: 'Region', name: 'region' }] }, {}]) {
      expect(done(await updateDefinition(ctx, MIRA, { id, ifUpdatedAt, ...given }))).toEqual({ definitionId: id })
    }
  }
  expect((await read(id)).updatedAt).toEqual(updatedAt)
  expect(await auditOf(id)).toHaveLength(1)
  const stale = { id, ifUpdatedAt: new Date(updatedAt.getTime() - 1) }
  expect(await updateDefinition(ctx, MIRA, { ...stale, ...same })).toMatchObject({ error: 'CONFLICT' })
  done(await updateDefinition(ctx, MIRA, { id, ...same, description: null }))
  expect((await read(id)).updatedAt.getTime()).toBeGreaterThan(updatedAt.getTime())
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
