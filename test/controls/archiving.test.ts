import { expect, test } from 'vitest'
import { archiveDefinition, publishDefinition, updateDefinition } from '../../src/controls/definitions.ts'
import { startRun } from '../../src/controls/start.ts'
import type { RunChange } from '../../src/store/changes.ts'
import { mintId } from '../../src/store/ids.ts'
import { auditOf, changes, ctx, db, done, MIRA, published, read, T0 } from './authoring.ts'

test('an archived definition is not updated, published or started; archiving it again is no error', async () => {
  const { definitionId } = await published()
  expect(await archiveDefinition(ctx, MIRA, { id: definitionId })).toEqual({ definitionId })
  expect(await archiveDefinition(ctx, MIRA, { id: definitionId })).toEqual({ definitionId })
  const refused = { error: 'CONFLICT', definitionId, message: expect.stringContaining('archived') }
  expect(await updateDefinition(ctx, MIRA, { id: definitionId, title: 'x' })).toMatchObject(refused)
  expect(await publishDefinition(ctx, MIRA, { id: definitionId })).toMatchObject(refused)
  expect(await startRun(ctx, MIRA, { definitionId })).toMatchObject(refused)
  expect((await auditOf(definitionId)).map((entry) => entry.action)).toEqual([
    'definition.create',
    'definition.publish',
    'definition.archive',
  ])
})

test('archiving is refused while runs go on or wait to be cleaned up, and says how many', async () => {
  const { definitionId } = await published()
  const runs: string[] = []
  for (const days of [1, 2, 3]) {
    const scheduledFor = new Date(T0 + days * 86_400_000)
    runs.push(done(await startRun(ctx, MIRA, { definitionId, scheduledFor })).runId)
  }
  const ended = { status: 'CANCELLED', endedAt: new Date(T0) } as const
  await db.run.update({ where: { id: runs[0] ?? '' }, data: { ...ended, cleanupStatus: 'CLEAN' } })
  await db.run.update({ where: { id: runs[1] ?? '' }, data: { ...ended, cleanupStatus: 'INCOMPLETE' } })
  expect(await archiveDefinition(ctx, MIRA, { id: definitionId })).toMatchObject({
    error: 'CONFLICT',
    definitionId,
    message: expect.stringContaining('2 runs'),
  })
  expect(await read(definitionId)).toMatchObject({ state: 'READY' })
  await db.run.updateMany({ where: { definitionId }, data: { ...ended, cleanupStatus: 'NOT_REQUIRED' } })
  expect(await archiveDefinition(ctx, MIRA, { id: definitionId })).toEqual({ definitionId })
})

test('archiving cancels the upcoming runs that the schedule made, each with a line that says so', async () => {
  const { definitionId } = await published()
  const runs: string[] = []
  for (const days of [1, 2]) {
    const scheduledFor = new Date(T0 + days * 86_400_000)
    runs.push(done(await startRun(ctx, MIRA, { definitionId, scheduledFor })).runId)
  }
  await db.run.updateMany({ where: { definitionId }, data: { source: 'SCHEDULE' } })
  const told: RunChange[] = []
  const off = changes.onRuns((change) => change !== null && told.push(change))
  done(await archiveDefinition(ctx, MIRA, { id: definitionId }))
  off()
  for (const id of runs) {
    const run = await db.run.findUniqueOrThrow({ where: { id }, include: { steps: true } })
    expect(run).toMatchObject({
      status: 'CANCELLED',
      endedBecause: 'archived',
      endedByName: 'Mira',
      wakeAt: null,
      lastLine: 2,
    })
    expect(run.steps.map((step) => step.status)).toEqual(['CANCELLED'])
    expect(await db.logLine.findUniqueOrThrow({ where: { runId_line: { runId: id, line: 2 } } })).toMatchObject({
      kind: 'run.status',
      actorKind: 'USER',
      actorName: 'Mira',
      detail: { from: 'SCHEDULED', to: 'CANCELLED', because: 'archived', cancelledSteps: 1 },
    })
  }
  expect(told.map(({ runId, line }) => [runId, line]).sort()).toEqual(runs.map((id) => [id, 2]).sort())
})

test('a run that is made while its definition is archived is either there before or not at all', async () => {
  for (let round = 0; round < 5; round++) {
    const { definitionId } = await published()
    const scope = mintId()
    const [started, put] = await Promise.all([
      startRun(ctx, MIRA, { definitionId, scope }),
      archiveDefinition(ctx, MIRA, { id: definitionId }),
    ])
    const runs = await db.run.count({ where: { definitionId } })
    const { state } = await read(definitionId)
    expect([started.error, put.error, runs, state]).toEqual(
      runs === 1 ? [undefined, 'CONFLICT', 1, 'READY'] : ['CONFLICT', undefined, 0, 'ARCHIVED'],
    )
  }
})
