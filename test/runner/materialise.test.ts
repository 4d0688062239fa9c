import { expect, test } from 'vitest'
import { cancelRun, rescheduleRun } from '../../src/controls/runs.ts'
import { pauseSchedule, resumeSchedule } from '../../src/controls/schedules.ts'
import { startRun } from '../../src/controls/start.ts'
import { verifyDefinition } from '../../src/controls/verify.ts'
import { timetableOf } from '../../src/domain/timetable.ts'
import { idempotencyKeyOf } from '../../src/store/ids.ts'
import { expandIfUnchanged, readToExpand } from '../../src/store/materialise.ts'
import { daily, done, planOf, publishScheduled, republish, runsOf } from '../support/scheduled.ts'
import { MIRA, newStage, T0 } from '../support/stage.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

test('a published schedule becomes runs up to the horizon, and nothing of the past', async () => {
  const stage = await newStage()
  const { definitionId } = await publishScheduled(stage, {
    schedule: daily('21:00', '2016-01-01'),
    timeZone: 'Europe/Berlin',
    concurrencyKey: 'invasion:{region}',
    parameters: [{ name: 'region', default: 'Yew' }],
    phases: [{ key: 'main', steps: [{ actionId: 'test.change', params: { key: 'in {region}' } }] }],
  })
  await stage.settle()
  const runs = await runsOf(stage, definitionId)
  // Published at the very instant of the first, 21:00 in Berlin: it starts at once.
  expect(runs.map(({ scheduledFor }) => scheduledFor.getTime())).toEqual(
    Array.from({ length: 14 }, (_, day) => T0 + day * DAY),
  )
  expect(runs[0]).toMatchObject({ status: 'COMPLETED', occurrenceKey: '2026-03-06T21:00' })
  expect(runs[1]).toMatchObject({
    status: 'SCHEDULED',
    source: 'SCHEDULE',
    scope: '',
    params: { region: 'Yew' },
    concurrencyKey: 'invasion:Yew',
    timeZone: 'Europe/Berlin',
    occurrenceKey: '2026-03-07T21:00',
    occurrenceAt: new Date(T0 + DAY),
    graceUntil: new Date(T0 + DAY + 900_000),
    startedByKind: 'SYSTEM',
  })
  expect(runs[1]?.steps).toMatchObject([{ seq: 0, phase: 'main', params: { key: 'in Yew' }, status: 'PENDING' }])
  const keys = runs.flatMap(({ steps }) => steps.map(({ idempotencyKey }) => idempotencyKey))
  expect(new Set(keys).size).toBe(14)
  for (const { runId, id, idempotencyKey } of runs.flatMap(({ steps }) => steps)) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(idempotencyKey).toBe(idempotencyKeyOf(runId, id))
  }
  expect(await stage.log(runs[1]?.id ?? '')).toMatchObject([
    {
      line: 1,
      kind: 'run.created',
      actorKind: 'SYSTEM',
      detail: { source: 'SCHEDULE', version: 1, scope: '', rehearsal: false, params: { region: 'Yew' } },
    },
  ])
})

test('a pass with nothing new to make writes nothing', async () => {
  const stage = await newStage()
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  const before = await stage.db.prisma.$queryRaw`SELECT xmin::text, ctid::text FROM definitions`
  stage.changes.schedulesChanged()
  await stage.settle()
  expect(await stage.db.prisma.$queryRaw`SELECT xmin::text, ctid::text FROM definitions`).toEqual(before)
  expect(await runsOf(stage, definitionId)).toHaveLength(14)
})

test('as time passes the horizon moves on, one occurrence at a time', async () => {
  const stage = await newStage()
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.letPass(3 * DAY)
  const runs = await runsOf(stage, definitionId)
  expect(runs.filter(({ status }) => status === 'COMPLETED')).toHaveLength(3)
  expect(runs.filter(({ status }) => status === 'SCHEDULED')).toHaveLength(14)
})

test('a dense schedule is made in portions, all of it', async () => {
  const stage = await newStage({ horizonDays: 1 })
  const { definitionId } = await publishScheduled(stage, {
    schedule: { recurring: { start: '2026-03-06T20:02', rule: 'FREQ=MINUTELY;INTERVAL=5' } },
  })
  await stage.settle()
  const runs = await runsOf(stage, definitionId)
  expect(runs).toHaveLength(288)
  expect(runs[0]?.occurrenceKey).toBe('2026-03-06T20:02:00.000Z')
})

test('a one-off occurrence is made once; one that lies behind is not', async () => {
  const stage = await newStage()
  const coming = await publishScheduled(stage, { schedule: { once: { at: '2026-03-10T20:00' } } })
  const gone = await publishScheduled(stage, { schedule: { once: { at: '2026-03-06T19:59' } } })
  const far = await publishScheduled(stage, { schedule: { once: { at: '2026-03-26T20:00' } } })
  await stage.letPass(7 * DAY)
  expect(await planOf(stage, coming.definitionId)).toEqual(['2026-03-10T20:00 2026-03-10T20:00:00.000Z COMPLETED'])
  expect(await planOf(stage, gone.definitionId)).toEqual([])
  expect(await planOf(stage, far.definitionId)).toEqual(['2026-03-26T20:00 2026-03-26T20:00:00.000Z SCHEDULED'])
})

test('an occurrence further ahead than any preview looks is made once it comes within the horizon; what is over is not looked for', async () => {
  const stage = await newStage()
  const far = await publishScheduled(stage, { schedule: { once: { at: '2120-03-10T20:00' } } })
  const rule = 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;UNTIL=20280301'
  const over = await publishScheduled(stage, { schedule: { recurring: { start: '2026-03-06T20:00', rule } } })
  await stage.settle()
  const watermark = async ({ definitionId }: { definitionId: string }) =>
    (await stage.db.prisma.definition.findUnique({ where: { id: definitionId } }))?.materialisedUntil ?? null
  expect(await watermark(far)).toEqual(new Date(T0 + (14 + 60 * 366) * DAY))
  expect(await watermark(over)).toEqual(new Date('2028-02-29T20:00:00Z'))
  await stage.runner.stop()
  stage.clock.moveTo(Date.parse('2120-03-01T20:00:00Z'))
  stage.runner = stage.newRunner()
  stage.runner.start()
  await stage.settle()
  expect(await watermark(over)).toBeNull()
  expect(await planOf(stage, far.definitionId)).toEqual(['2120-03-10T20:00 2120-03-10T20:00:00.000Z SCHEDULED'])
  expect(await watermark(far)).toBeNull()
})

test('an expansion that read a definition before its schedule was paused and resumed makes nothing', async () => {
  const stage = await newStage({ horizonDays: 2 })
  await stage.runner.stop()
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  const [read] = await readToExpand(stage.db.hot, { before: T0 + DAY, limit: 1, except: [] })
  if (read === undefined) throw new Error('There is nothing to expand')
  done(await pauseSchedule(stage.ctx, MIRA, { id: definitionId }))
  done(await resumeSchedule(stage.ctx, MIRA, { id: definitionId }))
  const timetable = timetableOf(read.version, stage.ctx.zones)
  const expansion = {
    read,
    timetable,
    steps: [],
    budget: null,
    occurrences: [],
    until: T0 + DAY,
  }
  const current = { zoneData: '2026a', now: T0 }
  expect(await expandIfUnchanged(stage.db.hot, [expansion], current)).toEqual([null])
  const [again] = await readToExpand(stage.db.hot, { before: T0 + DAY, limit: 1, except: [] })
  expect(again?.resumedAt).toEqual(new Date(T0))
  expect(await expandIfUnchanged(stage.db.hot, [{ ...expansion, read: again ?? read }], current)).toEqual([[]])
})

test('an unverified version holds its schedule and says so once; verifying lets it go on from then', async () => {
  const stage = await newStage()
  stage.expectFaults(/is held/)
  await stage.db.prisma.actionSetting.create({
    data: { actionId: 'test.change', enabled: false, updatedAt: new Date(T0) },
  })
  const { definitionId, verification } = await publishScheduled(stage, { schedule: daily('12:00') })
  expect(verification.passed).toBe(false)
  await stage.letPass(2 * DAY)
  expect(await planOf(stage, definitionId)).toEqual([])
  expect(stage.faults).toHaveLength(1)
  // A person who presses start is the review.
  done(await startRun(stage.ctx, MIRA, { definitionId }))
  await stage.db.prisma.actionSetting.deleteMany()
  const { upcoming } = done(await verifyDefinition(stage.ctx, MIRA, { id: definitionId }))
  await stage.settle()
  expect(upcoming).toEqual({ added: 14, kept: 0, cancelled: 0 })
  const made = (await runsOf(stage, definitionId)).filter(({ source }) => source === 'SCHEDULE')
  expect(made).toHaveLength(14)
  expect(made[0]?.occurrenceKey).toBe('2026-03-09T12:00')
})

test('a definition that cannot be expanded stops no other, and is said once', async () => {
  const stage = await newStage()
  stage.expectFaults(/cannot be expanded/)
  const { prisma } = stage.db
  await stage.runner.stop()
  const bad = await publishScheduled(stage, { schedule: daily('12:00') })
  await prisma.version.update({ where: { id: bad.versionId }, data: { spec: { schedule: { recurring: {} } } } })
  const good = await publishScheduled(stage, { schedule: daily('12:00') })
  stage.runner = stage.newRunner()
  stage.runner.start()
  await stage.letPass(HOUR / 2)
  expect(await runsOf(stage, good.definitionId)).toHaveLength(14)
  expect(await runsOf(stage, bad.definitionId)).toHaveLength(0)
  expect(stage.faults).toHaveLength(1)
  await republish(stage, bad.definitionId, { graceSeconds: 60 })
  await stage.settle()
  expect(await runsOf(stage, bad.definitionId)).toHaveLength(14)
})

test('a rescheduled occurrence is not made again, a cancelled one stays cancelled, one started by hand is the one', async () => {
  const stage = await newStage({ horizonDays: 3 })
  const schedule = daily('12:00')
  const { definitionId } = await publishScheduled(stage, { schedule })
  // Beyond the horizon, at the instant of an occurrence to come.
  const byHand = done(
    await startRun(stage.ctx, MIRA, { definitionId, scheduledFor: new Date('2026-03-10T12:00:00.000Z') }),
  )
  await stage.settle()
  const [first, second] = await runsOf(stage, definitionId)
  done(await rescheduleRun(stage.ctx, MIRA, { runId: first?.id ?? '', scheduledFor: new Date('2026-03-07T18:30:00Z') }))
  done(await cancelRun(stage.ctx, MIRA, { runId: second?.id ?? '' }))
  await stage.letPass(5 * DAY)
  expect((await planOf(stage, definitionId)).slice(0, 5)).toEqual([
    '2026-03-07T12:00 2026-03-07T18:30:00.000Z COMPLETED',
    '2026-03-08T12:00 2026-03-08T12:00:00.000Z CANCELLED',
    '2026-03-09T12:00 2026-03-09T12:00:00.000Z COMPLETED',
    '2026-03-10T12:00:00.000Z 2026-03-10T12:00:00.000Z COMPLETED',
    '2026-03-11T12:00 2026-03-11T12:00:00.000Z COMPLETED',
  ])
  expect((await stage.run(byHand.runId)).source).toBe('MANUAL')
  // And the other way round: pressing start at the instant of a run that the schedule made answers that run.
  const [, , , , , upcoming] = await runsOf(stage, definitionId)
  const again = done(await startRun(stage.ctx, MIRA, { definitionId, scheduledFor: upcoming?.scheduledFor ?? null }))
  expect(again).toEqual({ created: false, runId: upcoming?.id })
})

test('after three days down what was planned is MISSED, each with the reason, and nothing is invented', async () => {
  const stage = await newStage({ horizonDays: 2 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  await stage.runner.stop()
  stage.clock.moveBy(3 * DAY)
  stage.runner = stage.newRunner()
  stage.runner.start()
  await stage.settle()
  expect(await planOf(stage, definitionId)).toEqual([
    '2026-03-07T12:00 2026-03-07T12:00:00.000Z MISSED',
    '2026-03-08T12:00 2026-03-08T12:00:00.000Z MISSED',
    '2026-03-10T12:00 2026-03-10T12:00:00.000Z SCHEDULED',
    '2026-03-11T12:00 2026-03-11T12:00:00.000Z SCHEDULED',
  ])
  const [missed] = await runsOf(stage, definitionId)
  expect(missed).toMatchObject({ missedReason: 'NOT_RUNNING', endedAt: new Date(T0 + 3 * DAY) })
  expect(missed?.steps).toMatchObject([{ status: 'CANCELLED' }])
  expect(await stage.story(missed?.id ?? '')).toEqual(['run.created', 'run.status MISSED'])
})

test('a thousand missed runs are swept in one go of the runner', async () => {
  const stage = await newStage({ horizonDays: 4 })
  await publishScheduled(stage, {
    schedule: { recurring: { start: '2026-03-06T20:05', rule: 'FREQ=MINUTELY;INTERVAL=5' } },
  })
  await stage.settle()
  await stage.runner.stop()
  stage.clock.moveBy(5 * DAY)
  stage.runner = stage.newRunner()
  stage.runner.start()
  await stage.settle()
  expect(await stage.db.prisma.run.count({ where: { status: 'MISSED' } })).toBe(4 * 288 - 1)
})

test('however many runners expand at once, every occurrence is made once', async () => {
  const stage = await newStage({ horizonDays: 1 })
  await stage.runner.stop()
  const schedule = { recurring: { start: '2026-03-06T20:02', rule: 'FREQ=MINUTELY;INTERVAL=5' } }
  const { definitionId } = await publishScheduled(stage, { schedule })
  const runners = Array.from({ length: 4 }, () => stage.newRunner())
  for (const runner of runners) runner.start()
  await Promise.all(runners.map((runner) => runner.idle()))
  const runs = await runsOf(stage, definitionId)
  expect(runs).toHaveLength(288)
  expect(new Set(runs.map(({ occurrenceKey }) => occurrenceKey)).size).toBe(288)
})

test('a version that is verified just when its schedule is about to be held is expanded', async () => {
  const stage = await newStage({ horizonDays: 2 })
  stage.expectFaults(/is held/)
  const off = { actionId: 'test.change', enabled: false, updatedAt: new Date(T0) }
  await stage.db.prisma.actionSetting.create({ data: off })
  let verified = false
  stage.interpose((sql) => {
    if (!sql.sql.includes('AS "materialisedUntil"') || verified) return stage.send(sql)
    return stage.send(sql).then(async (rows) => {
      if (!Array.isArray(rows) || rows.length === 0) return rows
      verified = true
      await stage.db.prisma.actionSetting.deleteMany()
      done(await verifyDefinition(stage.ctx, MIRA, { id: rows[0].definitionId }))
      return rows
    })
  })
  const { definitionId, verification } = await publishScheduled(stage, { schedule: daily('12:00') })
  expect(verification.passed).toBe(false)
  await stage.settle()
  expect(verified).toBe(true)
  expect(await planOf(stage, definitionId)).toHaveLength(2)
})
