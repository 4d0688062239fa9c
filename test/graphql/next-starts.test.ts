import { expect, test } from 'vitest'
import { cancelRun, rescheduleRun } from '../../src/controls/runs.ts'
import { pauseSchedule, resumeSchedule } from '../../src/controls/schedules.ts'
import { startRun } from '../../src/controls/start.ts'
import { formatId } from '../../src/domain/ids.ts'
import { daily, done, publishScheduled, republish, runsOf } from '../support/scheduled.ts'
import { MIRA, newStage, type Stage, T0 } from '../support/stage.ts'
import { Client } from './client.ts'

const DAY = 86_400_000

const NEXT = `query ($id: ID!, $first: Int) {
  definition(id: $id) { nextStarts(first: $first) { at local scope moved adjusted shiftMinutes run { id status } } }
}`

type Start = {
  at: string
  local: string
  scope: string
  moved: boolean
  adjusted: string | null
  shiftMinutes: number | null
  run: { id: string; status: string } | null
}

/** What the API says of a definition. */
async function startsOf(stage: Stage, definitionId: string, first?: number): Promise<Start[]> {
  const { registry, clock, changes, db } = stage
  const client = new Client(db, { registry, clock, changes })
  const variables = { id: formatId('Definition', definitionId), ...(first === undefined ? {} : { first }) }
  return (await client.query(NEXT, variables)).at('definition', 'nextStarts') as Start[]
}

const brief = ({ at, scope, moved, run }: Start) =>
  [at.slice(0, 16), scope, moved ? 'moved' : '', run === null ? 'planned' : ''].filter((word) => word !== '').join(' ')
const briefly = async (...which: Parameters<typeof startsOf>) => (await startsOf(...which)).map(brief)

const byHand = async (stage: Stage, definitionId: string, at: string, more: object = {}): Promise<string> =>
  done(await startRun(stage.ctx, MIRA, { definitionId, scheduledFor: new Date(at), ...more })).runId

test('what was cancelled does not start, however many were, and the plan goes on behind what is made', async () => {
  const stage = await newStage({ horizonDays: 14 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  const runs = await runsOf(stage, definitionId)
  expect(runs).toHaveLength(14)
  for (const { id } of runs.slice(0, 12)) done(await cancelRun(stage.ctx, MIRA, { runId: id }))
  expect(await briefly(stage, definitionId)).toEqual(['2026-03-19T12:00'])
  expect(await briefly(stage, definitionId, 3)).toEqual([
    '2026-03-19T12:00',
    '2026-03-20T12:00',
    '2026-03-21T12:00 planned',
  ])
  for (const { id } of runs.slice(12)) done(await cancelRun(stage.ctx, MIRA, { runId: id }))
  expect(await briefly(stage, definitionId)).toEqual(['2026-03-21T12:00 planned'])
  // Once its schedule is to be expanded from the beginning again, all that was cancelled is still no plan.
  await stage.runner.stop()
  done(await pauseSchedule(stage.ctx, MIRA, { id: definitionId }))
  done(await resumeSchedule(stage.ctx, MIRA, { id: definitionId }))
  await stage.db.prisma.definition.update({ where: { id: definitionId }, data: { materialisedUntil: new Date(0) } })
  expect(await briefly(stage, definitionId, 2)).toEqual(['2026-03-21T12:00 planned', '2026-03-22T12:00 planned'])
})

test('a run that was moved to the next minutes comes first, from however far it was moved', async () => {
  const stage = await newStage({ horizonDays: 30 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  const last = (await runsOf(stage, definitionId)).at(-1)?.id ?? ''
  done(await rescheduleRun(stage.ctx, MIRA, { runId: last, scheduledFor: new Date('2026-03-06T20:10:00Z') }))
  const [first, second] = await startsOf(stage, definitionId, 2)
  expect(first).toMatchObject({
    at: '2026-03-06T20:10:00.000Z',
    local: '2026-03-06T20:10',
    moved: true,
    run: { id: formatId('Run', last), status: 'SCHEDULED' },
  })
  expect(second).toMatchObject({ at: '2026-03-07T12:00:00.000Z', moved: false })
})

test('while the schedule is paused what somebody started by hand is left, behind however many runs', async () => {
  const stage = await newStage({ horizonDays: 30 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  const [, second] = await runsOf(stage, definitionId)
  done(
    await rescheduleRun(stage.ctx, MIRA, { runId: second?.id ?? '', scheduledFor: new Date('2026-03-06T21:00:00Z') }),
  )
  const run = await byHand(stage, definitionId, '2026-04-04T18:00:00Z')
  expect((await startsOf(stage, definitionId, 40)).findIndex((start) => start.run?.id === formatId('Run', run))).toBe(
    29,
  )
  done(await pauseSchedule(stage.ctx, MIRA, { id: definitionId }))
  expect(await startsOf(stage, definitionId, 8)).toMatchObject([
    { at: '2026-04-04T18:00:00.000Z', run: { id: formatId('Run', run) } },
  ])
  done(await resumeSchedule(stage.ctx, MIRA, { id: definitionId }))
  expect(await briefly(stage, definitionId)).toEqual(['2026-03-06T21:00 moved'])
})

test('an unverified version makes nothing, and what is made of the one before it does start', async () => {
  const stage = await newStage({ horizonDays: 2 })
  stage.expectFaults(/is held/)
  const { definitionId } = await publishScheduled(stage, { schedule: daily('14:00') })
  await stage.settle()
  await stage.db.prisma.actionSetting.create({
    data: { actionId: 'test.change', enabled: false, updatedAt: new Date(T0) },
  })
  await republish(stage, definitionId, { schedule: daily('15:00') })
  const held = await publishScheduled(stage, { schedule: daily('14:00') })
  // Before the runner has found that it is held, and after it has.
  expect(await briefly(stage, held.definitionId, 8)).toEqual([])
  await stage.settle()
  expect(await briefly(stage, held.definitionId, 8)).toEqual([])
  expect(await briefly(stage, definitionId, 8)).toEqual(['2026-03-07T14:00', '2026-03-08T14:00'])
  await byHand(stage, held.definitionId, '2026-03-09T10:00:00Z')
  expect(await briefly(stage, held.definitionId, 8)).toEqual(['2026-03-09T10:00'])
})

test('runs and what is planned beyond the horizon are in the order of their starts, each once', async () => {
  const stage = await newStage({ horizonDays: 2 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await byHand(stage, definitionId, '2026-03-10T09:00:00Z')
  // Beyond the horizon, at the instant of an occurrence: that is the occurrence.
  await byHand(stage, definitionId, '2026-03-11T12:00:00Z')
  const cancelled = await byHand(stage, definitionId, '2026-03-12T12:00:00Z')
  await stage.settle()
  done(await cancelRun(stage.ctx, MIRA, { runId: cancelled }))
  expect(await briefly(stage, definitionId, 7)).toEqual([
    '2026-03-07T12:00',
    '2026-03-08T12:00',
    '2026-03-09T12:00 planned',
    '2026-03-10T09:00',
    '2026-03-10T12:00 planned',
    '2026-03-11T12:00',
    '2026-03-13T12:00 planned',
  ])
  const once = await publishScheduled(stage, { schedule: { once: { at: '2040-01-06T20:00' } } })
  await stage.settle()
  expect(await briefly(stage, once.definitionId, 8)).toEqual(['2040-01-06T20:00 planned'])
  expect(await briefly(stage, once.definitionId, 0)).toEqual([])
})

test('rehearsals are not among them, and a manual event has only what is started by hand', async () => {
  const stage = await newStage()
  const { definitionId } = await publishScheduled(stage, { schedule: { manual: true } })
  await byHand(stage, definitionId, '2026-03-06T21:00:00Z', { rehearsal: true })
  expect(await briefly(stage, definitionId, 8)).toEqual([])
  await byHand(stage, definitionId, '2026-03-06T22:00:00Z')
  expect(await briefly(stage, definitionId, 8)).toEqual(['2026-03-06T22:00'])
})

test('what starts at one instant is told apart by its runs and scopes', async () => {
  const stage = await newStage({ horizonDays: 1 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  const later = await byHand(stage, definitionId, '2026-03-20T09:00:00Z')
  const yew = await byHand(stage, definitionId, '2026-03-07T12:00:00Z', { scope: 'Yew' })
  done(await rescheduleRun(stage.ctx, MIRA, { runId: later, scheduledFor: new Date('2026-03-07T12:00:00Z') }))
  const starts = await startsOf(stage, definitionId, 4)
  expect(starts.map(brief).sort()).toEqual([
    '2026-03-07T12:00',
    '2026-03-07T12:00 Yew',
    '2026-03-07T12:00 moved',
    '2026-03-08T12:00 planned',
  ])
  expect(starts.at(-1)?.run).toBeNull()
  expect(new Set(starts.map(({ run }) => run?.id)).size).toBe(4)
  expect(starts.find(({ scope }) => scope === 'Yew')?.run?.id).toBe(formatId('Run', yew))
})

test('daylight saving shows of what is planned and of what is made, and not of what a person moved', async () => {
  const stage = await newStage()
  const { definitionId } = await publishScheduled(stage, {
    schedule: { recurring: { start: '2026-03-29T02:30', rule: 'FREQ=DAILY;COUNT=1' } },
    timeZone: 'Europe/Berlin',
  })
  await stage.settle()
  const gap = {
    at: '2026-03-29T01:30:00.000Z',
    local: '2026-03-29T02:30',
    moved: false,
    adjusted: 'GAP',
    shiftMinutes: 60,
  }
  expect(await startsOf(stage, definitionId)).toMatchObject([{ ...gap, run: null }])
  await stage.letPass(22 * DAY)
  const [run] = await runsOf(stage, definitionId)
  expect(await startsOf(stage, definitionId)).toMatchObject([{ ...gap, run: { id: formatId('Run', run?.id ?? '') } }])
  done(await rescheduleRun(stage.ctx, MIRA, { runId: run?.id ?? '', scheduledFor: new Date('2026-03-29T02:00:00Z') }))
  expect(await startsOf(stage, definitionId, 8)).toMatchObject([
    { at: '2026-03-29T02:00:00.000Z', local: '2026-03-29T04:00', moved: true, adjusted: null, shiftMinutes: null },
  ])
})
