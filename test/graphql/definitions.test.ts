import { beforeAll, expect, test } from 'vitest'
import { formatId } from '../../src/domain/ids.ts'
import { coreModule } from '../../src/modules/core/core.ts'
import { Registry } from '../../src/modules/registry.ts'
import { Targets } from '../../src/modules/targets.ts'
import { mintId } from '../../src/store/ids.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { testDatabase } from '../support/database.ts'
import { Client, type Data, NOW } from './client.ts'

let client: Client
const clock = new FakeClock(NOW.getTime())
beforeAll(async () => {
  const { db } = await testDatabase()
  const registry = new Registry()
  const registered = registry.register(coreModule(new Targets([])), { core: true })
  expect(registered.ok).toBe(true)
  client = new Client(db, { registry, clock })
})

const DEFINITION = `fragment definition on EventDefinition {
  id slug title description state schedulePaused timeZone graceSeconds concurrencyKey versionVerified
  parameters { name label type required default options }
  draft { asInput schedule { __typename ... on ManualSchedule { manual } ... on OnceSchedule { at } ... on RecurringSchedule { start rule exclude include phrase } }
    phases { key label steps { actionId actionVersion label params onFailure } advance { __typename ... on AfterGateSpec { after } ... on TriggerGateSpec { on where count phrase } } } }
  draftIssues { path message } draftWarnings { path } currentVersion { id version } createdAt updatedAt
}`

const mutation = (name: string, type: string) => `mutation ($input: ${type}!) { ${name}(input: $input) {
  __typename
  ... on ${name.charAt(0).toUpperCase()}${name.slice(1)}Payload { definition { ...definition } ${name === 'publishDefinition' ? 'version { id version verifiedAt publishedBy { kind name } spec { phases { steps { actionVersion onFailure } } } }' : ''} }
  ... on Error { code message }
  ... on ConflictError { currentDefinition { id state } }
  ... on InvalidInputError { issues { path } }
} } ${DEFINITION}`

const create = async (input: object): Promise<Data> =>
  client.query(mutation('createDefinition', 'CreateDefinitionInput'), { input })
const update = (input: object) => client.query(mutation('updateDefinition', 'UpdateDefinitionInput'), { input })
const publish = (input: object) => client.query(mutation('publishDefinition', 'PublishDefinitionInput'), { input })
const archive = (input: object) => client.query(mutation('archiveDefinition', 'DefinitionIdInput'), { input })

const SPEC = {
  schedule: { manual: true },
  phases: [
    {
      key: 'gather',
      label: 'Gather',
      steps: [{ actionId: 'core.log', params: { message: 'Come to {place}' } }],
      advance: { after: '5m' },
    },
    { key: 'end', steps: [{ actionId: 'core.wait', label: 'Breathe', params: { for: '10s' }, onFailure: 'SKIP' }] },
  ],
}

test('what was authored is read back as it was written, filled with the defaults', async () => {
  const parameters = [
    { name: 'place', type: 'CHOICE', options: ['Yew', 'Minoc'], required: true, default: 'Yew' },
    { name: 'n' },
  ]
  const created = await create({
    slug: 'invasion',
    title: 'Invasion',
    concurrencyKey: 'invasion:{place}',
    parameters,
    spec: SPEC,
  })
  expect(created.at('createDefinition', 'definition')).toMatchObject({
    slug: 'invasion',
    title: 'Invasion',
    description: null,
    state: 'DRAFT',
    schedulePaused: false,
    timeZone: 'UTC',
    graceSeconds: 900,
    concurrencyKey: 'invasion:{place}',
    versionVerified: false,
    currentVersion: null,
    draftIssues: [],
    parameters: [
      { name: 'place', label: 'place', type: 'CHOICE', required: true, default: 'Yew', options: ['Yew', 'Minoc'] },
      { name: 'n', label: 'n', type: 'TEXT', required: false, default: null, options: null },
    ],
    draft: {
      asInput: SPEC,
      schedule: { __typename: 'ManualSchedule', manual: true },
      phases: [
        {
          key: 'gather',
          label: 'Gather',
          steps: [
            {
              actionId: 'core.log',
              actionVersion: null,
              label: null,
              params: { message: 'Come to {place}' },
              onFailure: null,
            },
          ],
          advance: { __typename: 'AfterGateSpec', after: '5m' },
        },
        { key: 'end', label: 'end', steps: [{ label: 'Breathe', onFailure: 'SKIP' }], advance: null },
      ],
    },
  })
})

test('every kind of schedule and gate is read back as what it is', async () => {
  const where = {
    all: [
      { field: 'boss', op: 'EQ', value: 'Balron' },
      { field: 'level', op: 'GTE', value: 5 },
    ],
  }
  const recurring = { start: '2026-03-06T20:00', rule: 'FREQ=WEEKLY', exclude: ['2026-03-13'] }
  const phases = [{ key: 'a', steps: [], advance: { trigger: { on: 'shard.boss-slain', where, count: 3 } } }]
  const created = await create({ slug: 'weekly', title: 'Weekly', spec: { schedule: { recurring }, phases } })
  const draft = created.at('createDefinition', 'definition', 'draft')
  expect(draft).toMatchObject({
    schedule: { __typename: 'RecurringSchedule', ...recurring, include: [], phrase: 'every week on Friday at 20:00' },
    phases: [
      {
        advance: {
          __typename: 'TriggerGateSpec',
          on: 'shard.boss-slain',
          where,
          count: 3,
          phrase: 'boss is Balron and level is at least 5',
        },
      },
    ],
  })
  const once = await create({ slug: 'once', title: 'Once', spec: { schedule: { once: { at: 'some day' } }, phases } })
  expect(once.at('createDefinition', 'definition', 'draft', 'schedule')).toEqual({
    __typename: 'OnceSchedule',
    at: 'some day',
  })
})

test('what asInput answers is taken back and is the same draft', async () => {
  const first = await create({ slug: 'copied', title: 'Copied', spec: SPEC })
  const spec = first.at('createDefinition', 'definition', 'draft', 'asInput')
  const second = await create({ slug: 'copy', title: 'Copy', spec })
  expect(second.at('createDefinition', 'definition', 'draft', 'asInput')).toEqual(spec)
})

test('a draft may be saved unfinished, and says all that is wrong with it', async () => {
  const created = await create({
    slug: 'unfinished',
    title: 'Unfinished',
    timeZone: 'Mars/Olympus',
    graceSeconds: -1,
    spec: {
      schedule: { manual: true },
      phases: [{ key: 'A', steps: [{ actionId: 'no.such' }], advance: { after: 'soon' } }],
    },
  })
  expect(created.at('createDefinition', '__typename')).toBe('CreateDefinitionPayload')
  const paths = created.at('createDefinition', 'definition', 'draftIssues', 'path')
  expect(paths).toEqual(
    expect.arrayContaining([
      'timeZone',
      'graceSeconds',
      'phases[0].key',
      'phases[0].steps[0].actionId',
      'phases[0].advance.after',
    ]),
  )
  const refused = await publish({ id: created.text('createDefinition', 'definition', 'id') })
  expect(refused.at('publishDefinition', 'code')).toBe('INVALID_INPUT')
  expect(refused.at('publishDefinition', 'issues', 'path')).toEqual(paths)
})

test('a malformed slug is INVALID_INPUT, and a taken one a CONFLICT with its holder', async () => {
  const bad = await create({ slug: 'Not A Slug', title: 'x', spec: SPEC })
  expect(bad.at('createDefinition')).toMatchObject({
    __typename: 'InvalidInputError',
    code: 'INVALID_INPUT',
    issues: [{ path: 'slug' }],
  })
  const first = await create({ slug: 'taken', title: 'x', spec: SPEC })
  const second = await create({ slug: 'taken', title: 'y', spec: SPEC })
  expect(second.at('createDefinition')).toMatchObject({
    __typename: 'ConflictError',
    code: 'CONFLICT',
    currentDefinition: { id: first.at('createDefinition', 'definition', 'id') },
  })
})

test('publishing makes versions with what is pinned, newest first; equal drafts make none', async () => {
  const created = await create({ slug: 'published', title: 'Published', spec: SPEC })
  const id = created.text('createDefinition', 'definition', 'id')
  const published = await publish({ id })
  expect(published.at('publishDefinition')).toMatchObject({
    __typename: 'PublishDefinitionPayload',
    definition: { state: 'READY', currentVersion: { version: 1 } },
    version: {
      version: 1,
      publishedBy: { kind: 'TOKEN', name: 'Mira' },
      spec: {
        phases: [
          { steps: [{ actionVersion: 1, onFailure: 'SKIP' }] },
          { steps: [{ actionVersion: 1, onFailure: 'SKIP' }] },
        ],
      },
    },
  })
  const again = await publish({ id })
  expect(again.at('publishDefinition', 'version', 'id')).toBe(published.at('publishDefinition', 'version', 'id'))
  await update({ id, spec: { ...SPEC, phases: SPEC.phases.slice(0, 1) } })
  const next = await publish({ id })
  expect(next.at('publishDefinition', 'version', 'version')).toBe(2)
  const data = await client.query(
    'query ($id: ID!) { definition(id: $id) { versions { totalCount edges { node { version } } } } }',
    { id },
  )
  expect(data.at('definition', 'versions')).toEqual({
    totalCount: 2,
    edges: [{ node: { version: 2 } }, { node: { version: 1 } }],
  })
})

test('updating keeps what is omitted, clears what is null, and loses nothing that somebody else wrote', async () => {
  const created = await create({
    slug: 'updated',
    title: 'Before',
    description: 'About',
    concurrencyKey: 'k',
    spec: SPEC,
  })
  const id = created.text('createDefinition', 'definition', 'id')
  const read = created.text('createDefinition', 'definition', 'updatedAt')
  await clock.moveTo(clock.now() + 1000)
  const updated = await update({ id, ifUpdatedAt: read, title: 'After', concurrencyKey: null })
  expect(updated.at('updateDefinition', 'definition')).toMatchObject({
    title: 'After',
    description: 'About',
    concurrencyKey: null,
  })
  const stale = await update({ id, ifUpdatedAt: read, title: 'Lost' })
  expect(stale.at('updateDefinition')).toMatchObject({ code: 'CONFLICT', currentDefinition: { id, state: 'DRAFT' } })
})

test('an archived definition is not changed any more', async () => {
  const created = await create({ slug: 'archived', title: 'x', spec: SPEC })
  const id = created.text('createDefinition', 'definition', 'id')
  expect((await archive({ id })).at('archiveDefinition', 'definition', 'state')).toBe('ARCHIVED')
  const refused = [await update({ id, title: 'y' }), await publish({ id })]
  expect(refused.map((data) => [data.at('updateDefinition', 'code'), data.at('publishDefinition', 'code')])).toEqual([
    ['CONFLICT', undefined],
    [undefined, 'CONFLICT'],
  ])
})

test('an id that is malformed or of nothing is NOT_FOUND as data', async () => {
  for (const id of ['', 'nonsense', formatId('Run', mintId()), formatId('Definition', mintId())]) {
    expect((await update({ id, title: 'x' })).at('updateDefinition', 'code')).toBe('NOT_FOUND')
    expect((await publish({ id })).at('publishDefinition', 'code')).toBe('NOT_FOUND')
    expect((await archive({ id })).at('archiveDefinition', 'code')).toBe('NOT_FOUND')
  }
  expect(client.faults).toEqual([])
})

test('texts that a database cannot keep are no fault', async () => {
  const odd = 'a\u0000b\ud800'
  const step = { actionId: odd, label: odd, params: { [odd]: [odd] } }
  const spec = {
    schedule: { once: { at: odd } },
    phases: [{ key: odd, label: odd, steps: [step], advance: { after: odd } }],
  }
  await create({
    slug: 'odd',
    title: odd,
    description: odd,
    timeZone: odd,
    concurrencyKey: odd,
    parameters: [{ name: odd, default: odd }],
    spec,
  })
  await create({ slug: odd, title: odd, spec })
  expect(client.faults).toEqual([])
})
