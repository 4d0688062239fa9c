import { expect, test } from 'vitest'
import { cancelRun, rescheduleRun } from '../../src/controls/runs.ts'
import { pauseSchedule } from '../../src/controls/schedules.ts'
import { startRun } from '../../src/controls/start.ts'
import { formatId } from '../../src/domain/ids.ts'
import { Timetables } from '../../src/domain/timetable.ts'
import { daily, done, publishScheduled, republish, runsOf } from '../support/scheduled.ts'
import { MIRA, newStage, type Stage, T0 } from '../support/stage.ts'
import { Client } from './client.ts'

const DAY = 86_400_000

const CALENDAR = `query ($from: DateTime!, $to: DateTime!, $definitionId: ID, $scope: String) {
  calendar(from: $from, to: $to, definitionId: $definitionId, scope: $scope) {
    at local timeZone projected adjusted shiftMinutes contends contendsWith { slug } definition { slug } run { id status }
  }
}`

type Entry = {
  at: string
  local: string
  timeZone: string
  projected: boolean
  adjusted: string | null
  shiftMinutes: number | null
  contends: boolean
  contendsWith: { slug: string }[]
  definition: { slug: string }
  run: { id: string; status: string } | null
}

function clientOf(stage: Stage): Client {
  const client = new Client(stage.db, { registry: stage.registry, clock: stage.clock, changes: stage.changes })
  client.control.horizonDays = stage.ctx.horizonDays
  return client
}

async function calendar(client: Client, from: string, to: string, more: object = {}): Promise<Entry[]> {
  const found = await client.query(CALENDAR, { from: `${from}T00:00:00Z`, to: `${to}T00:00:00Z`, ...more })
  return found.at('calendar') as Entry[]
}

const brief = ({ local, run, projected }: Entry) => `${local} ${projected ? 'PROJECTED' : run?.status}`

test('runs and projections beyond the horizon are one list', async () => {
  const stage = await newStage({ horizonDays: 2 })
  const client = clientOf(stage)
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  // Beyond the horizon, by hand, at the instant of an occurrence: that is the occurrence.
  done(await startRun(stage.ctx, MIRA, { definitionId, scheduledFor: new Date('2026-03-10T12:00:00Z') }))
  await stage.settle()
  const [saturday, sunday] = await runsOf(stage, definitionId)
  done(
    await rescheduleRun(stage.ctx, MIRA, { runId: saturday?.id ?? '', scheduledFor: new Date('2026-03-09T09:30:00Z') }),
  )
  done(await cancelRun(stage.ctx, MIRA, { runId: sunday?.id ?? '' }))
  const entries = await calendar(client, '2026-03-01', '2026-03-12')
  expect(entries.map(brief)).toEqual([
    '2026-03-08T12:00 CANCELLED',
    '2026-03-09T09:30 SCHEDULED',
    '2026-03-09T12:00 PROJECTED',
    '2026-03-10T12:00 SCHEDULED',
    '2026-03-11T12:00 PROJECTED',
  ])
  expect(entries[2]).toMatchObject({ at: '2026-03-09T12:00:00.000Z', run: null, timeZone: 'UTC', contends: false })
  expect(entries[1]?.run?.id).toBe(formatId('Run', saturday?.id ?? ''))
  const id = formatId('Definition', definitionId)
  expect(await calendar(client, '2026-03-08', '2026-03-09', { definitionId: id, scope: '' })).toHaveLength(1)
  expect(await calendar(client, '2026-03-08', '2026-03-09', { scope: 'shard-1' })).toEqual([])
})

test('daylight saving shows on the calendar and in the next occurrences, in the zone of the event', async () => {
  const stage = await newStage()
  const client = clientOf(stage)
  const { definitionId } = await publishScheduled(stage, { schedule: daily('02:30'), timeZone: 'Europe/Berlin' })
  const [gap] = await calendar(client, '2026-03-29', '2026-03-30')
  expect(gap).toMatchObject({
    at: '2026-03-29T01:30:00.000Z',
    local: '2026-03-29T02:30',
    timeZone: 'Europe/Berlin',
    adjusted: 'GAP',
    shiftMinutes: 60,
  })
  const [overlap] = await calendar(client, '2026-10-25', '2026-10-26')
  expect(overlap).toMatchObject({ at: '2026-10-25T00:30:00.000Z', adjusted: 'OVERLAP', shiftMinutes: null })
  await stage.letPass(22 * DAY)
  const [made] = await calendar(client, '2026-03-29', '2026-03-30')
  expect(made).toMatchObject({ ...gap, projected: false, run: { status: 'SCHEDULED' } })
  const next = await client.query(
    'query ($id: ID!) { definition(id: $id) { nextOccurrences(first: 2) { at local adjusted shiftMinutes } } }',
    { id: formatId('Definition', definitionId) },
  )
  expect(next.at('definition', 'nextOccurrences')).toEqual([
    { at: '2026-03-29T01:30:00.000Z', local: '2026-03-29T02:30', adjusted: 'GAP', shiftMinutes: 60 },
    { at: '2026-03-30T00:30:00.000Z', local: '2026-03-30T02:30', adjusted: null, shiftMinutes: null },
  ])
})

test('occurrences that share a concurrency key within their grace windows contend, shown or not', async () => {
  const stage = await newStage({ horizonDays: 2 })
  const client = clientOf(stage)
  const graceSeconds = 600
  const key = { concurrencyKey: 'yew', graceSeconds }
  const noon = await publishScheduled(stage, { schedule: daily('12:00'), ...key })
  const soon = await publishScheduled(stage, { schedule: daily('12:10'), ...key })
  const later = await publishScheduled(stage, { schedule: daily('12:21'), ...key })
  const other = await publishScheduled(stage, { schedule: daily('12:00'), concurrencyKey: 'vesper', graceSeconds })
  await stage.settle()
  const slugs = new Map<string, string>()
  for (const entry of await calendar(client, '2026-03-07', '2026-03-08')) slugs.set(entry.local, entry.definition.slug)
  const contention = async (of: { definitionId: string }, from: string, to: string) =>
    (await calendar(client, from, to, { definitionId: formatId('Definition', of.definitionId) })).map(
      ({ contends, contendsWith }) => [contends, contendsWith.map(({ slug }) => slug)],
    )
  // Made runs, and projections beyond the horizon.
  for (const [from, to] of [
    ['2026-03-07', '2026-03-08'],
    ['2026-03-20', '2026-03-21'],
  ] as const) {
    expect(await contention(noon, from, to)).toEqual([[true, [slugs.get('2026-03-07T12:10')]]])
    expect(await contention(soon, from, to)).toEqual([[true, [expect.any(String)]]])
    expect(await contention(later, from, to)).toEqual([[false, []]])
    expect(await contention(other, from, to)).toEqual([[false, []]])
  }
  // A rehearsal neither holds nor waits.
  const instant = new Date('2026-03-07T12:25:00Z')
  done(await startRun(stage.ctx, MIRA, { definitionId: later.definitionId, scheduledFor: instant, rehearsal: true }))
  expect(await contention(later, '2026-03-07', '2026-03-08')).toEqual([
    [false, []],
    [false, []],
  ])
  // A real one of the same definition does.
  done(
    await startRun(stage.ctx, MIRA, {
      definitionId: later.definitionId,
      scheduledFor: new Date('2026-03-07T12:26:00Z'),
    }),
  )
  expect((await contention(later, '2026-03-07', '2026-03-08')).map(([contends]) => contends)).toEqual([
    true,
    false,
    true,
  ])
})

test('what contends is told however many share the key, or the window is refused with what to do', async () => {
  const stage = await newStage({ horizonDays: 2 })
  await stage.runner.stop()
  const client = clientOf(stage)
  const { definitionId, versionId } = await publishScheduled(stage, { schedule: daily('12:00'), concurrencyKey: 'yew' })
  const crowd = (from: number, to: number) => stage.db.prisma.$executeRaw`
    INSERT INTO runs (id, definition_id, version_id, scope, source, time_zone, concurrency_key, occurrence_key, occurrence_at,
      scheduled_for, grace_until, created_at, started_by_kind, started_by_name)
    SELECT gen_random_uuid(), ${definitionId}::uuid, ${versionId}::uuid, 'crowd', 'MANUAL', 'UTC', 'yew', n::text,
      '2026-03-07T00:00:00Z'::timestamptz + n * interval '1 s', '2026-03-07T00:00:00Z'::timestamptz + n * interval '1 s',
      '2026-03-07T00:01:00Z'::timestamptz + n * interval '1 s', '2026-03-06', 'USER', 'Mira'
    FROM generate_series(${from}::int, ${to}::int) n`
  const noon = () => calendar(client, '2026-03-08', '2026-03-09', { scope: '' })
  await crowd(1, 6_000)
  expect(await noon()).toMatchObject([{ local: '2026-03-08T12:00', contends: false }])
  done(await startRun(stage.ctx, MIRA, { definitionId, scope: 'late', scheduledFor: new Date('2026-03-08T12:05:00Z') }))
  expect(await noon()).toMatchObject([{ local: '2026-03-08T12:00', contends: true }])
  await crowd(6_001, 20_000)
  const window = { from: '2026-03-08T00:00:00Z', to: '2026-03-09T00:00:00Z', scope: '' }
  expect((await client.error(CALENDAR, window)).message).toBe(
    'More than 20000 occurrences need a concurrency key of those between from and to; ask for a shorter window, or for one definitionId or scope.',
  )
})

test('every schedule shows, also where there is not room to keep all timetables', async () => {
  const stage = await newStage({ horizonDays: 2 })
  await stage.runner.stop()
  const client = clientOf(stage)
  client.control.timetables = new Timetables(client.control.zones, 1)
  for (const time of ['12:00', '13:00', '14:00']) await publishScheduled(stage, { schedule: daily(time) })
  for (let times = 0; times < 2; times += 1) {
    expect((await calendar(client, '2026-03-20', '2026-03-21')).map(brief)).toEqual([
      '2026-03-20T12:00 PROJECTED',
      '2026-03-20T13:00 PROJECTED',
      '2026-03-20T14:00 PROJECTED',
    ])
  }
})

test('paused schedules and manual events have no projections, held ones do, superseded runs are gone', async () => {
  const stage = await newStage({ horizonDays: 1 })
  stage.expectFaults(/is held/)
  const client = clientOf(stage)
  const paused = await publishScheduled(stage, { schedule: daily('12:00') })
  done(await pauseSchedule(stage.ctx, MIRA, { id: paused.definitionId }))
  await publishScheduled(stage, { schedule: { manual: true } })
  expect(await calendar(client, '2026-03-06', '2026-04-06')).toEqual([])
  const next = 'query ($id: ID!) { definition(id: $id) { nextOccurrences { at } } }'
  const ofPaused = await client.query(next, { id: formatId('Definition', paused.definitionId) })
  expect(ofPaused.at('definition', 'nextOccurrences')).toEqual([])

  const event = await publishScheduled(stage, { schedule: daily('14:00') })
  await stage.settle()
  await stage.db.prisma.actionSetting.create({
    data: { actionId: 'test.change', enabled: false, updatedAt: new Date(T0) },
  })
  await republish(stage, event.definitionId, { schedule: daily('15:00') })
  await stage.settle()
  expect((await calendar(client, '2026-03-07', '2026-03-08')).map(brief)).toEqual([
    '2026-03-07T14:00 SCHEDULED',
    '2026-03-07T15:00 PROJECTED',
  ])
  await stage.db.prisma.actionSetting.deleteMany()
  const verify = `mutation ($id: ID!) { verifyDefinition(input: { id: $id }) {
    ... on VerifyDefinitionPayload { upcoming { added kept cancelled } } } }`
  const verified = await client.query(verify, { id: formatId('Definition', event.definitionId) })
  expect(verified.at('verifyDefinition', 'upcoming')).toEqual({ added: 1, kept: 0, cancelled: 1 })
  await stage.settle()
  expect((await calendar(client, '2026-03-07', '2026-03-08')).map(brief)).toEqual(['2026-03-07T15:00 SCHEDULED'])
})

test('a window that is empty, too long or too full is refused with what to do', async () => {
  const stage = await newStage({ horizonDays: 1 })
  const client = clientOf(stage)
  const refused = async (from: string, to: string) => (await client.error(CALENDAR, { from, to })).message
  expect(await refused('2026-03-07T00:00:00Z', '2026-03-07T00:00:00Z')).toMatch(/to must be after from/)
  expect(await refused('2026-03-07T00:00:00Z', '2027-05-07T00:00:00Z')).toMatch(/400 days/)
  await publishScheduled(stage, {
    schedule: { recurring: { start: '2026-03-06T20:02', rule: 'FREQ=MINUTELY;INTERVAL=5' } },
  })
  await stage.settle()
  expect(await refused('2026-03-07T00:00:00Z', '2026-04-07T00:00:00Z')).toMatch(/5000 entries.*shorter window/)
  expect(await calendar(client, '2026-03-10', '2026-03-11')).toHaveLength(288)
})

test('a scope that no run can have shows nothing', async () => {
  const client = clientOf(await newStage())
  const scoped =
    'query ($scope: String) { calendar(from: "2026-03-07T00:00:00Z", to: "2026-03-08T00:00:00Z", scope: $scope) { at } }'
  for (const scope of ['elsewhere', '\u0000', '\ud800']) {
    expect((await client.query(scoped, { scope })).at('calendar')).toEqual([])
  }
})

const PREVIEW = `query ($schedule: ScheduleInput!, $timeZone: TimeZone!, $from: DateTime, $first: Int) {
  previewSchedule(schedule: $schedule, timeZone: $timeZone, from: $from, first: $first) {
    phrase occurrences { at local adjusted shiftMinutes } issues { path message } warnings { path message }
  }
}`

test('a schedule that is being written shows its next occurrences, or what is wrong with it', async () => {
  const client = clientOf(await newStage())
  const preview = async (variables: object) => (await client.query(PREVIEW, { ...variables })).at('previewSchedule')
  const recurring = {
    start: '2026-03-03T20:00',
    rule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;UNTIL=20261231',
    exclude: ['2026-03-19', '2026-03-20'],
  }
  expect(await preview({ schedule: { recurring }, timeZone: 'Europe/Berlin', first: 2 })).toMatchObject({
    phrase: 'every 2 weeks on Tuesday and Thursday at 20:00, until 31 December 2026',
    occurrences: [
      { at: '2026-03-17T19:00:00.000Z', local: '2026-03-17T20:00', adjusted: null, shiftMinutes: null },
      { at: '2026-03-31T18:00:00.000Z', local: '2026-03-31T20:00', adjusted: null, shiftMinutes: null },
    ],
    issues: [],
    warnings: [{ path: 'schedule.recurring.exclude[1]' }],
  })
  const wrong = { recurring: { start: '2026-02-30T20:00', rule: 'FREQ=SECONDLY' } }
  const found = await preview({ schedule: wrong, timeZone: 'Mars/Olympus' })
  expect(found).toMatchObject({ phrase: null, occurrences: [], warnings: [] })
  expect((found as { issues: { path: string }[] }).issues.map(({ path }) => path)).toEqual([
    'timeZone',
    'schedule.recurring.start',
    'schedule.recurring.rule',
  ])
  expect(await preview({ schedule: { manual: true }, timeZone: 'UTC' })).toMatchObject({ occurrences: [], issues: [] })
})
