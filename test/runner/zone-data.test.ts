import { expect, test } from 'vitest'
import { rescheduleRun } from '../../src/controls/runs.ts'
import { startRun } from '../../src/controls/start.ts'
import { IntlZones } from '../../src/domain/recurrence/intl-zones.ts'
import type { ZoneData } from '../../src/domain/recurrence/zone-data.ts'
import { daily, done, planOf, publishScheduled, runsOf } from '../support/scheduled.ts'
import { MIRA, newStage, type Stage } from '../support/stage.ts'

const HOUR = 3_600_000

const intl = new IntlZones()

/** Zone data by which Tanzania's clocks are set an hour forward, for good, on 10 March 2026. */
const NEWER: ZoneData = {
  version: '9999a',
  has: (zone) => intl.has(zone),
  offset: (zone, at) =>
    intl.offset(zone, at) + (zone === 'Africa/Dar_es_Salaam' && at >= Date.parse('2026-03-09T21:00:00Z') ? HOUR : 0),
}

async function restart(stage: Stage, zones: ZoneData): Promise<void> {
  await stage.runner.stop()
  stage.runner = stage.newRunner({ zones })
  stage.runner.start()
  await stage.settle()
}

test('newer zone data moves planned starts, keeps what a person moved, and doubles nothing', async () => {
  const stage = await newStage({ horizonDays: 5 })
  const { definitionId } = await publishScheduled(stage, {
    schedule: daily('12:00'),
    timeZone: 'Africa/Dar_es_Salaam',
  })
  await stage.settle()
  const before = await runsOf(stage, definitionId)
  const monday = before[3]
  done(
    await rescheduleRun(stage.ctx, MIRA, { runId: monday?.id ?? '', scheduledFor: new Date('2026-03-10T15:00:00Z') }),
  )
  await restart(stage, NEWER)
  expect(await planOf(stage, definitionId)).toEqual([
    '2026-03-07T12:00 2026-03-07T09:00:00.000Z SCHEDULED',
    '2026-03-08T12:00 2026-03-08T09:00:00.000Z SCHEDULED',
    '2026-03-09T12:00 2026-03-09T09:00:00.000Z SCHEDULED',
    '2026-03-10T12:00 2026-03-10T15:00:00.000Z SCHEDULED',
    '2026-03-11T12:00 2026-03-11T08:00:00.000Z SCHEDULED',
  ])
  const after = await runsOf(stage, definitionId)
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  expect(after[3]?.occurrenceAt).toEqual(new Date('2026-03-10T08:00:00Z'))
  expect(await stage.story(after[2]?.id ?? '')).toEqual(['run.created'])
  expect(await stage.story(after[3]?.id ?? '')).toEqual(['run.created', 'run.control RESCHEDULE SCHEDULED'])
  const log = await stage.log(after[4]?.id ?? '')
  expect(log[1]).toMatchObject({
    kind: 'run.moved',
    actorKind: 'SYSTEM',
    detail: { scheduledFrom: '2026-03-11T09:00:00.000Z', scheduledFor: '2026-03-11T08:00:00.000Z', zoneData: '9999a' },
  })
  await stage.letPass(6 * 24 * HOUR)
  expect((await runsOf(stage, definitionId)).slice(0, 5).map(({ status }) => status)).toEqual(
    Array(5).fill('COMPLETED'),
  )
  expect(stage.script.calls).toHaveLength(6)
})

test('a process with older zone data moves nothing back', async () => {
  const stage = await newStage({ horizonDays: 5 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00'), timeZone: 'Africa/Dar_es_Salaam' })
  await stage.settle()
  await restart(stage, NEWER)
  const moved = await planOf(stage, definitionId)
  await restart(stage, intl)
  expect(await planOf(stage, definitionId)).toEqual(moved)
})

test('a start stays where it is when a run started by hand has its new instant', async () => {
  const stage = await newStage({ horizonDays: 5 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00'), timeZone: 'Africa/Dar_es_Salaam' })
  await stage.settle()
  done(await startRun(stage.ctx, MIRA, { definitionId, scheduledFor: new Date('2026-03-11T08:00:00Z') }))
  await restart(stage, NEWER)
  expect((await planOf(stage, definitionId)).slice(-2)).toEqual([
    '2026-03-11T08:00:00.000Z 2026-03-11T08:00:00.000Z SCHEDULED',
    '2026-03-11T12:00 2026-03-11T09:00:00.000Z SCHEDULED',
  ])
})

test('a start that stays keeps its instant from the one that follows, and schedules go on', async () => {
  const stage = await newStage({ horizonDays: 5 })
  const schedule = { recurring: { start: '2026-03-11T12:00', rule: 'FREQ=DAILY;BYHOUR=12,13;COUNT=2' } }
  const { definitionId } = await publishScheduled(stage, { schedule, timeZone: 'Africa/Dar_es_Salaam' })
  await stage.settle()
  done(await startRun(stage.ctx, MIRA, { definitionId, scheduledFor: new Date('2026-03-11T08:00:00Z') }))
  await restart(stage, NEWER)
  expect(await planOf(stage, definitionId)).toEqual([
    '2026-03-11T08:00:00.000Z 2026-03-11T08:00:00.000Z SCHEDULED',
    '2026-03-11T12:00 2026-03-11T09:00:00.000Z SCHEDULED',
    '2026-03-11T13:00 2026-03-11T10:00:00.000Z SCHEDULED',
  ])
  const other = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  expect(await runsOf(stage, other.definitionId)).toHaveLength(5)
})

test('the occurrence at the edge of what was expanded is neither lost nor doubled', async () => {
  const stage = await newStage({ horizonDays: 4 })
  const { definitionId } = await publishScheduled(stage, {
    schedule: daily('23:30'),
    timeZone: 'Africa/Dar_es_Salaam',
  })
  await stage.settle()
  // 23:30 on the 10th lies half an hour beyond the horizon, and half an hour within it by the newer data.
  expect((await planOf(stage, definitionId)).at(-1)).toBe('2026-03-09T23:30 2026-03-09T20:30:00.000Z SCHEDULED')
  await restart(stage, NEWER)
  expect((await planOf(stage, definitionId)).at(-1)).toBe('2026-03-10T23:30 2026-03-10T19:30:00.000Z SCHEDULED')
})
