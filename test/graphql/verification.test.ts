import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { formatId } from '../../src/domain/ids.ts'
import { type Answer, defineAction, defineModule } from '../../src/modules/module.ts'
import { Registry } from '../../src/modules/registry.ts'
import { mintId } from '../../src/store/ids.ts'
import { testDatabase } from '../support/database.ts'
import { Client, NOW } from './client.ts'
import { insertEvent } from './fixtures.ts'

let answer: Answer
let client: Client
let db: Awaited<ReturnType<typeof testDatabase>>['db']
beforeAll(async () => {
  db = (await testDatabase()).db
  const registry = new Registry()
  const spawn = defineAction({
    id: 'shard.spawn',
    label: 'Spawn',
    version: 1,
    risk: 'change',
    budgetMs: 1_000,
    params: z.object({ count: z.number() }),
    supportsVerify: true,
    perform: () => answer,
  })
  expect(registry.register(defineModule({ id: 'shard', actions: [spawn] })).ok).toBe(true)
  client = new Client(db, { registry })
})

const REPORT = `fragment report on VerificationReport {
  passed steps { path phase seq actionId label finding message } issues { path message }
}`
const PUBLISH = `mutation ($id: ID!) { publishDefinition(input: { id: $id }) { ... on PublishDefinitionPayload {
  version { id verifiedAt verification { ...report } } definition { versionVerified } verification { ...report }
} } } ${REPORT}`
const VERIFY = `mutation ($id: ID!, $draft: Boolean) { verifyDefinition(input: { id: $id, draft: $draft }) {
  ... on VerifyDefinitionPayload {
    version { id verifiedAt verification { ...report } definition { versionVerified } } verification { ...report }
  }
  ... on Error { code message }
  ... on ConflictError { currentDefinition { id state } }
} } ${REPORT}`

async function create(slug: string, count: unknown): Promise<string> {
  const spec = {
    schedule: { manual: true },
    phases: [{ key: 'wave', steps: [{ actionId: 'shard.spawn', label: 'First orcs', params: { count } }] }],
  }
  const data = await client.query(
    `mutation ($input: CreateDefinitionInput!) { createDefinition(input: $input) {
      ... on CreateDefinitionPayload { definition { id } }
    } }`,
    { input: { slug, title: 'Invasion', spec } },
  )
  return data.text('createDefinition', 'definition', 'id')
}

const step = { path: 'phases[0].steps[0]', phase: 'wave', seq: 0, actionId: 'shard.spawn', label: 'First orcs' }

test('a version is published unverified, verified once its world is up, and its report is read with it', async () => {
  const id = await create('invasion', 5)
  answer = { ok: false, error: 'the shard is down' }
  const failed = {
    passed: false,
    steps: [{ ...step, finding: 'ERROR', message: expect.stringContaining('the shard is down') }],
    issues: [],
  }
  const published = (await client.query(PUBLISH, { id })).at('publishDefinition')
  expect(published).toEqual({
    version: { id: expect.stringMatching(/^ver_/), verifiedAt: null, verification: failed },
    definition: { versionVerified: false },
    verification: failed,
  })

  answer = { ok: true }
  const passed = { passed: true, steps: [{ ...step, finding: 'OK', message: expect.any(String) }], issues: [] }
  const verified = await client.query(VERIFY, { id })
  expect(verified.at('verifyDefinition')).toEqual({
    version: {
      id: expect.stringMatching(/^ver_/),
      verifiedAt: NOW.toISOString(),
      verification: passed,
      definition: { versionVerified: true },
    },
    verification: passed,
  })
})

test('a draft is verified with its issues, and there is no version then', async () => {
  const id = await create('unfinished', 'many')
  answer = { ok: true }
  expect((await client.query(VERIFY, { id, draft: true })).at('verifyDefinition')).toEqual({
    version: null,
    verification: {
      passed: false,
      steps: [{ ...step, finding: 'ERROR', message: expect.stringContaining('params.count') }],
      issues: [{ path: 'phases[0].steps[0].params.count', message: expect.any(String) }],
    },
  })
})

test('what cannot be verified is answered as data', async () => {
  const id = await create('never-published', 1)
  expect((await client.query(VERIFY, { id })).at('verifyDefinition')).toMatchObject({
    code: 'CONFLICT',
    currentDefinition: { id, state: 'DRAFT' },
  })
  for (const missing of ['nonsense', formatId('Run', mintId()), formatId('Definition', mintId())])
    expect((await client.query(VERIFY, { id: missing })).at('verifyDefinition', 'code')).toBe('NOT_FOUND')
})

test('a version without a report has none', async () => {
  const { id } = await insertEvent(db)
  const read = await client.query(
    `query ($id: ID!) { definition(id: $id) { currentVersion { verifiedAt verification { ...report } } } } ${REPORT}`,
    { id },
  )
  expect(read.at('definition', 'currentVersion')).toEqual({ verifiedAt: null, verification: null })
})
