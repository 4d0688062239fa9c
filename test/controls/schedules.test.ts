import { expect, test } from 'vitest'
import { archiveDefinition } from '../../src/controls/definitions.ts'
import { rescheduleRun } from '../../src/controls/runs.ts'
import { pauseSchedule, resumeSchedule } from '../../src/controls/schedules.ts'
import { startRun } from '../../src/controls/start.ts'
import { mintId } from '../../src/store/ids.ts'
import { daily, done, planOf, publishScheduled, republish, runsOf } from '../support/scheduled.ts'
import { MIRA, newStage, T0 } from '../support/stage.ts'

const DAY = 86_400_000

test('while a schedule is paused its runs are missed at their instant, and nothing of the pause is made up for', async () => {
  const stage = await newStage({ horizonDays: 2 })
  const { definitionId: id } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  done(await pauseSchedule(stage.ctx, MIRA, { id }))
  done(await pauseSchedule(stage.ctx, MIRA, { id }))
  const byHand = done(await startRun(stage.ctx, MIRA, { definitionId: id }))
  await stage.letPass(4 * DAY)
  expect((await stage.run(byHand.runId)).status).toBe('COMPLETED')
  done(await resumeSchedule(stage.ctx, MIRA, { id }))
  done(await resumeSchedule(stage.ctx, MIRA, { id }))
  await stage.settle()
  const runs = (await runsOf(stage, id)).filter(({ source }) => source === 'SCHEDULE')
  expect(runs.map(({ occurrenceKey, status }) => `${occurrenceKey} ${status}`)).toEqual([
    '2026-03-07T12:00 MISSED',
    '2026-03-08T12:00 MISSED',
    '2026-03-11T12:00 SCHEDULED',
    '2026-03-12T12:00 SCHEDULED',
  ])
  // Without grace: at the instant itself.
  expect(runs[0]).toMatchObject({ missedReason: 'SCHEDULE_PAUSED', endedAt: runs[0]?.scheduledFor })
  const audit = await stage.db.prisma.auditEntry.findMany({
    where: { action: { contains: 'schedule' } },
    orderBy: { id: 'asc' },
  })
  expect(audit.map(({ action }) => action)).toEqual(['definition.pause-schedule', 'definition.resume-schedule'])
})

test('a run that is due when its schedule is paused does not start, and resuming at once does not make up for it', async () => {
  const stage = await newStage()
  const { definitionId: id } = await publishScheduled(stage, { schedule: daily('20:00:01') })
  await stage.settle()
  await stage.runner.stop()
  stage.clock.moveBy(5000)
  done(await pauseSchedule(stage.ctx, MIRA, { id }))
  done(await resumeSchedule(stage.ctx, MIRA, { id }))
  stage.runner = stage.newRunner()
  stage.runner.start()
  await stage.settle()
  const [first] = await runsOf(stage, id)
  expect(first).toMatchObject({ status: 'MISSED', missedReason: 'SCHEDULE_PAUSED' })
})

test('a run that a person moved is missed at its new instant while the schedule is paused', async () => {
  const stage = await newStage({ horizonDays: 1 })
  const { definitionId: id } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  const [run] = await runsOf(stage, id)
  done(await rescheduleRun(stage.ctx, MIRA, { runId: run?.id ?? '', scheduledFor: new Date('2026-03-08T09:00:00Z') }))
  done(await pauseSchedule(stage.ctx, MIRA, { id }))
  await stage.letPass(1.5 * DAY)
  expect((await stage.run(run?.id ?? '')).status).toBe('SCHEDULED')
  await stage.letPass(DAY)
  expect(await stage.run(run?.id ?? '')).toMatchObject({
    status: 'MISSED',
    missedReason: 'SCHEDULE_PAUSED',
    endedAt: new Date('2026-03-08T09:00:00Z'),
  })
})

test('a schedule that was published while it was paused makes its runs on resuming', async () => {
  const stage = await newStage()
  const { definitionId: id } = await publishScheduled(stage, { schedule: { manual: true } })
  done(await pauseSchedule(stage.ctx, MIRA, { id }))
  const { upcoming } = await republish(stage, id, { schedule: daily('12:00') })
  expect(upcoming.added).toBe(0)
  await stage.letPass(DAY)
  expect(await planOf(stage, id)).toEqual([])
  done(await resumeSchedule(stage.ctx, MIRA, { id }))
  await stage.settle()
  expect((await planOf(stage, id))[0]).toBe('2026-03-08T12:00 2026-03-08T12:00:00.000Z SCHEDULED')
})

test('only a published definition that is not archived can be paused or resumed', async () => {
  const stage = await newStage()
  const { definitionId: id } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  done(await archiveDefinition(stage.ctx, MIRA, { id }))
  for (const control of [pauseSchedule, resumeSchedule]) {
    expect(await control(stage.ctx, MIRA, { id })).toMatchObject({ error: 'CONFLICT', definitionId: id })
    expect(await control(stage.ctx, MIRA, { id: mintId() })).toMatchObject({ error: 'NOT_FOUND' })
  }
  expect(await runsOf(stage, id)).toHaveLength(14)
  expect((await runsOf(stage, id)).every(({ status }) => status === 'CANCELLED')).toBe(true)
  expect(stage.clock.now()).toBe(T0)
})
