import { expect, test } from 'vitest'
import { rescheduleRun } from '../../src/controls/runs.ts'
import { startRun } from '../../src/controls/start.ts'
import { IntlZones } from '../../src/domain/recurrence/intl-zones.ts'
import type { ZoneData } from '../../src/domain/recurrence/zone-data.ts'
import { daily, done, planOf, publishScheduled, republish, runsOf } from '../support/scheduled.ts'
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

test('a start that stays where it is keeps the next from its instant', async () => {
  const stage = await newStage({ horizonDays: 5 })
  const schedule = { recurring: { start: '2026-03-11T12:00', rule: 'FREQ=DAILY;BYHOUR=12,13,14;COUNT=3' } }
  const { definitionId } = await publishScheduled(stage, { schedule, timeZone: 'Africa/Dar_es_Salaam' })
  await stage.settle()
  done(await startRun(stage.ctx, MIRA, { definitionId, scheduledFor: new Date('2026-03-11T08:00:00Z') }))
  await restart(stage, NEWER)
  expect((await planOf(stage, definitionId)).slice(1)).toEqual([
    '2026-03-11T12:00 2026-03-11T09:00:00.000Z SCHEDULED',
    '2026-03-11T13:00 2026-03-11T10:00:00.000Z SCHEDULED',
    '2026-03-11T14:00 2026-03-11T11:00:00.000Z SCHEDULED',
  ])
})

test('what is expanded or published by older or newer data beside other runs is looked at by the newer', async () => {
  const stage = await newStage({ horizonDays: 5 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00'), timeZone: 'Africa/Dar_es_Salaam' })
  await stage.settle()
  const zoneData = async () => (await stage.db.prisma.definition.findFirstOrThrow()).zoneData
  expect(await zoneData()).toBe(intl.version)
  // Looking for older plans fails, and expanding does not.
  stage.expectFaults(/"zone data" failed/)
  stage.interpose((sql) => (sql.sql.includes('d.zone_data <') ? Promise.reject(new Error('away')) : stage.send(sql)))
  await restart(stage, NEWER)
  await stage.letPass(2 * 24 * HOUR)
  expect((await planOf(stage, definitionId)).at(-1)).toBe('2026-03-13T12:00 2026-03-13T08:00:00.000Z SCHEDULED')
  expect(await zoneData()).toBe(intl.version)
  stage.interpose(stage.send)
  await stage.letPass(24 * HOUR)
  expect(await zoneData()).toBe(NEWER.version)
  expect((await planOf(stage, definitionId))[4]).toBe('2026-03-11T12:00 2026-03-11T08:00:00.000Z SCHEDULED')
  // A process that still has the older data publishes.
  await republish(stage, definitionId, { schedule: daily('13:00') })
  await stage.runner.stop()
  expect(await zoneData()).toBe(intl.version)
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

test('where the start of an elapsed rule moves, its runs are made anew and the old ones are gone', async () => {
  const stage = await newStage({ horizonDays: 5 })
  const { definitionId } = await publishScheduled(stage, {
    schedule: { recurring: { start: '2026-03-10T06:00', rule: 'FREQ=HOURLY;INTERVAL=24' } },
    timeZone: 'Africa/Dar_es_Salaam',
  })
  await stage.settle()
  const [kept] = await runsOf(stage, definitionId)
  done(await rescheduleRun(stage.ctx, MIRA, { runId: kept?.id ?? '', scheduledFor: new Date('2026-03-10T12:00:00Z') }))
  await restart(stage, NEWER)
  expect(await planOf(stage, definitionId)).toEqual([
    '2026-03-10T02:00:00.000Z 2026-03-10T02:00:00.000Z SCHEDULED',
    '2026-03-10T03:00:00.000Z 2026-03-10T12:00:00.000Z SCHEDULED',
    '2026-03-11T02:00:00.000Z 2026-03-11T02:00:00.000Z SCHEDULED',
    '2026-03-11T03:00:00.000Z 2026-03-11T03:00:00.000Z CANCELLED',
  ])
  const gone = (await runsOf(stage, definitionId)).at(-1)
  expect(gone?.endedBecause).toBe('the zone data 9999a moved its schedule')
  const log = await stage.log(gone?.id ?? '')
  expect(log.at(-1)).toMatchObject({ kind: 'run.superseded', actorKind: 'SYSTEM', detail: { cancelled: true } })
  expect(log.at(-1)?.text).toBe(
    'Version 1 no longer has this occurrence by the zone data 9999a, and the run is cancelled.',
  )
})
