import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { formatId } from '../../src/domain/ids.ts'
import type { Database } from '../../src/store/database.ts'
import { newStage } from '../support/stage.ts'
import { Client } from './client.ts'

const STATE = 'status waitingOn { kind description } allowedControls'

/** The database as a client finds it that something happens to between reading a run's row and what is made from how it stands. */
function withMeantime({ standings, ...db }: Database, happens: () => Promise<unknown>): Database {
  const queryRaw = async (query: TemplateStringsArray, ...values: unknown[]) => {
    await happens()
    return standings.$queryRaw(query, ...values)
  }
  return {
    ...db,
    standings: new Proxy(standings, {
      get: (target, name) => (name === '$queryRaw' ? queryRaw : Reflect.get(target, name)),
    }),
  }
}

/** Once, however often is read. */
function once(happens: () => Promise<unknown>) {
  let happened: Promise<unknown> | null = null
  return () => (happened ??= happens())
}

async function heldRun() {
  const stage = await newStage()
  const { definitionId } = await stage.publish([
    { key: 'end', steps: [{ actionId: 'core.wait', params: { for: '1h' } }] },
  ])
  const runId = await stage.start(definitionId)
  await stage.settle()
  return { stage, id: formatId('Run', runId), runId, definitionId }
}

type Stage = Awaited<ReturnType<typeof newStage>>

/** A client of the stage's API that something happens to, once, between reading a run's row and the rest. */
function clientWith({ db, registry, clock, changes }: Stage, happens: () => Promise<unknown>) {
  return new Client(withMeantime(db, once(happens)), { registry, clock, changes })
}

const ENDED = { status: 'COMPLETED', waitingOn: null, allowedControls: [] }

test('a run that ends while an answer is made is shown as it was at one instant', async () => {
  const { stage, id } = await heldRun()
  const client = clientWith(stage, () => stage.letPass(3_600_000))
  const fields = `${STATE} currentPhase startedAt endedAt lastError definition { slug } stepCounts { status count }`
  const read = await client.query(`query ($id: ID!) { run(id: $id) { ${fields} } }`, { id })
  expect(read.at('run')).toMatchObject({ ...ENDED, stepCounts: [{ status: 'DONE', count: 1 }] })
  expect(read.at('run', 'endedAt')).toBe(new Date(stage.clock.now()).toISOString())
})

test('a run that is paused while an answer is made may be resumed, and says that it waits for that', async () => {
  const { stage, id, runId } = await heldRun()
  const client = clientWith(stage, () =>
    stage.db.prisma.run.update({
      where: { id: runId },
      data: { status: 'PAUSED', health: 'DEGRADED', lastError: 'the lights are out' },
    }),
  )
  const read = await client.query(`query ($id: ID!) { run(id: $id) { health lastError ${STATE} } }`, { id })
  expect(read.at('run')).toEqual({
    status: 'PAUSED',
    health: 'DEGRADED',
    lastError: 'the lights are out',
    waitingOn: { kind: 'PAUSED', description: 'Paused until a person resumes it. the lights are out' },
    allowedControls: ['CANCEL', 'RESUME', 'END_HOLD'],
  })
})

test('wherever a run is shown its fields are of one instant: in lists, of its event, by its id, in fragments', async () => {
  const { stage, id, definitionId } = await heldRun()
  const client = clientWith(stage, () => stage.letPass(3_600_000))
  const read = await client.query(
    `query ($id: ID!, $definition: ID!) {
      node(id: $id) { ...state }
      nodes(ids: [$id]) { ...state }
      runs { edges { node { ...state } } }
      definition(id: $definition) { runs { edges { node { status ...waiting } } } }
    }
    fragment state on Run { status ... on Run { ...waiting } }
    fragment waiting on Run { waitingOn { kind } waitingCues }`,
    { id, definition: formatId('Definition', definitionId) },
  )
  const ended = { status: 'COMPLETED', waitingOn: null, waitingCues: 0 }
  expect(read.value).toEqual({
    node: ended,
    nodes: [ended],
    runs: { edges: [{ node: ended }] },
    definition: { runs: { edges: [{ node: ended }] } },
  })
})

test('what is left of a run and how far its cleanup is are of one instant', async () => {
  const { stage, id, runId } = await heldRun()
  const [step] = await stage.db.prisma.step.findMany({ where: { runId } })
  if (step === undefined) throw new Error('the run has no step')
  const left = { stepId: step.id, module: 'test', kind: 'portal', ref: 'north', createdAt: new Date(0) }
  const client = clientWith(stage, async () => {
    await stage.db.prisma.resource.create({ data: { id: randomUUID(), runId, status: 'FAILED', ...left } })
    await stage.db.prisma.run.update({
      where: { id: runId },
      data: { status: 'CANCELLED', endedAt: new Date(0), cleanupStatus: 'INCOMPLETE' },
    })
  })
  const read = await client.query('query ($id: ID!) { run(id: $id) { cleanupStatus unresolvedResources status } }', {
    id,
  })
  expect(read.at('run')).toEqual({ cleanupStatus: 'INCOMPLETE', unresolvedResources: 1, status: 'CANCELLED' })
})
