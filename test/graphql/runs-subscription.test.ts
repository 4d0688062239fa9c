import { createClient } from 'graphql-ws'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { formatId } from '../../src/domain/ids.ts'
import { createLogger } from '../../src/server/logger.ts'
import { Changes, type RunChange } from '../../src/store/changes.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { wiredApi } from '../server/wired-api.ts'
import { newStage } from '../support/stage.ts'
import { Client, Data, NOW } from './client.ts'
import { insertStep, parkedSince } from './fixtures.ts'
import { change, changed, changes, db, event, inPhase, later, newRun, startingAt } from './run-feed.ts'

const RUNS = `subscription ($filter: RunFilter) {
  runs(filter: $filter) {
    matches run { id status health currentPhase waitingCues stepCounts { status count } definition { slug } }
  }
}`

test('first the runs come that have started and are not terminal, newest occurrence first, then what changes', async () => {
  const statuses = ['PAUSED', 'SCHEDULED', 'STARTING', 'COMPLETED', 'ENDING', 'MISSED', 'RUNNING', 'FAILED'] as const
  const ids = new Map<string, string>()
  const before = { endedAt: later(-1) }
  for (const status of statuses)
    ids.set(status, await newRun({ status, ...(['COMPLETED', 'MISSED', 'FAILED'].includes(status) ? before : {}) }))
  const id = (status: (typeof statuses)[number]) => ids.get(status) ?? ''
  await insertStep(db, id('RUNNING'), parkedSince(NOW))

  const events = await new Client(db, { changes }).events(RUNS)
  const nextData = async () => {
    const result = (await events.next()).value
    expect(result?.errors).toBeUndefined()
    return new Data(result?.data).at('runs')
  }
  expect(await nextData()).toEqual({
    matches: true,
    run: {
      id: formatId('Run', id('RUNNING')),
      status: 'RUNNING',
      health: 'OK',
      currentPhase: null,
      waitingCues: 1,
      stepCounts: [{ status: 'RUNNING', count: 1 }],
      definition: { slug: event.slug },
    },
  })
  for (const status of ['ENDING', 'STARTING', 'PAUSED'] as const)
    expect(await nextData()).toMatchObject({ matches: true, run: { id: formatId('Run', id(status)), status } })

  const following = nextData()
  await changed(id('PAUSED'), { status: 'RUNNING', ...inPhase('main'), health: 'DEGRADED' })
  const run = { id: formatId('Run', id('PAUSED')), status: 'RUNNING', currentPhase: 'main', health: 'DEGRADED' }
  expect(await following).toMatchObject({ matches: true, run })

  const scheduled = nextData()
  await changed(id('SCHEDULED'), startingAt(later(7)))
  expect(await scheduled).toMatchObject({ matches: true, run: { id: formatId('Run', id('SCHEDULED')) } })
  await events.return?.()
})

test('a run of the runner is followed from its start to its end', async () => {
  const stage = await newStage()
  const { registry, clock } = stage
  const events = await new Client(stage.db, { registry, clock, changes: stage.changes }).events(RUNS)
  const read = async () => new Data((await events.next()).value?.data)
  let reading = read()
  await stage.play([
    { key: 'cue', steps: [{ actionId: 'core.cue', params: { instruction: 'Sweep' } }] },
    { key: 'end', steps: [{ actionId: 'core.wait', params: { for: '1h' } }] },
  ])
  const until = async (what: (data: Data) => boolean) => {
    for (;;) {
      const data = await reading
      reading = read()
      if (what(data)) return data
    }
  }
  const parked = await until((data) => data.at('runs', 'run', 'waitingCues') === 1)
  expect(parked.at('runs')).toMatchObject({ matches: true, run: { status: 'RUNNING', currentPhase: 'cue' } })
  const [step] = await stage.db.prisma.step.findMany({ where: { parked: true } })
  await new Client(stage.db, { registry, clock, changes: stage.changes }).query(
    'mutation ($id: ID!) { confirmCue(input: { id: $id }) { __typename } }',
    { id: formatId('Cue', step?.id ?? '') },
  )
  const waiting = await until((data) => data.at('runs', 'run', 'currentPhase') === 'end')
  expect(waiting.at('runs', 'run', 'waitingCues')).toBe(0)
  await stage.letPass(3_600_000)
  const completed = await until((data) => data.at('runs', 'run', 'status') === 'COMPLETED')
  expect(completed.at('runs', 'matches')).toBe(true)
  await events.return?.()
  await reading
})

test('a client that goes away leaves no listener behind', async () => {
  const listening: ((heard: RunChange | null) => void)[] = []
  const watched = new Changes()
  watched.onRuns = (listener) => {
    listening.push(listener)
    return () => listening.splice(listening.indexOf(listener), 1)
  }
  const events = await new Client(db, { changes: watched }).events(RUNS)
  const waiting = events.next()
  expect(listening).toHaveLength(1)
  await events.return?.()
  expect(await waiting).toEqual({ done: true, value: undefined })
  expect(listening).toEqual([])
})

test('a filter that is none is refused by the name of its field, and an id of nothing takes nothing', async () => {
  const client = new Client(db, { changes })
  const messageOf = async (filter: object) =>
    new Data(await client.subscribe(RUNS, { filter })).at('errors', 0, 'message')
  expect(await messageOf({ status: ['NOPE'] })).toMatch(/filter\.status/)
  expect(await messageOf({ scheduledFrom: 'soon' })).toMatch(/filter\.scheduledFrom/)
  expect(await messageOf({ owner: 'Mira' })).toMatch(/owner/)
  await newRun()
  const feed = await client.events(RUNS, { filter: { definitionId: 'nonsense' } })
  const waiting = feed.next()
  await feed.return?.()
  expect((await waiting).done).toBe(true)
})

test('what reads runs may subscribe to them, within the same limits', async () => {
  const client = new Client(db, { changes })
  const codeOf = async (source: string) =>
    new Data(await client.subscribe(source)).at('errors', 0, 'extensions', 'code')
  expect(
    await codeOf(
      'subscription { runs { run { definition { runs(first: 500) { edges { node { steps { seq } } } } } } } }',
    ),
  ).toBe('TOO_COMPLEX')
  expect(await codeOf(`subscription { runs { run { ${'steps { run { '.repeat(9)} id ${'} } '.repeat(9)} } } }`)).toBe(
    'TOO_COMPLEX',
  )
  for (const [role, code] of [
    [null, 'UNAUTHENTICATED'],
    ['EMITTER', 'FORBIDDEN'],
  ] as const) {
    client.role = role
    expect(await codeOf('subscription { runs { matches } }')).toBe(code)
  }
  client.role = 'VIEWER'
  const events = await client.events('subscription { runs { matches } }')
  await events.return?.()
})

test('it goes over a WebSocket', async () => {
  const id = await newRun()
  const log = createLogger({ level: 'error', format: 'json' }, { destination: { write: () => {} } })
  const url = await wiredApi({ db, clock: new FakeClock(NOW.getTime()), log })
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: 'Bearer viewer' },
  })
  onTestFinished(() => void client.dispose())
  const events = client.iterate({ query: RUNS, variables: { filter: { status: ['RUNNING'] } } })
  const run = { id: formatId('Run', id), definition: { slug: event.slug } }
  expect((await events.next()).value).toMatchObject({
    data: { runs: { matches: true, run: { ...run, status: 'RUNNING' } } },
  })
  const leaving = events.next()
  await change(id, { status: 'PAUSED' })
  expect((await leaving).value).toMatchObject({
    data: { runs: { matches: false, run: { ...run, status: 'PAUSED' } } },
  })
  await events.return?.()
})
