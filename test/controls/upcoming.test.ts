import { expect, test } from 'vitest'
import { publishDefinition, updateDefinition } from '../../src/controls/definitions.ts'
import { cancelRun, rescheduleRun } from '../../src/controls/runs.ts'
import { startRun } from '../../src/controls/start.ts'
import { skipStep } from '../../src/controls/steps.ts'
import { verifyDefinition } from '../../src/controls/verify.ts'
import { idempotencyKeyOf } from '../../src/store/ids.ts'
import { daily, done, planOf, publishScheduled, republish, runsOf } from '../support/scheduled.ts'
import { MIRA, newStage, type Stage, T0, TOM } from '../support/stage.ts'

type Transaction = Parameters<Parameters<Stage['db']['prisma']['$transaction']>[0]>[0]

const DAY = 86_400_000
const saturdays = { recurring: { start: '2026-03-06T12:00', rule: 'FREQ=WEEKLY;BYDAY=SA' } }

test('a run whose key is still in the schedule goes on in the new version, everything of it taken anew', async () => {
  const stage = await newStage({ horizonDays: 3 })
  const parameters = [{ name: 'region', default: 'Yew' }]
  const event = { schedule: daily('12:00'), concurrencyKey: 'invasion:{region}', parameters }
  const { definitionId } = await publishScheduled(stage, event)
  await stage.settle()
  const before = await runsOf(stage, definitionId)
  const { upcoming, versionId } = await republish(stage, definitionId, {
    schedule: daily('12:00'),
    phases: [
      {
        key: 'main',
        steps: [1, 2].map((part) => ({ actionId: 'test.change', params: { key: `${part} in {region}` } })),
      },
    ],
    timeZone: 'Europe/Berlin',
    graceSeconds: 60,
    parameters: [{ name: 'region', default: 'Vesper' }],
  })
  await stage.settle()
  expect(upcoming).toEqual({ added: 0, kept: 3, cancelled: 0 })
  const after = await runsOf(stage, definitionId)
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  expect(after[0]).toMatchObject({
    versionId,
    timeZone: 'Europe/Berlin',
    params: { region: 'Vesper' },
    concurrencyKey: 'invasion:Vesper',
    occurrenceKey: '2026-03-07T12:00',
    occurrenceAt: new Date('2026-03-07T11:00:00Z'),
    scheduledFor: new Date('2026-03-07T11:00:00Z'),
    graceUntil: new Date('2026-03-07T11:01:00Z'),
    wakeAt: new Date('2026-03-07T11:00:00Z'),
    status: 'SCHEDULED',
    supersededById: null,
  })
  expect(after[0]?.steps.map(({ params }) => params)).toEqual([{ key: '1 in Vesper' }, { key: '2 in Vesper' }])
  const ids = (runs: typeof before) =>
    runs.flatMap(({ steps }) => steps.flatMap((step) => [step.id, step.idempotencyKey]))
  expect(ids(after).filter((id) => ids(before).includes(id))).toEqual([])
  const steps = after.flatMap((run) => run.steps)
  expect(steps.map((step) => step.idempotencyKey)).toEqual(steps.map((step) => idempotencyKeyOf(step.runId, step.id)))
  const log = await stage.log(after[0]?.id ?? '')
  expect(log[1]).toMatchObject({
    kind: 'run.superseded',
    actorName: 'Mira',
    detail: {
      version: 2,
      previousVersion: 1,
      from: '2026-03-07T12:00:00.000Z',
      to: '2026-03-07T11:00:00.000Z',
      cancelled: false,
    },
  })
  expect(log[1]?.text).toBe('Version 2 takes the run along from version 1, to start at 2026-03-07 11:00:00 UTC.')
  await stage.letPass(DAY)
  expect(stage.script.keys()).toEqual(['1 in Vesper', '2 in Vesper'])
})

test('publishing leaves the next pass nothing to look for where all occurrences are there, and all of it where some are not', async () => {
  const stage = await newStage({ horizonDays: 3 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  await stage.runner.stop()
  const { prisma } = stage.db
  const until = async () => (await prisma.definition.findUnique({ where: { id: definitionId } }))?.materialisedUntil
  const kept = await republish(stage, definitionId, { graceSeconds: 60 })
  expect(kept.upcoming).toEqual({ added: 0, kept: 3, cancelled: 0 })
  expect(await until()).toEqual(new Date('2026-03-10T12:00:00Z'))
  const more = await republish(stage, definitionId, {
    schedule: { recurring: { start: '2026-03-06T12:00', rule: 'FREQ=DAILY;BYHOUR=12,18' } },
  })
  expect(more.upcoming).toEqual({ added: 3, kept: 3, cancelled: 0 })
  expect(await until()).toEqual(new Date(0))
})

test('a run that waits for a key which the new version does not need waits for nobody, with the same key it waits on', async () => {
  const stage = await newStage({ horizonDays: 1 })
  const phases = [{ key: 'one', steps: [{ actionId: 'core.cue', params: { instruction: 'Go' } }] }]
  const { definitionId } = await publishScheduled(stage, { schedule: daily('20:05'), concurrencyKey: 'yew', phases })
  await stage.settle()
  const holder = done(await startRun(stage.ctx, MIRA, { definitionId, scope: 'holder' })).runId
  await stage.letPass(6 * 60_000)
  const waiting = async () => (await runsOf(stage, definitionId)).find(({ source }) => source === 'SCHEDULE')
  expect(await waiting()).toMatchObject({ status: 'SCHEDULED', blockedBy: holder, lastError: expect.any(String) })
  await stage.runner.stop()
  await republish(stage, definitionId, { graceSeconds: 600 })
  expect(await waiting()).toMatchObject({ concurrencyKey: 'yew', blockedBy: holder, lastError: expect.any(String) })
  await republish(stage, definitionId, { concurrencyKey: 'vesper' })
  expect(await waiting()).toMatchObject({ concurrencyKey: 'vesper', blockedBy: null, lastError: null })
})

test('what a dense schedule adds is counted to the last', async () => {
  const stage = await newStage({ horizonDays: 14 })
  await stage.runner.stop()
  const dense = { recurring: { start: '2026-03-06T20:02', rule: 'FREQ=MINUTELY;INTERVAL=5' } }
  const { upcoming } = await publishScheduled(stage, { schedule: dense })
  expect(upcoming).toEqual({ added: 14 * 288, kept: 0, cancelled: 0 })
})

test('a run whose key is not in the new schedule is superseded, and its key is free again', async () => {
  const stage = await newStage({ horizonDays: 3 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  const second = await republish(stage, definitionId, { schedule: saturdays })
  expect(second.upcoming).toEqual({ added: 0, kept: 1, cancelled: 2 })
  await stage.settle()
  const [, sunday] = await runsOf(stage, definitionId)
  expect(sunday).toMatchObject({
    status: 'CANCELLED',
    endedBecause: 'superseded by version 2',
    endedByName: 'Mira',
    supersededById: second.versionId,
    steps: [{ status: 'CANCELLED' }],
  })
  expect(await stage.story(sunday?.id ?? '')).toEqual(['run.created', 'run.superseded'])
  const third = await republish(stage, definitionId, { schedule: daily('12:00') })
  expect(third.upcoming).toEqual({ added: 2, kept: 1, cancelled: 0 })
  await stage.settle()
  expect(await planOf(stage, definitionId)).toEqual([
    '2026-03-07T12:00 2026-03-07T12:00:00.000Z SCHEDULED',
    '2026-03-08T12:00 2026-03-08T12:00:00.000Z CANCELLED',
    '2026-03-08T12:00 2026-03-08T12:00:00.000Z SCHEDULED',
    '2026-03-09T12:00 2026-03-09T12:00:00.000Z CANCELLED',
    '2026-03-09T12:00 2026-03-09T12:00:00.000Z SCHEDULED',
  ])
})

test('what a person touched stays: moved runs are re-pinned where they are, a skipped step keeps its version', async () => {
  const stage = await newStage({ horizonDays: 5 })
  const { definitionId, versionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  const [saturday, sunday, monday, tuesday] = await runsOf(stage, definitionId)
  const moved = new Date('2026-03-08T15:00:00Z')
  done(await rescheduleRun(stage.ctx, MIRA, { runId: sunday?.id ?? '', scheduledFor: moved }))
  done(await skipStep(stage.ctx, MIRA, { stepId: saturday?.steps[0]?.id ?? '', reason: 'not today' }))
  done(await skipStep(stage.ctx, MIRA, { stepId: monday?.steps[0]?.id ?? '', reason: 'not then' }))
  done(await cancelRun(stage.ctx, MIRA, { runId: tuesday?.id ?? '' }))
  const { upcoming, versionId: second } = await republish(stage, definitionId, { schedule: saturdays })
  await stage.settle()
  // The skipped Saturday and the moved Sunday are kept; Monday and Wednesday are not in the schedule any more.
  expect(upcoming).toEqual({ added: 0, kept: 2, cancelled: 2 })
  const after = await runsOf(stage, definitionId)
  const byId = new Map(after.map((run) => [run.id, run]))
  expect(byId.get(saturday?.id ?? '')).toMatchObject({ versionId, status: 'SCHEDULED', steps: [{ status: 'SKIPPED' }] })
  expect(byId.get(sunday?.id ?? '')).toMatchObject({
    versionId: second,
    status: 'SCHEDULED',
    scheduledFor: moved,
    occurrenceAt: sunday?.occurrenceAt,
  })
  expect(byId.get(monday?.id ?? '')).toMatchObject({ versionId, status: 'CANCELLED', supersededById: second })
  expect(byId.get(tuesday?.id ?? '')).toMatchObject({ versionId, status: 'CANCELLED', supersededById: null })
  await stage.letPass(3 * DAY)
  expect((await stage.run(sunday?.id ?? '')).startedAt).toEqual(moved)
})

test('instants that change places among the runs are no obstacle', async () => {
  const stage = await newStage({ horizonDays: 1 })
  const hourly = {
    recurring: { start: '2026-03-06T00:00', rule: 'FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,21,22,23' },
  }
  const { definitionId } = await publishScheduled(stage, { schedule: hourly })
  await stage.settle()
  const before = await runsOf(stage, definitionId)
  // An hour back: each takes the instant that the one before it had.
  const moved = await republish(stage, definitionId, { schedule: hourly, timeZone: 'Europe/Berlin' })
  expect(moved.upcoming).toMatchObject({ kept: before.length, cancelled: 0 })
  const after = await runsOf(stage, definitionId)
  const shifted = new Map(before.map(({ id, scheduledFor }) => [id, scheduledFor.getTime() - 3_600_000]))
  for (const { id, scheduledFor } of after.filter((run) => shifted.has(run.id)))
    expect(scheduledFor.getTime()).toBe(shifted.get(id))
})

test('an instant that a run started by hand has is not taken from it', async () => {
  const stage = await newStage({ horizonDays: 1 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  const scheduledFor = new Date('2026-03-07T11:00:00Z')
  const { runId } = done(await startRun(stage.ctx, MIRA, { definitionId, scheduledFor }))
  const { upcoming } = await republish(stage, definitionId, { schedule: daily('12:00'), timeZone: 'Europe/Berlin' })
  expect(upcoming).toEqual({ added: 0, kept: 0, cancelled: 1 })
  await stage.letPass(DAY)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', source: 'MANUAL' })
  expect(stage.script.calls).toHaveLength(1)
})

const everyHour = { recurring: { start: '2026-03-07T10:00', rule: 'FREQ=DAILY;BYHOUR=10,11,12' } }

test('nobody gets the instant of a run that stays, which is counted so', async () => {
  const stage = await newStage({ horizonDays: 1 })
  const { definitionId, versionId } = await publishScheduled(stage, { schedule: everyHour })
  await stage.settle()
  const [ten] = await runsOf(stage, definitionId)
  const runId = ten?.id ?? ''
  done(await skipStep(stage.ctx, MIRA, { stepId: ten?.steps[0]?.id ?? '', reason: 'not today' }))
  done(await rescheduleRun(stage.ctx, MIRA, { runId, scheduledFor: new Date('2026-03-07T15:00:00Z') }))
  const { upcoming } = await republish(stage, definitionId, { schedule: everyHour, timeZone: 'Europe/Berlin' })
  await stage.settle()
  // 11:00 in Berlin is the instant that 10:00 was the occurrence of, and stays it.
  expect(upcoming).toEqual({ added: 0, kept: 2, cancelled: 1 })
  expect(await planOf(stage, definitionId)).toEqual([
    '2026-03-07T11:00 2026-03-07T11:00:00.000Z CANCELLED',
    '2026-03-07T12:00 2026-03-07T11:00:00.000Z SCHEDULED',
    '2026-03-07T10:00 2026-03-07T15:00:00.000Z SCHEDULED',
  ])
  expect(await stage.run(runId)).toMatchObject({ versionId, occurrenceAt: new Date('2026-03-07T10:00:00Z') })
})

test('a run whose new instant is taken and which keeps its own takes it from the next', async () => {
  const stage = await newStage({ horizonDays: 1 })
  const { definitionId } = await publishScheduled(stage, { schedule: everyHour })
  await stage.settle()
  const [ten] = await runsOf(stage, definitionId)
  const runId = ten?.id ?? ''
  done(await rescheduleRun(stage.ctx, MIRA, { runId, scheduledFor: new Date('2026-03-07T15:00:00Z') }))
  done(await startRun(stage.ctx, MIRA, { definitionId, scheduledFor: new Date('2026-03-07T09:00:00Z') }))
  const { upcoming, versionId } = await republish(stage, definitionId, {
    schedule: everyHour,
    timeZone: 'Europe/Berlin',
  })
  expect(upcoming).toEqual({ added: 0, kept: 2, cancelled: 1 })
  expect(await stage.run(runId)).toMatchObject({ versionId, occurrenceAt: new Date('2026-03-07T10:00:00Z') })
})

test('a run of which a person skipped a step stays also where its new instant is taken', async () => {
  const stage = await newStage({ horizonDays: 1 })
  const { definitionId, versionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  const [noon] = await runsOf(stage, definitionId)
  done(await skipStep(stage.ctx, MIRA, { stepId: noon?.steps[0]?.id ?? '', reason: 'not today' }))
  done(await startRun(stage.ctx, MIRA, { definitionId, scheduledFor: new Date('2026-03-07T11:00:00Z') }))
  const { upcoming } = await republish(stage, definitionId, { schedule: daily('12:00'), timeZone: 'Europe/Berlin' })
  expect(upcoming).toEqual({ added: 0, kept: 1, cancelled: 0 })
  expect(await stage.run(noon?.id ?? '')).toMatchObject({ versionId, status: 'SCHEDULED' })
})

test('a version that does not pass takes nothing along until it is verified', async () => {
  const stage = await newStage({ horizonDays: 2 })
  stage.expectFaults(/is held/)
  const { definitionId, versionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  await stage.db.prisma.actionSetting.create({
    data: { actionId: 'test.change', enabled: false, updatedAt: new Date(T0) },
  })
  const second = await republish(stage, definitionId, { schedule: daily('13:00') })
  expect(second.upcoming).toEqual({ added: 0, kept: 0, cancelled: 0 })
  await stage.settle()
  expect((await runsOf(stage, definitionId)).map((run) => [run.versionId, run.status])).toEqual([
    [versionId, 'SCHEDULED'],
    [versionId, 'SCHEDULED'],
  ])
  await stage.db.prisma.actionSetting.deleteMany()
  const verified = done(await verifyDefinition(stage.ctx, TOM, { id: definitionId }))
  expect(verified.upcoming).toEqual({ added: 2, kept: 0, cancelled: 2 })
  expect(done(await verifyDefinition(stage.ctx, TOM, { id: definitionId })).upcoming).toEqual({
    added: 0,
    kept: 0,
    cancelled: 0,
  })
  await stage.settle()
  expect((await planOf(stage, definitionId)).filter((plan) => plan.endsWith('SCHEDULED'))).toEqual([
    '2026-03-07T13:00 2026-03-07T13:00:00.000Z SCHEDULED',
    '2026-03-08T13:00 2026-03-08T13:00:00.000Z SCHEDULED',
  ])
})

test('publishing the same again changes nothing', async () => {
  const stage = await newStage({ horizonDays: 2 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  const before = await runsOf(stage, definitionId)
  const again = await republish(stage, definitionId, { schedule: daily('12:00') })
  expect(again).toMatchObject({ created: false, upcoming: { added: 0, kept: 0, cancelled: 0 } })
  expect(await runsOf(stage, definitionId)).toEqual(before)
})

test('a run that starts while its definition is published is of one version or of the other, never of none', async () => {
  const stage = await newStage({ horizonDays: 1 })
  for (let round = 0; round < 5; round += 1) {
    const { definitionId, versionId } = await publishScheduled(stage, { schedule: daily('20:30') })
    await stage.settle()
    await stage.runner.stop()
    stage.clock.moveTo(T0 + 30 * 60_000)
    stage.runner = stage.newRunner()
    stage.runner.start()
    const second = await republish(stage, definitionId, { schedule: daily('21:30') })
    await stage.settle()
    const runs = await runsOf(stage, definitionId)
    const first = runs.find(({ occurrenceKey }) => occurrenceKey === '2026-03-06T20:30')
    if (first?.status === 'CANCELLED') expect(second.upcoming.cancelled).toBe(1)
    else expect(first).toMatchObject({ status: 'COMPLETED', versionId })
    expect(runs.filter(({ status }) => status === 'SCHEDULED')).toHaveLength(1)
  }
})

/** Publishes anew while another session's transaction holds what `begin` changed, which is committed once publishing waits. */
async function republishDuring(stage: Stage, definitionId: string, begin: (tx: Transaction) => Promise<unknown>) {
  const { prisma } = stage.db
  done(await updateDefinition(stage.ctx, MIRA, { id: definitionId, graceSeconds: 60 }))
  const [publishing] = await prisma.$transaction(async (tx) => {
    await begin(tx)
    const published = publishDefinition(stage.ctx, MIRA, { id: definitionId })
    for (let waits = false; !waits; ) {
      const [row] = await prisma.$queryRaw<{ waits: boolean }[]>`
        SELECT EXISTS (SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock') AS waits`
      waits = row?.waits === true
    }
    return [published]
  })
  return done(await publishing)
}

test('a run that is made while publishing waits for its definition is taken along as well', async () => {
  const stage = await newStage({ horizonDays: 3 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  await stage.runner.stop()
  const { upcoming, versionId } = await republishDuring(stage, definitionId, async (tx) => {
    await tx.$executeRaw`
      UPDATE definitions SET materialised_until = materialised_until + interval '1 day' WHERE id = ${definitionId}::uuid`
    await tx.$executeRaw`
      INSERT INTO runs (id, definition_id, version_id, source, time_zone, occurrence_key, occurrence_at, scheduled_for,
        grace_until, wake_at, created_at, started_by_kind, started_by_name)
      SELECT gen_random_uuid(), definition_id, version_id, source, time_zone, '2026-03-10T12:00',
        occurrence_at + interval '1 day', scheduled_for + interval '1 day', grace_until + interval '1 day',
        wake_at + interval '1 day', created_at, started_by_kind, started_by_name
      FROM runs WHERE occurrence_key = '2026-03-09T12:00' AND definition_id = ${definitionId}::uuid`
  })
  expect(upcoming).toMatchObject({ kept: 4, cancelled: 0 })
  const runs = await runsOf(stage, definitionId)
  expect(runs.map((run) => [run.occurrenceKey, run.versionId, run.steps.length])).toEqual(
    [7, 8, 9, 10].map((day) => [`2026-03-${String(day).padStart(2, '0')}T12:00`, versionId, 1]),
  )
})

test('a run that is moved while publishing waits for it stays where it was moved to', async () => {
  const stage = await newStage({ horizonDays: 3 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  await stage.runner.stop()
  const [first] = await runsOf(stage, definitionId)
  const moved = new Date('2026-03-07T18:30:00Z')
  const { upcoming, versionId } = await republishDuring(
    stage,
    definitionId,
    (tx) => tx.$executeRaw`
      UPDATE runs SET scheduled_for = ${moved}, wake_at = ${moved}, grace_until = ${moved}, moved = true, fence = fence + 1
      WHERE id = ${first?.id}::uuid`,
  )
  expect(upcoming).toMatchObject({ kept: 3, cancelled: 0 })
  const runs = await runsOf(stage, definitionId)
  expect(runs.every((run) => run.versionId === versionId)).toBe(true)
  expect(runs[0]).toMatchObject({ id: first?.id, moved: true, scheduledFor: moved, wakeAt: moved })
})

test('the runner is told of a new version that there is something to do for before the next instant it knows of', async () => {
  const stage = await newStage({ horizonDays: 3 })
  let told = 0
  stage.changes.onSchedules(() => {
    told += 1
  })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  expect(told).toBe(1)
  await stage.settle()
  await republish(stage, definitionId, { graceSeconds: 60 })
  expect(told).toBe(1)
  await republish(stage, definitionId, { timeZone: 'Europe/Berlin' })
  expect(told).toBe(2)
  await republish(stage, definitionId, { schedule: daily('11:00') })
  expect(told).toBe(3)
})
