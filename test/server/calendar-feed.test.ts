import ICAL from 'ical.js'
import { expect, test } from 'vitest'
import { createDefinition, publishDefinition, updateDefinition } from '../../src/controls/definitions.ts'
import { cancelRun, rescheduleRun } from '../../src/controls/runs.ts'
import { pauseSchedule, resumeSchedule } from '../../src/controls/schedules.ts'
import { setActionSetting } from '../../src/controls/settings.ts'
import { startRun } from '../../src/controls/start.ts'
import { verifyDefinition } from '../../src/controls/verify.ts'
import { formatId } from '../../src/domain/ids.ts'
import { BOUNDS, calendarFeed } from '../../src/server/calendar-feed.ts'
import { daily, done, publishScheduled, republish, runsOf } from '../support/scheduled.ts'
import { MIRA, newStage, type Stage, T0 } from '../support/stage.ts'

// The feed as a client reads it, with a parser that is not ours.

const DAY = 86_400_000

type Told = {
  uid: string
  start: string
  end: string | null
  status: string
  sequence: number
  modified: string
  summary: string
  location: string | null
  description: string
  url: string | null
}

async function textOf(stage: Stage, options: Partial<Parameters<typeof calendarFeed>[1]> = {}): Promise<string> {
  return calendarFeed(stage.ctx, { publicUrl: null, definitionId: null, ...options })
}

function read(text: string): Told[] {
  const calendar = new ICAL.Component(ICAL.parse(text))
  return calendar.getAllSubcomponents('vevent').map((component) => {
    const value = (name: string) => component.getFirstPropertyValue(name)?.toString() ?? null
    const event = new ICAL.Event(component)
    return {
      uid: event.uid,
      start: event.startDate.toString(),
      end: value('dtend'),
      status: value('status') ?? '',
      sequence: event.sequence,
      modified: value('last-modified') ?? '',
      summary: event.summary,
      location: value('location'),
      description: event.description,
      url: value('url'),
    }
  })
}

const feed = async (stage: Stage, options?: Parameters<typeof textOf>[1]) => read(await textOf(stage, options))
const brief = ({ start, status }: Told) => `${start} ${status}`
const isoOf = (at: number) => new Date(at).toISOString().replace('.000', '')

test('an occurrence is one event, from its plan over its run, moves and new versions to its cancellation', async () => {
  const stage = await newStage({ horizonDays: 2 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  const day = '2026-03-09'
  const uids = new Set<string>()
  const seen: Told[] = []
  const look = async (start: string) => {
    const found = (await feed(stage)).find((event) => event.start === start)
    if (found === undefined) throw new Error(`nothing starts at ${start}`)
    uids.add(found.uid)
    seen.push(found)
  }
  await look(`${day}T12:00:00Z`)
  expect(seen[0]).toMatchObject({ status: 'CONFIRMED', summary: 'Scheduled', end: null, location: null })
  expect(seen[0]?.description).toMatch(/^Planned\.\n2026-03-09 12:00 in UTC\nscheduled-\d+$/)

  await stage.letPass(DAY)
  const runId = (await runsOf(stage, definitionId)).find((run) => run.occurrenceKey === `${day}T12:00`)?.id ?? ''
  await look(`${day}T12:00:00Z`)
  expect(seen[1]?.description).toMatch(/^Starts by itself\.\n/)

  done(await rescheduleRun(stage.ctx, MIRA, { runId, scheduledFor: new Date(`${day}T09:30:00Z`) }))
  await look(`${day}T09:30:00Z`)
  expect((await feed(stage)).filter(({ start }) => start === `${day}T12:00:00Z`)).toEqual([])

  await republish(stage, definitionId, { schedule: daily('12:00'), graceSeconds: 60 })
  await look(`${day}T09:30:00Z`)
  stage.clock.moveBy(1000)
  done(await cancelRun(stage.ctx, MIRA, { runId }))
  await look(`${day}T09:30:00Z`)
  expect(seen[4]).toMatchObject({ status: 'CANCELLED', end: null })

  expect([...uids]).toHaveLength(1)
  expect([...uids][0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/)
  for (const [index, { sequence, modified }] of seen.entries()) {
    const before = seen[index - 1]
    if (before === undefined) continue
    expect(sequence).toBeGreaterThan(before.sequence)
    expect(modified >= before.modified).toBe(true)
  }
  expect(seen[4]?.modified).toBe(isoOf(T0 + DAY + 1000))
})

test('what ran has an end, what never started has none; a run that waits for a person says so', async () => {
  const stage = await newStage()
  const { definitionId } = await publishScheduled(stage, {
    schedule: { manual: true },
    phases: [
      {
        key: 'main',
        steps: [
          { actionId: 'core.wait', params: { for: '90s' } },
          { actionId: 'core.cue', params: { instruction: 'Secret words' } },
        ],
      },
    ],
  })
  const start = async (more: object) => done(await startRun(stage.ctx, MIRA, { definitionId, ...more })).runId
  const runId = await start({ scope: 'shard 1' })
  await stage.letPass(90_000)
  const [waiting] = await feed(stage)
  expect(waiting).toMatchObject({ summary: 'Scheduled (shard 1)', location: 'shard 1', status: 'CONFIRMED', end: null })
  expect(waiting?.description).toMatch(/^Under way\. A cue waits for a person\.\n/)
  expect(waiting?.description).not.toContain('Secret words')
  done(await cancelRun(stage.ctx, MIRA, { runId }))
  expect(await feed(stage)).toMatchObject([{ status: 'CANCELLED', end: isoOf(T0 + 90_000) }])
})

test('rehearsals and what a new version superseded are not in it; a paused or unverified schedule is tentative', async () => {
  const stage = await newStage({ horizonDays: 2 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  done(await startRun(stage.ctx, MIRA, { definitionId, rehearsal: true }))
  await stage.settle()
  await republish(stage, definitionId, { schedule: daily('13:00') })
  await stage.settle()
  const events = await feed(stage)
  expect(events.slice(0, 3).map(brief)).toEqual([
    '2026-03-07T13:00:00Z CONFIRMED',
    '2026-03-08T13:00:00Z CONFIRMED',
    '2026-03-09T13:00:00Z CONFIRMED',
  ])
  expect(events.at(-1)?.start).toBe('2026-09-02T13:00:00Z')
  done(await pauseSchedule(stage.ctx, MIRA, { id: definitionId }))
  const paused = await feed(stage)
  expect(paused.map(brief)).toEqual(['2026-03-07T13:00:00Z TENTATIVE', '2026-03-08T13:00:00Z TENTATIVE'])
  expect(paused[0]?.description).toMatch(/^Held: its schedule is paused\./)

  stage.expectFaults(/ is held: /)
  done(await setActionSetting(stage.ctx, MIRA, { actionId: 'test.change', enabled: false }))
  const held = await publishScheduled(stage, { schedule: { once: { at: '2026-03-07T10:00' } } })
  const [unverified] = await feed(stage, { definitionId: held.definitionId })
  expect(unverified).toMatchObject({ start: '2026-03-07T10:00:00Z', status: 'TENTATIVE' })
  expect(unverified?.description).toMatch(/^Planned, but held:/)
})

test('each pause and each resume of a schedule is a revision of its upcoming events, and of no others', async () => {
  const stage = await newStage({ horizonDays: 2 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  done(await startRun(stage.ctx, MIRA, { definitionId, scope: 'by hand' }))
  await stage.settle()
  const startsAt = (events: Told[], start: string) => events.find((event) => event.start === start)
  const of = (events: Told[]) => ({
    made: startsAt(events, '2026-03-08T12:00:00Z'),
    planned: startsAt(events, '2026-03-20T12:00:00Z'),
    byHand: events.find(({ location }) => location === 'by hand'),
  })
  const seen = [of(await feed(stage))]
  const turns = [pauseSchedule, resumeSchedule, pauseSchedule, resumeSchedule]
  for (const turn of turns) {
    stage.clock.moveBy(1000)
    done(await turn(stage.ctx, MIRA, { id: definitionId }))
    done(await turn(stage.ctx, MIRA, { id: definitionId }))
    seen.push(of(await feed(stage)))
  }
  expect(seen.map(({ made }) => made?.status)).toEqual([
    'CONFIRMED',
    'TENTATIVE',
    'CONFIRMED',
    'TENTATIVE',
    'CONFIRMED',
  ])
  const [first] = seen
  for (const [index, { made, byHand: started }] of seen.entries()) {
    expect(made?.sequence).toBe((first?.made?.sequence ?? 0) + index)
    if (index > 0) expect(made?.modified).toBe(isoOf(T0 + index * 1000))
    expect(started).toEqual(first?.byHand)
  }
  expect(seen.map(({ planned }) => planned?.sequence)).toEqual([
    first?.planned?.sequence,
    undefined,
    (first?.planned?.sequence ?? 0) + 2,
    undefined,
    (first?.planned?.sequence ?? 0) + 4,
  ])
})

test('a plan that was held until its version is verified has a higher number once it is', async () => {
  const stage = await newStage({ horizonDays: 2 })
  stage.expectFaults(/ is held: /)
  const set = (enabled: boolean) => setActionSetting(stage.ctx, MIRA, { actionId: 'test.change', enabled })
  done(await set(false))
  const { definitionId } = await publishScheduled(stage, { schedule: { once: { at: '2026-04-07T10:00' } } })
  const [held] = await feed(stage)
  done(await set(true))
  stage.clock.moveBy(1000)
  done(await verifyDefinition(stage.ctx, MIRA, { id: definitionId }))
  const [planned] = await feed(stage)
  expect([held?.status, planned?.status]).toEqual(['TENTATIVE', 'CONFIRMED'])
  expect(planned?.sequence).toBe((held?.sequence ?? 0) + 1)
  expect(planned?.modified).toBe(isoOf(T0 + 1000))
})

test('the start is the instant, whatever the clocks of its zone do; the description shows both', async () => {
  const stage = await newStage()
  await publishScheduled(stage, { schedule: daily('02:30', '2026-03-28'), timeZone: 'Europe/Berlin' })
  const events = await feed(stage)
  expect(events.slice(0, 3).map(({ start }) => start)).toEqual([
    '2026-03-28T01:30:00Z',
    '2026-03-29T01:30:00Z',
    '2026-03-30T00:30:00Z',
  ])
  expect(events[1]?.description).toContain('2026-03-29 03:30 in Europe/Berlin')
})

test('an occurrence that a person starts early is a revision of its plan, however often its schedule was paused', async () => {
  const stage = await newStage({ horizonDays: 2 })
  const schedule = { recurring: { start: '2026-03-07T00:00', rule: 'FREQ=HOURLY' } }
  const { definitionId } = await publishScheduled(stage, { schedule })
  await stage.settle()
  for (const turn of [pauseSchedule, resumeSchedule, pauseSchedule, resumeSchedule])
    done(await turn(stage.ctx, MIRA, { id: definitionId }))
  const planned = async () => (await feed(stage)).find(({ start }) => start === '2026-03-10T12:00:00Z')
  const before = await planned()
  done(await startRun(stage.ctx, MIRA, { definitionId, scheduledFor: new Date('2026-03-10T12:00:00Z') }))
  expect((await planned())?.sequence).toBeGreaterThan(before?.sequence ?? Number.NaN)
})

test('it has what was up to 30 days ago, and of one definition alone where that is asked', async () => {
  const stage = await newStage()
  const manual = await publishScheduled(stage, { schedule: { manual: true } })
  const old = done(await startRun(stage.ctx, MIRA, { definitionId: manual.definitionId })).runId
  await publishScheduled(stage, { schedule: { once: { at: '2026-05-01T10:00' } } })
  await stage.until(old, 'COMPLETED')
  const start = async () => (await feed(stage)).map((event) => event.start)
  stage.clock.moveBy(30 * DAY - 1)
  expect(await start()).toEqual([isoOf(T0), '2026-05-01T10:00:00Z'])
  expect((await feed(stage, { definitionId: manual.definitionId })).map(brief)).toEqual([`${isoOf(T0)} CONFIRMED`])
  stage.clock.moveBy(2)
  expect(await start()).toEqual(['2026-05-01T10:00:00Z'])
})

test('a run links to where it can be seen; a plan, and a server that does not know its address, link nowhere', async () => {
  const stage = await newStage({ horizonDays: 1 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  const [run] = await runsOf(stage, definitionId)
  const [made, planned] = await feed(stage, { publicUrl: 'https://cuelight.example' })
  const link = `https://cuelight.example/runs/${formatId('Run', run?.id ?? '')}`
  expect(made).toMatchObject({ url: link, description: expect.stringContaining(link) })
  expect(planned?.url).toBeNull()
  expect((await feed(stage)).map(({ url }) => url).filter((url) => url !== null)).toEqual([])
})

test('the same occurrences are the same text, and a new title is a modification', async () => {
  const stage = await newStage()
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  const before = await textOf(stage)
  stage.clock.moveBy(1000)
  expect(await textOf(stage)).toBe(before)
  done(await updateDefinition(stage.ctx, MIRA, { id: definitionId, title: 'Renamed, at last' }))
  const [event] = await feed(stage)
  expect(event).toMatchObject({ summary: 'Renamed, at last', modified: isoOf(T0 + 1000) })
})

/** An event without steps that happens by a rule from the stage's day on. */
async function publishOften(
  stage: Stage,
  { slug, rule, description }: Record<'slug' | 'rule' | 'description', string>,
) {
  const schedule = { recurring: { start: '2026-03-06T00:00', rule } }
  const spec = { schedule, phases: [{ key: 'main', steps: [] }] }
  const { definitionId } = done(await createDefinition(stage.ctx, MIRA, { slug, title: slug, description, spec }))
  return done(await publishDefinition(stage.ctx, MIRA, { id: definitionId }))
}

const reachOf = (text: string) => /X-WR-CALDESC:(.*)\r\n/.exec(text.replaceAll('\r\n ', ''))?.[1] ?? ''

test('what is to come and would be too much reaches half as far, and says so', async () => {
  const stage = await newStage()
  await publishOften(stage, { slug: 'often', rule: 'FREQ=HOURLY', description: '' })
  const text = await textOf(stage)
  const events = read(text)
  // 24 a day over 180 days are too many, and over 90 too; over 45 they are not.
  expect(events).toHaveLength(45 * 24)
  expect(events.at(-1)?.start).toBe(isoOf(T0 + 45 * DAY - 3_600_000))
  expect(reachOf(text)).toMatch(/^The last 30 days and the next 45 days\\, as more would be over 2000 events or 2 MB\./)
})

test('a description of a megabyte is cut, and of long ones the feed holds no more than 2 MB', async () => {
  const stage = await newStage()
  const { definitionId } = await publishOften(stage, {
    slug: 'long',
    rule: 'FREQ=HOURLY',
    description: 'x'.repeat(1_048_576),
  })
  const cut = await textOf(stage)
  expect(cut.length).toBeLessThan(BOUNDS.bytes + 1_000)
  expect(read(cut)[0]?.description).toMatch(/^x{1000}…\n[A-Z]/)
  done(await updateDefinition(stage.ctx, MIRA, { id: definitionId, description: '👹'.repeat(1_000) }))
  const text = await textOf(stage)
  expect(Buffer.byteLength(text)).toBeLessThan(BOUNDS.bytes + 1_000)
  const events = read(text)
  expect(events[0]?.description).toMatch(/^(👹){1000}\n[A-Z]/u)
  // 4 KB each: 22.5 days of them are still too much.
  expect(events).toHaveLength(11.25 * 24)
  expect(reachOf(text)).toContain('the next 11.2 days')
})

/** Runs by hand of a definition that are over, so many minutes apart. */
async function addPast(stage: Stage, definitionId: string, { count, minutes }: Record<'count' | 'minutes', number>) {
  await stage.db.prisma.$executeRaw`
    INSERT INTO runs (id, definition_id, version_id, source, time_zone, occurrence_key, occurrence_at, scheduled_for,
      grace_until, created_at, started_by_kind, started_by_name, status, ended_at)
    SELECT gen_random_uuid(), d.id, d.current_version_id, 'MANUAL', 'UTC', 'past ' || n, at, at, at, at, 'USER', 'Mira',
      'COMPLETED', at
    FROM generate_series(1, ${count}::int) n, definitions d,
      LATERAL (SELECT ${new Date(T0)}::timestamptz - n * ${minutes}::int * interval '1 minute' AS at) x
    WHERE d.id = ${definitionId}::uuid`
}

test('what is over gives way to what is to come', async () => {
  const stage = await newStage()
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await addPast(stage, definitionId, { count: 3_000, minutes: 14 })
  const text = await textOf(stage)
  expect(reachOf(text)).toMatch(/^The last 15 days and the next 180 days\\, as more/)
  const events = read(text)
  expect(events.at(-1)?.start).toBe('2026-09-02T12:00:00Z')
  const past = events.filter(({ start }) => start < isoOf(T0))
  expect(past).toHaveLength(Math.ceil((15 * 24 * 60) / 14) - 1)
  expect(past[0]?.start).toBe(isoOf(T0 - past.length * 14 * 60_000))
})

test('where even the shortest reach is too much, what is nearest to now is shown, and that it was cut', async () => {
  const stage = await newStage()
  for (let event = 0; event < 12; event += 1)
    await publishOften(stage, { slug: `often-${event}`, rule: 'FREQ=MINUTELY;INTERVAL=5', description: '' })
  const { definitionId } = await publishScheduled(stage, { schedule: { manual: true } })
  await addPast(stage, definitionId, { count: 300, minutes: 1 })
  const text = await textOf(stage)
  expect(reachOf(text)).toMatch(
    /^What is nearest to now of the last 0\.1 days and the next 0\.7 days\\; the rest of these is left out\\, as/,
  )
  const events = read(text)
  expect(events).toHaveLength(BOUNDS.events)
  // Of the past the 168 minutes of its shortest reach; of what is to come twelve each five minutes.
  const past = events.filter(({ start }) => start < isoOf(T0))
  expect(past).toHaveLength(168)
  expect(events.at(-1)?.start).toBe(isoOf(T0 + Math.floor((BOUNDS.events - past.length) / 12) * 5 * 60_000))
  // Whether runs are made of them meanwhile or not, they are the same ones.
  expect((await feed(stage)).map(({ uid }) => uid)).toEqual(events.map(({ uid }) => uid))
})
