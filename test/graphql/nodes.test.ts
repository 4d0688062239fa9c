import { beforeAll, expect, test } from 'vitest'
import { formatId } from '../../src/domain/ids.ts'
import { mintId } from '../../src/store/ids.ts'
import { testDatabase } from '../support/database.ts'
import { Client, NOW } from './client.ts'
import { type Event, insertEvent, insertRun, insertStep, parkedSince } from './fixtures.ts'

let client: Client
let event: Event
let ids: { definition: string; version: string; run: string; step: string; cue: string; resource: string }
beforeAll(async () => {
  const { db } = await testDatabase()
  client = new Client(db)
  event = await insertEvent(db)
  const runId = await insertRun(db, event, { status: 'RUNNING', currentPhase: 'main', phaseIndex: 0 })
  const stepId = await insertStep(db, runId, parkedSince(NOW))
  const resourceId = mintId()
  await db.prisma.resource.create({
    data: { id: resourceId, runId, stepId, module: 'shard', kind: 'spawn', ref: 'sp-1', createdAt: NOW },
  })
  ids = {
    definition: event.id,
    version: formatId('Version', event.versionId),
    run: formatId('Run', runId),
    step: formatId('Step', stepId),
    cue: formatId('Cue', stepId),
    resource: formatId('Resource', resourceId),
  }
})

const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }'

test('nodes resolves every type, in the order of the ids, twice where asked twice', async () => {
  const asked = [ids.cue, ids.run, ids.definition, ids.step, ids.version, ids.resource, ids.run]
  const data = await client.query(NODES, { ids: asked })
  expect(data.at('nodes')).toEqual([
    { __typename: 'Cue', id: ids.cue },
    { __typename: 'Run', id: ids.run },
    { __typename: 'EventDefinition', id: ids.definition },
    { __typename: 'Step', id: ids.step },
    { __typename: 'EventVersion', id: ids.version },
    { __typename: 'Resource', id: ids.resource },
    { __typename: 'Run', id: ids.run },
  ])
})

test('an id that is malformed, of nothing or of another type is null, where it stands', async () => {
  const other = mintId()
  const asked = [
    '',
    'x',
    'run_',
    `run_${other}`,
    `nope_${other}`,
    ids.run,
    ids.run.toUpperCase(),
    `${ids.run}'`,
    '\u0000',
  ]
  const data = await client.query(NODES, { ids: asked })
  expect(data.at('nodes')).toEqual([null, null, null, null, null, { __typename: 'Run', id: ids.run }, null, null, null])
})

test('node resolves one, with what belongs to its type', async () => {
  const data = await client.query(
    `query ($run: ID!, $cue: ID!) {
       run: node(id: $run) { ... on Run { status steps { id cue { id } } definition { slug } } }
       cue: node(id: $cue) { ... on Cue { instruction parkedAt step { seq } run { id } claimedBy { name } } }
     }`,
    ids,
  )
  expect(data.at('run')).toEqual({
    status: 'RUNNING',
    steps: [{ id: ids.step, cue: { id: ids.cue } }],
    definition: { slug: event.slug },
  })
  expect(data.at('cue')).toEqual({
    instruction: 'Open the gates',
    parkedAt: NOW.toISOString(),
    step: { seq: 0 },
    run: { id: ids.run },
    claimedBy: null,
  })
})

test('a step that never waited for a person is no cue', async () => {
  const { db } = client.control
  const stepId = await insertStep(db, await insertRun(db, event, { at: new Date(NOW.getTime() + 1000) }))
  const data = await client.query(
    'query ($cue: ID!, $step: ID!) { cue: node(id: $cue) { id } step: node(id: $step) { ... on Step { cue { id } } } }',
    {
      cue: formatId('Cue', stepId),
      step: formatId('Step', stepId),
    },
  )
  expect(data.value).toEqual({ cue: null, step: { cue: null } })
})

test('more than 500 ids are refused by name', async () => {
  const error = await client.error(NODES, { ids: Array.from({ length: 501 }, () => ids.run) })
  expect(error.extensions.code).toBe('BAD_USER_INPUT')
  expect(error.message).toBe('ids holds at most 500, not 501; ask in parts.')
})

test('run and definition answer null to an id of something else, and a definition is found by its slug', async () => {
  const data = await client.query(
    `query ($run: ID!, $definition: ID!, $slug: String!, $odd: String!) {
       run(id: $definition) { id }
       byRun: definition(id: $run) { id }
       bySlug: definition(slug: $slug) { id }
       byNoSlug: definition(slug: "no-such") { id }
       byOddSlug: definition(slug: $odd) { id }
     }`,
    { run: ids.run, definition: ids.definition, slug: event.slug, odd: '\u0000\ud800' },
  )
  expect(data.value).toEqual({
    run: null,
    byRun: null,
    bySlug: { id: ids.definition },
    byNoSlug: null,
    byOddSlug: null,
  })
})

test('definition wants an id or a slug, and not both', async () => {
  for (const args of ['id: "def_x", slug: "x"', 'id: null']) {
    const error = await client.error(`{ definition(${args}) { id } }`)
    expect(error.extensions.code).toBe('BAD_USER_INPUT')
    expect(error.message).toContain('id or slug')
  }
})
