import { expect, test } from 'vitest'
import { cancelRun, pauseRun } from '../../src/controls/runs.ts'
import { formatId } from '../../src/domain/ids.ts'
import { MIRA, newStage, type Stage } from '../support/stage.ts'
import { Client } from './client.ts'

const clientOf = ({ db, registry, clock, changes }: Stage) => new Client(db, { registry, clock, changes })

const EMIT = `mutation ($input: EmitTriggerInput!) { emitTrigger(input: $input) {
  __typename
  ... on EmitTriggerPayload { duplicate matchedCount matched { runId phase matched tally needed opened } }
  ... on Error { code message }
  ... on InvalidInputError { issues { path message } }
} }`

const GATES = `query ($id: ID!) { run(id: $id) { status health stalledSince waitingOn { kind description until } gates {
  phase kind description trigger tally needed opensAt openedAt openedBy openedByActor { kind name } waitedSeconds stalled lastEvent
} } }`

const STALL_MS = 1_800_000
const WHERE = { field: 'boss', op: 'EQ', value: 'Balron' }
const PHASES = [
  { key: 'fight', steps: [], advance: { trigger: { on: 'test.slain', where: WHERE, count: 2 } } },
  { key: 'end', steps: [{ actionId: 'core.cue', params: { instruction: 'Sweep' } }] },
]

test('a game server emits a trigger, and the run shows the gate from its arming until it is open', async () => {
  const stage = await newStage()
  const client = clientOf(stage)
  const runId = await stage.play(PHASES)
  const id = formatId('Run', runId)
  const waits = 'The phase may end when test.slain has happened 2 times, where boss is Balron'
  const armed = await client.query(GATES, { id })
  expect(armed.at('run', 'waitingOn')).toEqual({ kind: 'GATE', description: `${waits}.`, until: null })
  expect(armed.at('run', 'gates', 0)).toMatchObject({
    kind: 'ON',
    tally: 0,
    needed: 2,
    stalled: false,
    lastEvent: null,
  })

  await stage.letPass(STALL_MS)
  client.role = 'EMITTER'
  const emit = (payload: object, dedupeKey?: string) =>
    client.query(EMIT, { input: { trigger: 'test.slain', payload, ...(dedupeKey === undefined ? {} : { dedupeKey }) } })
  expect((await emit({ boss: 'Balron' }, 'one')).at('emitTrigger')).toEqual({
    __typename: 'EmitTriggerPayload',
    duplicate: false,
    matchedCount: 1,
    matched: [{ runId: id, phase: 'fight', matched: true, tally: 1, needed: 2, opened: false }],
  })
  expect((await emit({ boss: 'Dragon' })).at('emitTrigger')).toMatchObject({ matchedCount: 0, duplicate: false })
  expect((await emit({ boss: 'Balron' }, 'one')).at('emitTrigger')).toMatchObject({
    duplicate: true,
    matched: [{ runId: id, tally: 1 }],
  })
  client.role = 'VIEWER'
  const stalled = await client.query(GATES, { id })
  expect(stalled.at('run')).toMatchObject({
    health: 'STALLED',
    stalledSince: new Date(stage.clock.now()).toISOString(),
  })
  expect(stalled.at('run', 'gates', 0)).toMatchObject({
    description: `${waits} (1 of 2 so far).`,
    stalled: true,
    tally: 1,
    waitedSeconds: STALL_MS / 1000,
    lastEvent: { trigger: 'test.slain', payload: { boss: 'Dragon' }, matched: false },
  })

  // A second that is not over does not count, here and in the log.
  await stage.letPass(900)
  client.role = 'EMITTER'
  await emit({ boss: 'Balron' }, 'two')
  await stage.settle()
  client.role = 'VIEWER'
  const open = await client.query(GATES, { id })
  expect(open.at('run')).toMatchObject({ status: 'RUNNING', stalledSince: null, waitingOn: { kind: 'CUE' } })
  expect(open.at('run', 'gates', 0)).toMatchObject({
    openedBy: 'TRIGGER',
    openedByActor: { kind: 'TOKEN', name: 'Mira' },
    tally: 2,
    stalled: false,
    waitedSeconds: STALL_MS / 1000,
  })
  const advanced = (await stage.log(runId)).find(({ kind }) => kind === 'phase.advanced')
  expect(advanced?.detail).toMatchObject({ waitedSeconds: STALL_MS / 1000 })
})

test('a time opens its gate at its instant while the run is paused, and not once the run has ended', async () => {
  const stage = await newStage()
  const client = clientOf(stage)
  const phases = [{ key: 'a', steps: [], advance: { after: '1h' } }]
  const paused = await stage.play(phases)
  const ended = await stage.play(phases)
  await pauseRun(stage.ctx, MIRA, { runId: paused })
  await cancelRun(stage.ctx, MIRA, { runId: ended })
  const opensAt = new Date(stage.clock.now() + 3_600_000).toISOString()
  const gateOf = async (runId: string) =>
    (await client.query(GATES, { id: formatId('Run', runId) })).at('run', 'gates', 0)

  await stage.letPass(3_599_000)
  expect(await gateOf(paused)).toMatchObject({ openedAt: null, openedBy: null, waitedSeconds: 3_599 })
  await stage.letPass(60_000)
  expect(await gateOf(paused)).toMatchObject({ openedAt: opensAt, openedBy: 'ELAPSED', waitedSeconds: 3_600 })
  expect(await gateOf(ended)).toMatchObject({ openedAt: null, openedBy: null })
  await cancelRun(stage.ctx, MIRA, { runId: paused })
  expect(await gateOf(paused)).toMatchObject({ openedAt: opensAt, openedBy: 'ELAPSED', waitedSeconds: 3_600 })
})

test('what does not fit is INVALID_INPUT with paths', async () => {
  const client = clientOf(await newStage())
  const issuesOf = async (input: object) => (await client.query(EMIT, { input })).at('emitTrigger', 'issues')
  expect(await issuesOf({ trigger: 'test.nothing' })).toMatchObject([{ path: 'trigger' }])
  expect(await issuesOf({ trigger: 'test.slain', payload: { boss: 1 } })).toMatchObject([{ path: 'payload.boss' }])
})

test.each(['VIEWER', 'MODERATOR'] as const)('%s may not emit', async (role) => {
  const client = clientOf(await newStage())
  client.role = role
  expect(await client.error(EMIT, { input: { trigger: 'test.slain' } })).toMatchObject({
    extensions: { code: 'FORBIDDEN' },
  })
})
