import { beforeAll, expect, test } from 'vitest'
import { schema } from '../../src/graphql/schema.ts'
import { coreModule } from '../../src/modules/core/core.ts'
import { Registry } from '../../src/modules/registry.ts'
import { Targets } from '../../src/modules/targets.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { testDatabase } from '../support/database.ts'
import { Client, NOW } from './client.ts'

let client: Client
const clock = new FakeClock(NOW.getTime())
beforeAll(async () => {
  const { db } = await testDatabase()
  const registry = new Registry()
  registry.register(coreModule(new Targets([])), { core: true })
  client = new Client(db, { registry, clock })
})

/** What these do is in the log of a run. */
const OF_RUNS = [
  ...['startRun', 'rescheduleRun', 'cancelRun', 'pauseRun', 'resumeRun', 'advancePhase', 'endHold', 'claimCue'],
  ...['confirmCue', 'skipStep', 'retryStep', 'emitTrigger', 'retryCleanup', 'abandonResource'],
]

const SPEC = `{ schedule: { manual: true },
  phases: [{ key: "one", steps: [{ actionId: "core.log", params: { message: "hi" } }] }] }`

type Ids = { definition: string; token: string }
/** Each of the others, in an order in which they can be done; its entry's action and subject. */
const AUDITED: [name: string, input: (ids: Ids) => string, action: string, subject: (ids: Ids) => string][] = [
  [
    'createDefinition',
    () => `slug: "audited", title: "A", spec: ${SPEC}`,
    'definition.create',
    (ids) => ids.definition,
  ],
  ['updateDefinition', (ids) => `id: "${ids.definition}", title: "B"`, 'definition.update', (ids) => ids.definition],
  ['publishDefinition', (ids) => `id: "${ids.definition}"`, 'definition.publish', (ids) => ids.definition],
  ['verifyDefinition', (ids) => `id: "${ids.definition}"`, 'definition.verify', (ids) => ids.definition],
  ['pauseSchedule', (ids) => `id: "${ids.definition}"`, 'definition.pause-schedule', (ids) => ids.definition],
  ['resumeSchedule', (ids) => `id: "${ids.definition}"`, 'definition.resume-schedule', (ids) => ids.definition],
  ['archiveDefinition', (ids) => `id: "${ids.definition}"`, 'definition.archive', (ids) => ids.definition],
  ['setActionSetting', () => 'actionId: "core.log", enabled: true', 'action.setting', () => 'core.log'],
  ['createApiToken', () => 'name: "shard", role: EMITTER', 'token.create', (ids) => ids.token],
  ['revokeApiToken', (ids) => `id: "${ids.token}"`, 'token.revoke', (ids) => ids.token],
]

const ID_OF: Record<string, string> = {
  createDefinition: '... on CreateDefinitionPayload { definition { id } }',
  createApiToken: '... on CreateApiTokenPayload { apiToken { id } }',
}

test('every mutation is either of a run or leaves an entry', () => {
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {})
  expect([...OF_RUNS, ...AUDITED.map(([name]) => name)].sort()).toEqual(mutations.sort())
})

test('each leaves one entry, with who, when and the id as the API shows it; newest first, page by page', async () => {
  const ids: Ids = { definition: '', token: '' }
  for (const [name, input, action, subject] of AUDITED) {
    clock.moveBy(1000)
    const data = await client.query(
      `mutation { ${name}(input: { ${input(ids)} }) { __typename ${ID_OF[name] ?? ''} } }`,
    )
    expect(data.at(name, '__typename')).toMatch(/Payload$/)
    if (name === 'createDefinition') ids.definition = data.text(name, 'definition', 'id')
    if (name === 'createApiToken') ids.token = data.text(name, 'apiToken', 'id')
    const newest = await client.query(
      '{ auditLog(first: 1) { edges { node { at actor { kind name } action subject } } } }',
    )
    expect(newest.at('auditLog', 'edges', 0, 'node'), name).toEqual({
      at: new Date(clock.now()).toISOString(),
      actor: { kind: 'TOKEN', name: 'Mira' },
      action,
      subject: subject(ids),
    })
  }
  const expected = AUDITED.map(([, , action]) => action).reverse()
  const pageOf = async (args: string) =>
    client.query(`{ auditLog(${args}) { totalCount pageInfo { hasNextPage endCursor } edges { node { action } } } }`)
  const all = await pageOf('first: 100')
  expect(all.at('auditLog', 'totalCount')).toBe(AUDITED.length)
  const seen: unknown[] = []
  for (let after = ''; ; ) {
    const page = await pageOf(`first: 3${after}`)
    const edges = page.at('auditLog', 'edges')
    for (let n = 0; Array.isArray(edges) && n < edges.length; n++)
      seen.push(page.at('auditLog', 'edges', n, 'node', 'action'))
    if (page.at('auditLog', 'pageInfo', 'hasNextPage') !== true) break
    after = `, after: "${page.text('auditLog', 'pageInfo', 'endCursor')}"`
  }
  expect(seen).toEqual(expected)
})

test('why a schedule was paused or resumed, or an event put away, is kept; a reason of nothing but space is none', async () => {
  const made = await client.query(
    `mutation { createDefinition(input: { slug: "with-reasons", title: "A", spec: ${SPEC} }) { ... on CreateDefinitionPayload { definition { id } } } }`,
  )
  const id = made.text('createDefinition', 'definition', 'id')
  await client.query(`mutation { publishDefinition(input: { id: "${id}" }) { __typename } }`)
  const reasons = { pauseSchedule: 'The hall burns.', resumeSchedule: ' It is out. ', archiveDefinition: ' ' }
  for (const [name, reason] of Object.entries(reasons)) {
    clock.moveBy(1000)
    const data = await client.query(
      `mutation ($reason: String) { ${name}(input: { id: "${id}", reason: $reason }) { __typename } }`,
      { reason },
    )
    expect(data.at(name, '__typename')).toMatch(/Payload$/)
  }
  const kept = await client.query(
    `{ auditLog(filter: { subject: "${id}" }, first: 3) { edges { node { action detail } } } }`,
  )
  expect([0, 1, 2].map((n) => kept.at('auditLog', 'edges', n, 'node'))).toEqual([
    { action: 'definition.archive', detail: {} },
    { action: 'definition.resume-schedule', detail: { reason: 'It is out.' } },
    { action: 'definition.pause-schedule', detail: { reason: 'The hall burns.' } },
  ])
})

test('it is filtered by who, what, on what and when', async () => {
  const token = await client.query(
    'mutation { createApiToken(input: { name: "filtered", role: VIEWER }) { ... on CreateApiTokenPayload { apiToken { id } } } }',
  )
  const id = token.text('createApiToken', 'apiToken', 'id')
  clock.moveBy(1000)
  await client.query(`mutation { revokeApiToken(input: { id: "${id}" }) { __typename } }`)
  const now = new Date(clock.now()).toISOString()
  const actionsOf = async (filter: string) => {
    const page = await client.query(
      `{ auditLog(filter: { ${filter} }, first: 2) { totalCount edges { node { action } } } }`,
    )
    return [page.at('auditLog', 'totalCount'), page.at('auditLog', 'edges', 0), page.at('auditLog', 'edges', 1)]
  }
  const entry = (action: string) => ({ node: { action } })
  const none = [0, undefined, undefined]
  expect(await actionsOf(`subject: "${id}"`)).toEqual([2, entry('token.revoke'), entry('token.create')])
  expect(await actionsOf(`subject: "${id}", action: ["token.create"]`)).toEqual([1, entry('token.create'), undefined])
  expect(await actionsOf(`subject: "${id}", action: []`)).toEqual(none)
  expect(await actionsOf(`subject: "${id}", from: "${now}"`)).toEqual([1, entry('token.revoke'), undefined])
  expect(await actionsOf(`subject: "${id}", to: "${now}"`)).toEqual([1, entry('token.create'), undefined])
  expect(await actionsOf(`subject: "${id}", actor: "MIR"`)).toEqual([2, entry('token.revoke'), entry('token.create')])
  expect(await actionsOf(`subject: "${id}", actor: "M_ra"`)).toEqual(none)
})

test('what changes nothing leaves no entry', async () => {
  const count = async () => (await client.query('{ auditLog(first: 0) { totalCount } }')).at('auditLog', 'totalCount')
  const before = await count()
  const tried = [
    `createDefinition(input: { slug: "audited", title: "A", spec: ${SPEC} })`,
    'archiveDefinition(input: { id: "def_00000000-0000-4000-8000-000000000000" })',
    'setActionSetting(input: { actionId: "no.such", enabled: false })',
    'createApiToken(input: { name: "", role: ADMIN })',
    'revokeApiToken(input: { id: "tok_00000000-0000-4000-8000-000000000000" })',
  ]
  for (const mutation of tried) {
    const data = await client.query(`mutation { done: ${mutation} { __typename } }`)
    expect(data.at('done', '__typename'), mutation).toMatch(/Error$/)
  }
  expect(await count()).toBe(before)
})
