import { expect, test } from 'vitest'
import { formatId } from '../../src/domain/ids.ts'
import { openLog } from '../../src/graphql/subscriptions/run-log.ts'
import { newStage, type Stage } from '../support/stage.ts'
import { Client } from './client.ts'

const clientOf = ({ db, registry, clock, changes }: Stage) => new Client(db, { registry, clock, changes })
const MINUTE = 60_000

const LEDGER = `query ($id: ID!) { run(id: $id) {
  status cleanupStatus allowedControls unresolvedResources waitingOn { kind description until }
  resources { id kind ref status revertAttempts lastError } failed: resources(status: [FAILED]) { ref } } }`

const RETRY = `mutation ($id: ID!) { retryCleanup(input: {id: $id, reason: "again"}) {
  __typename ... on Error { message } ... on RetryCleanupPayload { run { cleanupStatus } } } }`
const ABANDON = `mutation ($id: ID!, $reason: String!) { abandonResource(input: {id: $id, reason: $reason}) {
  __typename ... on Error { message } ... on InvalidInputError { issues { path } }
  ... on ConflictError { currentRun { cleanupStatus } lastControl { action actor { name } } }
  ... on AbandonResourcePayload { resource { ref status } } } }`

test('an admin sees what a run left, how far it is taken back, and decides on what cannot be', async () => {
  const stage = await newStage({ stepMaxAttempts: 2 })
  const client = clientOf(stage)
  stage.script.answers('made', { ok: true, resources: [{ kind: 'spawn', ref: 'sp-1' }] })
  stage.script.answers('lost', { ok: false, retry: false, error: 'the line is dead' })
  stage.script.revertAnswers('sp-1', { ok: false, error: 'busy' })
  const hung = stage.script.hangRevert('@step')
  const runId = await stage.play([
    {
      key: 'one',
      steps: [
        { actionId: 'test.spawn', key: 'made' },
        { actionId: 'test.spawn', key: 'lost', label: 'Boss', onFailure: 'SKIP' },
        { actionId: 'core.cue', params: { instruction: 'Go' } },
      ],
    },
  ])
  const id = formatId('Run', runId)
  const see = async () => (await client.query(LEDGER, { id })).at('run')
  // What may have been made counts, and is not shown.
  expect(await see()).toMatchObject({
    unresolvedResources: 2,
    resources: [{ kind: 'spawn', ref: 'sp-1', status: 'ACTIVE', revertAttempts: 0 }],
  })
  await client.query(`mutation ($id: ID!) { cancelRun(input: {id: $id}) { __typename } }`, { id })
  await hung.called
  expect(await see()).toMatchObject({
    status: 'CANCELLED',
    cleanupStatus: 'PENDING',
    resources: [{ ref: 'sp-1' }],
    waitingOn: {
      kind: 'CLEANUP',
      description: 'Takes back what a step may have made (attempt 1); 2 things are left to be dealt with.',
    },
  })
  hung.answer({ ok: false, retry: false, error: 'who?' })
  await stage.settle()
  expect(await see()).toMatchObject({
    resources: [
      { ref: 'sp-1', status: 'ACTIVE', revertAttempts: 1, lastError: 'busy' },
      { kind: '@step', status: 'FAILED', lastError: 'who?' },
    ],
    waitingOn: {
      kind: 'CLEANUP',
      description: 'Taking back failed and is tried again; 2 things are left to be dealt with.',
      until: new Date(stage.clock.now() + MINUTE).toISOString(),
    },
    allowedControls: [],
  })
  await stage.letPass(MINUTE)
  expect(await see()).toMatchObject({
    cleanupStatus: 'INCOMPLETE',
    unresolvedResources: 2,
    waitingOn: null,
    allowedControls: ['RETRY_CLEANUP'],
    failed: [{ ref: 'sp-1' }, { ref: formatId('Step', (await stage.step(runId, 1)).id) }],
  })
  stage.script.revertAnswers('sp-1', { ok: true })
  const again = stage.script.hangRevert('@step')
  const retried = await client.query(RETRY, { id })
  expect(retried.at('retryCleanup')).toEqual({
    __typename: 'RetryCleanupPayload',
    run: { cleanupStatus: 'PENDING' },
  })
  await again.called
  // What could not be taken back stays in sight while that is tried again.
  expect(await see()).toMatchObject({ resources: [{ ref: 'sp-1' }, { kind: '@step', status: 'REVERTING' }] })
  again.answer({ ok: false, retry: false, error: 'who?' })
  await stage.settle()
  const left = await client.query(LEDGER, { id })
  expect(left.at('run')).toMatchObject({ cleanupStatus: 'INCOMPLETE', unresolvedResources: 1 })
  const placeholder = left.text('run', 'resources', 1, 'id')
  const abandon = async (of: string, reason = 'it is only scenery') =>
    (await client.query(ABANDON, { id: of, reason })).at('abandonResource')
  expect(await abandon(placeholder, ' ')).toMatchObject({
    __typename: 'InvalidInputError',
    issues: [{ path: 'reason' }],
  })
  expect(await abandon('res_nothing')).toMatchObject({ __typename: 'NotFoundError' })
  expect(await abandon(id)).toMatchObject({ __typename: 'NotFoundError' })
  expect(await abandon(placeholder)).toMatchObject({ resource: { status: 'ABANDONED' } })
  expect(await abandon(placeholder)).toMatchObject({
    __typename: 'ConflictError',
    currentRun: { cleanupStatus: 'CLEAN' },
    lastControl: { action: 'ABANDON_RESOURCE', actor: { name: 'Mira' } },
  })
  expect(await see()).toMatchObject({
    cleanupStatus: 'CLEAN',
    unresolvedResources: 0,
    resources: [{ status: 'REVERTED' }, { kind: '@step', status: 'ABANDONED' }],
  })
})

test('a log that is followed goes on until the cleanup is over', async () => {
  const stage = await newStage()
  stage.script.answers('made', { ok: true, resources: [{ kind: 'spawn', ref: 'sp-1' }] })
  stage.script.answers('bad', { ok: false, retry: false, error: 'no' })
  const hung = stage.script.hangRevert('sp-1')
  const runId = await stage.play([
    {
      key: 'one',
      steps: [
        { actionId: 'test.spawn', key: 'made' },
        { key: 'bad', onFailure: 'ABORT_RUN' },
      ],
    },
  ])
  await hung.called
  expect((await stage.run(runId)).status).toBe('FAILED')
  const log = (await openLog(stage, { runId, after: 0, onOutage: () => {} }))[Symbol.asyncIterator]()
  const before = await log.next()
  expect(before.value?.entries.at(-1)).toMatchObject({ kind: 'cleanup.status', detail: { to: 'PENDING' } })
  const more = log.next()
  hung.answer({ ok: true })
  const kinds = [...((await more).value?.entries ?? [])]
  for await (const { entries } of log) kinds.push(...entries)
  expect(kinds.map(({ kind }) => kind)).toEqual(['resource.reverted', 'cleanup.status'])
})
