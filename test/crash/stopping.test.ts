import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { OwnPostgres } from '../support/own-postgres.ts'
import { askUntilAnswered } from './api.ts'
import { act, publish } from './events.ts'
import { ServerProcess } from './server-process.ts'
import { World } from './world.ts'

test.each([
  ['stopped', (postgres: OwnPostgres) => postgres.stop('SIGQUIT')],
  ['frozen', (postgres: OwnPostgres) => postgres.freeze()],
])(
  'a server whose PostgreSQL is %s stops all the same when it is told to',
  async (_what, turn) => {
    const postgres = await OwnPostgres.open()
    const world = await World.open(null)
    onTestFinished(() => world.close())
    const server = new ServerProcess({ DATABASE_URL: postgres.url, WORLD_URL: world.url })
    onTestFinished(() => server.kill())
    await server.listening()
    const where = () => server.url
    const id = await publish(where, { slug: 'busy', phases: [{ key: 'one', steps: Array(50).fill(act('slow')) }] })
    for (let n = 0; n < 5; n++)
      await askUntilAnswered(where, 'mutation ($id: ID!) { startRun(input: {definitionId: $id}) { __typename } }', {
        id,
      })
    await world.called(5)
    await turn(postgres)
    await delay(2_000)
    const toldAt = Date.now()
    await server.stop()
    expect(Date.now() - toldAt).toBeLessThan(60_000)
  },
  120_000,
)
