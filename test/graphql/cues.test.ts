import { beforeAll, beforeEach, expect, test } from 'vitest'
import { formatId } from '../../src/domain/ids.ts'
import { Changes } from '../../src/store/changes.ts'
import type { Database } from '../../src/store/database.ts'
import { testDatabase } from '../support/database.ts'
import { Client, Data, NOW } from './client.ts'
import { type Event, insertEvent, insertRun, insertStep, parkedSince } from './fixtures.ts'
import { followCues } from './pulled.ts'

let db: Database
let event: Event
let minute = 0
const changes = new Changes()
const NEVER = 2 ** 30
beforeAll(async () => {
  ;({ db } = await testDatabase())
  event = await insertEvent(db)
})
beforeEach(async () => {
  await db.prisma.step.deleteMany()
})

async function openCue({ at = NOW, scope = '' } = {}): Promise<string> {
  const runId = await insertRun(db, event, {
    at: new Date(NOW.getTime() + minute++ * 60_000),
    scope,
    status: 'RUNNING',
  })
  return insertStep(db, runId, parkedSince(at))
}
const resolve = (id: string) =>
  db.prisma.step.update({ where: { id }, data: { status: 'DONE', parked: false, finishedAt: NOW, note: 'done' } })
const claim = (id: string, name: string) =>
  db.prisma.step.update({
    where: { id },
    data: { cueClaimedByKind: 'USER', cueClaimedByName: name, cueClaimedAt: NOW },
  })
const tell = () => changes.publish({ runId: '', line: 1, cues: true })
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)

const CUES =
  'subscription ($scope: String) { cues(scope: $scope) { type cue { id instruction parkedAt claimedBy { name } step { status note parked } run { status } } } }'

/** Where no look may fail. */
const onOutage = (error: unknown) => {
  throw error
}

test('first the open cues come, oldest first, then what changes', async () => {
  const [young, old] = [await openCue({ at: later(5) }), await openCue({ at: later(1) })]
  const events = await new Client(db, { changes }).events(CUES)
  const next = async () => new Data((await events.next()).value?.data).at('cues')
  const cue = (id: string) => ({ id: formatId('Cue', id), instruction: 'Open the gates' })
  expect(await next()).toMatchObject({
    type: 'OPENED',
    cue: { ...cue(old), claimedBy: null, run: { status: 'RUNNING' } },
  })
  expect(await next()).toMatchObject({ type: 'OPENED', cue: cue(young) })

  const claimed = next()
  await claim(young, 'Mira')
  tell()
  expect(await claimed).toMatchObject({ type: 'CLAIMED', cue: { ...cue(young), claimedBy: { name: 'Mira' } } })

  const takenOver = next()
  await claim(young, 'Tom')
  tell()
  expect(await takenOver).toMatchObject({ type: 'CLAIMED', cue: { claimedBy: { name: 'Tom' } } })

  const resolved = next()
  await resolve(old)
  tell()
  expect(await resolved).toMatchObject({
    type: 'RESOLVED',
    cue: { ...cue(old), parkedAt: later(1).toISOString(), step: { status: 'DONE', note: 'done', parked: false } },
  })

  const opened = next()
  const another = await openCue({ at: later(9) })
  tell()
  expect(await opened).toMatchObject({ type: 'OPENED', cue: cue(another) })
  await events.return?.()
})

test('only those of a scope come where one is given, the empty one too', async () => {
  const cues = { yew: await openCue({ scope: 'yew' }), '': await openCue(), minoc: await openCue({ scope: 'minoc' }) }
  for (const scope of ['yew', ''] as const) {
    const feed = followCues({ db, changes }, { scope, onOutage, pollMs: NEVER })
    expect((await feed.next()).value).toMatchObject({ type: 'OPENED', cue: { id: cues[scope] } })
    // Had another scope's cue come too, it would come before this.
    await claim(cues[scope], 'Mira')
    tell()
    expect((await feed.next()).value).toMatchObject({ type: 'CLAIMED', cue: { id: cues[scope] } })
    await feed.return?.()
  }
})

test('with notifications unplugged changes are found all the same', async () => {
  const id = await openCue()
  const feed = followCues({ db, changes: new Changes() }, { scope: null, onOutage, pollMs: 5 })
  expect((await feed.next()).value?.type).toBe('OPENED')
  const next = feed.next()
  await resolve(id)
  expect((await next).value).toMatchObject({ type: 'RESOLVED', cue: { id } })
  await feed.return?.()
})

test('a cue that was answered and asked again between two looks is resolved and opened', async () => {
  const id = await openCue({ at: later(1) })
  const feed = followCues({ db, changes }, { scope: null, onOutage, pollMs: NEVER })
  await feed.next()
  await db.prisma.step.update({ where: { id }, data: { parkedAt: later(30) } })
  tell()
  expect((await feed.next()).value).toMatchObject({ type: 'RESOLVED', cue: { id, parkedAt: later(1) } })
  expect((await feed.next()).value).toMatchObject({ type: 'OPENED', cue: { id, parkedAt: later(30) } })
  await feed.return?.()
})

test('the query lists the same cues, oldest first', async () => {
  const [young, old] = [await openCue({ at: later(5) }), await openCue({ at: later(1), scope: 'yew' })]
  const data = await new Client(db).query(
    '{ all: cues { id } yew: cues(scope: "yew") { id } none: cues(scope: "x") { id } }',
  )
  expect(data.value).toEqual({
    all: [{ id: formatId('Cue', old) }, { id: formatId('Cue', young) }],
    yew: [{ id: formatId('Cue', old) }],
    none: [],
  })
})
