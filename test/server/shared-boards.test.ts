import { afterEach, expect, test } from 'vitest'
import { isObject } from '../../src/domain/plain-object.ts'
import type { Prisma } from '../../src/generated/prisma/client.ts'
import { createLogger } from '../../src/server/logger.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { NOW } from '../graphql/client.ts'
import { appendLines, insertEvent, insertRun, insertStep, parkedSince } from '../graphql/fixtures.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { newSeed, randomFrom } from '../support/random.ts'
import { countExecutions } from './executions.ts'
import { LogReader } from './log-reader.ts'
import { StreamReader } from './stream-reader.ts'
import { WatchedChanges } from './watched-changes.ts'
import { wiredServer } from './wired-api.ts'

const { db } = await testDatabase()
const event = await insertEvent(db)
let minute = 0

/** The database, counting how often cues were looked for. */
const counted = { looks: 0 }
const step = new Proxy(db.prisma.step, {
  get: (target, name) => {
    if (name === 'findMany')
      return (args: { where?: { parked?: boolean } }) => {
        if (args.where?.parked) counted.looks += 1
        return target.findMany(args as never)
      }
    return Reflect.get(target, name)
  },
})
const prisma = new Proxy(db.prisma, { get: (target, name) => (name === 'step' ? step : Reflect.get(target, name)) })
const changes = new WatchedChanges()
const { url, server } = await wiredServer({
  db: { ...db, prisma },
  clock: new FakeClock(NOW.getTime()),
  log: createLogger({ level: 'silent', format: 'json' }),
  changes,
})

const CUES = 'subscription ($scope: String) { cues(scope: $scope) { type cue { id instruction claimedBy { name } } } }'
const RUNS = 'subscription ($filter: RunFilter) { runs(filter: $filter) { matches run { id status health } } }'

type Kind = 'OPENED' | 'CLAIMED' | 'RESOLVED'
type Cued = { type: Kind; cue: { id: string; claimedBy: { name: string } | null } }

const open: { cut(): void }[] = []
afterEach(async () => {
  for (const reader of open.splice(0)) reader.cut()
  await eventually(() => expect(server.stats().subscribers).toBe(0))
  await eventually(() => expect(changes.listeners).toBe(0))
  await db.prisma.step.deleteMany()
  await db.prisma.logLine.deleteMany()
  await db.prisma.run.deleteMany()
})

async function crowd(
  count: number,
  wanted: { query: string; token?: string; variables?: { [name: string]: unknown } },
) {
  const before = server.stats().subscribers
  const readers = await Promise.all(Array.from({ length: count }, () => LogReader.open({ url, runId: '', ...wanted })))
  open.push(...readers)
  await eventually(() => expect(server.stats().subscribers).toBe(before + count))
  return readers
}

const newRun = (scope = '') =>
  insertRun(db, event, { at: new Date(NOW.getTime() + minute++ * 60_000), scope, status: 'RUNNING' })
const openCue = async (instruction = 'Open the gates') => {
  const id = await insertStep(db, await newRun(), { ...parkedSince(NOW), instruction })
  changes.publish({ runId: '', line: 1, cues: true })
  return id
}
const claim = async (id: string, name: string) => {
  const data = { cueClaimedByKind: 'USER' as const, cueClaimedByName: name, cueClaimedAt: NOW }
  await db.prisma.step.update({ where: { id }, data })
  changes.publish({ runId: '', line: 1, cues: true })
}
const resolve = async (id: string) => {
  await db.prisma.step.update({ where: { id }, data: { status: 'DONE', parked: false, finishedAt: NOW } })
  changes.publish({ runId: '', line: 1, cues: true })
}

async function changeUntold(id: string, data: Prisma.RunUncheckedUpdateInput): Promise<void> {
  await db.prisma.$transaction(async (tx) => {
    const run = await tx.run.update({ where: { id }, data: { ...data, lastLine: { increment: 1 } } })
    const actor = { actorKind: 'SYSTEM', actorName: 'Cuelight' } as const
    const line = { runId: id, line: run.lastLine, at: NOW, kind: 'run.status', ...actor, detail: {}, text: '' }
    await tx.logLine.create({ data: line })
  })
}
const change = async (id: string, data: Prisma.RunUncheckedUpdateInput) => {
  await changeUntold(id, data)
  changes.publish({ runId: id, line: 0, cues: false })
}

const cuesOf = ({ payloads }: LogReader): Cued[] => payloads.map((payload) => Object(payload).data.cues)

/** What a reader has open by what it was told, with who claimed it; throws where it was told what cannot be. */
function opened(events: readonly Cued[]): Map<string, string | null> {
  const has = new Map<string, string | null>()
  for (const { type, cue } of events) {
    const [id, name] = [cue.id, cue.claimedBy?.name ?? null]
    if ((type === 'OPENED') === has.has(id)) throw new Error(`${type} ${id}, in ${JSON.stringify(events)}`)
    if (type === 'CLAIMED' && has.get(id) === name) throw new Error(`${id} was told twice.`)
    if (type === 'RESOLVED') has.delete(id)
    else has.set(id, name)
  }
  return has
}

async function table(): Promise<Map<string, string | null>> {
  const cues = await db.prisma.step.findMany({ where: { parked: true } })
  return new Map(cues.map(({ id, cueClaimedByName }) => [`cue_${id}`, cueClaimedByName]))
}

test('fifty subscribers to the same cues cost one look and one execution for each change', async () => {
  const readers = await crowd(50, { query: CUES })
  expect(changes.listeners).toBe(1)
  const executions = countExecutions('CueEvent', 'cue')
  const before = counted.looks
  const id = await openCue()
  await eventually(() => expect(readers.map(({ payloads }) => payloads.length)).toEqual(readers.map(() => 1)))
  expect(executions.events).toBe(1)
  await claim(id, 'Mira')
  await eventually(() => expect(readers.map(({ payloads }) => payloads.length)).toEqual(readers.map(() => 2)))
  expect(executions.events).toBe(2)
  // Besides the two there are the poll's, of one feed and not of fifty.
  expect(counted.looks - before).toBeLessThan(25)
  for (const reader of readers) expect(opened(cuesOf(reader))).toEqual(new Map([[`cue_${id}`, 'Mira']]))
})

test('readers of cues over server-sent events share with those over WebSocket, and one that comes late is told all', async () => {
  const sockets = await crowd(5, { query: CUES })
  const overStream = async () => {
    const reader = await StreamReader.open({ url, runId: '', query: CUES })
    open.push(reader)
    return reader
  }
  const streams = await Promise.all(Array.from({ length: 5 }, overStream))
  expect(changes.listeners).toBe(1)
  const executions = countExecutions('CueEvent', 'cue')
  const id = await openCue('Öffne\n\ndata: die Tore')
  await eventually(() => expect(sockets.map(({ payloads }) => payloads.length)).toEqual(sockets.map(() => 1)))
  const expected = [JSON.stringify(sockets[0]?.payloads[0])]
  await eventually(() => expect(streams.map(({ payloads }) => payloads)).toEqual(streams.map(() => expected)))
  expect(executions.events).toBe(1)
  const late = await overStream()
  await eventually(() => expect(late.payloads).toEqual(expected))
  await claim(id, 'Mira')
  await eventually(() => expect([...streams, late].map(({ payloads }) => payloads.length)).toEqual(Array(6).fill(2)))
  expect(executions.events).toBe(3)
  expect(changes.listeners).toBe(1)
})

test('what is asked otherwise, or with another role, is not shared', async () => {
  await crowd(2, { query: CUES })
  expect(changes.listeners).toBe(1)
  await crowd(2, { query: CUES, token: 'viewer' })
  expect(changes.listeners).toBe(2)
  const [yew] = await crowd(2, { query: CUES, variables: { scope: 'yew' } })
  expect(changes.listeners).toBe(3)
  await crowd(2, { query: RUNS })
  await crowd(2, { query: RUNS, variables: { filter: { status: ['PAUSED'] } } })
  expect(changes.listeners).toBe(5)
  const executions = countExecutions('CueEvent', 'cue')
  await openCue()
  await eventually(() => expect(executions.events).toBe(2))
  await insertStep(db, await newRun('yew'), parkedSince(NOW))
  changes.publish({ runId: '', line: 1, cues: true })
  await eventually(() => expect(yew?.payloads.length).toBe(1))
  await eventually(() => expect(executions.events).toBe(5))
})

test('a socket that stops reading among others holds up nobody, and is told afterwards how all ended, each once', async () => {
  const large = 'x'.repeat(400_000)
  const [stalled, ...live] = await crowd(4, { query: CUES })
  if (stalled === undefined) throw new Error('There is nobody.')
  const first = await openCue()
  await eventually(() => expect(stalled.payloads.length).toBe(1))
  stalled.socket.pause()
  const all = (count: number) =>
    eventually(() => expect(live.map(({ payloads }) => payloads.length)).toEqual(live.map(() => count)))
  let count = 1
  const ids: string[] = []
  // As much as the kernel and the server take for a socket, and more.
  while (ids.length < 40) {
    ids.push(await openCue(large))
    await all(++count)
  }
  expect(server.stats().unsentBytes).toBeLessThan(2 ** 20 + 500_000)
  for (const id of [first, ...ids.slice(20)]) {
    await resolve(id)
    await all(++count)
  }
  const claimed = ids[0] ?? ''
  for (const name of ['Mira', 'Tom', 'Ada']) {
    await claim(claimed, name)
    await all(++count)
  }
  stalled.socket.resume()
  const expected = await table()
  await eventually(() => expect(opened(cuesOf(stalled))).toEqual(expected))
  for (const reader of live) expect(opened(cuesOf(reader))).toEqual(expected)
  // Of most that opened and were resolved meanwhile it did not hear, and of the claims of the last alone.
  const heard = cuesOf(stalled)
  expect(heard.filter(({ type }) => type === 'CLAIMED').length).toBeLessThanOrEqual(1)
  expect(heard.length).toBeLessThan(count)
}, 120_000)

test('however often a run changes, all who follow it are told ten times a second at most, and how it ended', async () => {
  const id = await newRun()
  const readers = await crowd(20, { query: RUNS })
  await eventually(() => expect(readers.map(({ payloads }) => payloads.length)).toEqual(readers.map(() => 1)))
  const executions = countExecutions('RunEvent', 'run')
  const startedAt = performance.now()
  for (let times = 0; times < 60; times++) await change(id, { health: times % 2 === 0 ? 'STALLED' : 'OK' })
  await change(id, { status: 'PAUSED', health: 'DEGRADED' })
  const last = { matches: true, run: { id: `run_${id}`, status: 'PAUSED', health: 'DEGRADED' } }
  await eventually(() => {
    for (const { payloads } of readers) expect(Object(payloads.at(-1)).data.runs).toEqual(last)
  })
  expect(executions.events).toBeLessThanOrEqual((performance.now() - startedAt) / 100 + 2)
})

const seed = newSeed()

test(`readers of runs that come, stall and go end with the table (seed ${seed})`, async () => {
  const random = randomFrom(seed)
  const chance = (share: number) => random() < share
  const ids: string[] = []
  const alive = new Set<LogReader>()
  const filter = { status: ['RUNNING', 'PAUSED'] }
  const mutate = async () => {
    const id = ids[Math.floor(random() * ids.length)]
    if (id === undefined || chance(0.2)) {
      const made = await newRun()
      ids.push(made)
      await appendLines(db, made, ['begins'])
      return changes.publish({ runId: made, line: 1, cues: false })
    }
    const status = (['RUNNING', 'PAUSED', 'ENDING'] as const)[Math.floor(random() * 3)] ?? 'RUNNING'
    const health = chance(0.5) ? 'OK' : 'DEGRADED'
    await changeUntold(id, { status, health })
    if (chance(0.9)) changes.publish({ runId: id, line: 0, cues: false })
  }
  for (let happened = 0; happened < 150; happened++) {
    await mutate()
    if (chance(0.08)) for (const reader of await crowd(1, { query: RUNS, variables: { filter } })) alive.add(reader)
    for (const reader of alive) {
      if (chance(0.1)) reader.socket.pause()
      if (chance(0.1)) reader.socket.resume()
      if (chance(0.02)) {
        alive.delete(reader)
        reader.cut()
      }
    }
  }
  for (const reader of alive) reader.socket.resume()
  const rows = await db.prisma.run.findMany({ where: { status: { in: ['RUNNING', 'PAUSED'] } } })
  const expected = new Map(rows.map(({ id, status, health }) => [`run_${id}`, `${status} ${health}`]))
  for (const { payloads } of alive) await eventually(() => expect(shownBy(payloads)).toEqual(expected))
}, 120_000)

/** The runs that a reader has, by what it was told; throws where one has left that it was not told of. */
function shownBy(payloads: readonly unknown[]): Map<string, string> {
  const has = new Map<string, string>()
  for (const payload of payloads) {
    const data = isObject(payload) ? payload.data : null
    const { matches, run } = Object(data).runs
    if (matches) has.set(run.id, `${run.status} ${run.health}`)
    else if (!has.delete(run.id)) throw new Error(`${run.id} has left and was never there.`)
  }
  return has
}
