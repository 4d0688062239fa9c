import { expect, test } from 'vitest'
import { formatId } from '../../src/domain/ids.ts'
import type { PrismaClient } from '../../src/store/database.ts'
import { Silence } from '../../src/store/pool.ts'
import { eventually } from '../support/eventually.ts'
import { Client } from './client.ts'
import { insertStep, parkedSince } from './fixtures.ts'
import { changes, db, later, newRun } from './run-feed.ts'

/** A client whose database is away when the test says so. */
function clientOfWeather() {
  const weather = { away: false }
  const under = (client: PrismaClient) =>
    new Proxy(client, {
      get: (target, name) => {
        if (weather.away) throw new Silence()
        return Reflect.get(target, name)
      },
    })
  const here = { ...db, prisma: under(db.prisma), standings: under(db.standings) }
  return { weather, client: new Client(here, { changes }) }
}

const RUNS = 'subscription { event: runs { run { id stepCounts { count } } } }'
const CUES = 'subscription { event: cues { cue { run { id stepCounts { count } } } } }'

test.each([
  ['runs', RUNS],
  ['cues', CUES],
])(
  'what %s tells while the database is away is told when it is back, and no error in its place',
  async (_field, query) => {
    const ids: string[] = []
    for (let second = 0; second < 3; second++) {
      const runId = await newRun()
      await insertStep(db, runId, parkedSince(later(second)))
      ids.push(formatId('Run', runId))
    }
    const { weather, client } = clientOfWeather()
    const events = await client.events(query)
    // Read in one look: the others wait to be told.
    const results = [(await events.next()).value]
    weather.away = true
    const following = [events.next(), events.next()]
    await eventually(() => expect(client.outages).toEqual([new Silence()]))
    weather.away = false
    for (const event of following) results.push((await event).value)
    expect(results.map((result) => result?.errors)).toEqual([undefined, undefined, undefined])
    for (const id of ids) expect(JSON.stringify(results)).toContain(id)
    expect(client.faults).toEqual([])
    await events.return?.()
  },
)

test('whoever leaves while the database is away is told nothing more', async () => {
  await newRun()
  await newRun()
  const { weather, client } = clientOfWeather()
  const events = await client.events(RUNS)
  await events.next()
  weather.away = true
  const following = events.next()
  await eventually(() => expect(client.outages.length).toBe(1))
  await events.return?.()
  expect(await following).toEqual({ done: true, value: undefined })
})
