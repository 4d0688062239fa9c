import { expect, test } from 'vitest'
import { formatId } from '../../src/domain/ids.ts'
import type { Database } from '../../src/store/database.ts'
import { newStage } from '../support/stage.ts'
import { Client } from './client.ts'

const STATE = 'query ($id: ID!) { run(id: $id) { status waitingOn { kind description } allowedControls } }'

/** The database as a client finds it that something happens to between reading the run itself and what it waits for. */
function withMeantime({ prisma, ...db }: Database, happens: () => Promise<unknown>): Database {
  const queryRaw = async (query: TemplateStringsArray, ...values: unknown[]) => {
    await happens()
    return prisma.$queryRaw(query, ...values)
  }
  return {
    ...db,
    prisma: new Proxy(prisma, {
      get: (target, name) => (name === '$queryRaw' ? queryRaw : Reflect.get(target, name)),
    }),
  }
}

async function heldRun() {
  const stage = await newStage()
  const { definitionId } = await stage.publish([
    { key: 'end', steps: [{ actionId: 'core.wait', params: { for: '1h' } }] },
  ])
  const runId = await stage.start(definitionId)
  await stage.settle()
  return { stage, id: formatId('Run', runId), runId }
}

test('a run that ends while an answer is made is not said to wait for what it does not wait for any more', async () => {
  const { stage, id } = await heldRun()
  const { registry, clock, changes } = stage
  const db = withMeantime(stage.db, () => stage.letPass(3_600_000))
  const read = await new Client(db, { registry, clock, changes }).query(STATE, { id })
  expect(read.at('run')).toEqual({
    status: 'RUNNING',
    waitingOn: {
      kind: 'RUNNER',
      description: 'The run has ended while this was being answered; ask again to see how.',
    },
    allowedControls: [],
  })
})

test('a run that is paused while an answer is made may be resumed, and says that it waits for that', async () => {
  const { stage, id, runId } = await heldRun()
  const { registry, clock, changes } = stage
  const db = withMeantime(stage.db, () =>
    stage.db.prisma.run.update({ where: { id: runId }, data: { status: 'PAUSED', lastError: 'the lights are out' } }),
  )
  const read = await new Client(db, { registry, clock, changes }).query(STATE, { id })
  expect(read.at('run')).toEqual({
    status: 'RUNNING',
    waitingOn: { kind: 'PAUSED', description: 'Paused until a person resumes it. the lights are out' },
    allowedControls: ['CANCEL', 'RESUME', 'END_HOLD'],
  })
})
