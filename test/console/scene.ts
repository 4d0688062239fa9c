import { readFile } from 'node:fs/promises'
import { consoleServer, cue } from './console-server.ts'

export type Scene = Awaited<ReturnType<typeof setTheScene>>

/** A server with something of everything: runs that wait, failed and ended, events published and not, plans, tokens. */
export async function setTheScene() {
  const server = await consoleServer({
    modules: ['examples/invasion/world.ts', 'test/cli/quiz-world.ts', 'test/console/fair-world.ts'],
  })
  const { ask, start } = server
  const invasion = JSON.parse(await readFile('examples/invasion/invasion-of-yew.json', 'utf8'))
  const id = await server.publish(invasion.slug, invasion)
  const waiting = async (run: string): Promise<string> => {
    await server.until(run, ({ cues }) => cues.length === 1)
    return (await ask('query ($run: ID!) { run(id: $run) { cues { id } } }', { run })).run.cues[0].id
  }

  const failed = await start({
    definitionId: await server.define(
      'fuse',
      [
        {
          key: 'show',
          steps: [{ actionId: 'quiz.lights', label: 'Lights', onFailure: 'PAUSE', params: {} }, cue('Bow', 'Bow.')],
        },
      ],
      { publish: true },
    ),
  })
  const ended = await start({ definitionId: id, params: { region: 'Minoc' } })
  const done = await waiting(ended)
  await ask('mutation ($id: ID!) { confirmCue(input: { id: $id, note: "He is there." }) { __typename } }', { id: done })
  await ask(`mutation { emitTrigger(input: { trigger: "shard.boss-slain", payload: { boss: "Orc Lord", level: 7 } }) {
    ... on EmitTriggerPayload { matchedCount } ... on Error { message } } }`)
  await start({ definitionId: id, params: { region: 'Vesper' }, scheduledFor: '2031-03-07T12:00:00Z' })

  const schedule = { recurring: { start: '2031-03-05T02:30', rule: 'FREQ=DAILY;COUNT=10' } }
  const doors = { key: 'doors', label: 'Doors', steps: [cue('Welcome', 'Welcome everybody.')] }
  const nights = await server.define('nights', [doors], { schedule, publish: true })
  await server.change({
    id: nights,
    graceSeconds: 60,
    concurrencyKey: 'hall',
    spec: { schedule, phases: [doors, { key: 'end', steps: [] }] },
  })
  await server.publishDraft(nights)
  await server.change({ id: nights, graceSeconds: 120 })
  await server.publish('dusk', {
    concurrencyKey: 'hall',
    spec: { schedule: { recurring: { start: '2031-03-08T02:35', rule: 'FREQ=DAILY;COUNT=1' } }, phases: [doors] },
  })
  await server.define('sketch', [
    {
      key: 'horde',
      steps: [{ actionId: 'shard.spawn', params: { creature: 'orc', count: 0 } }],
      advance: { trigger: { on: 'fair.bell', where: { field: 'tower', op: 'EQ', value: 'north' } } },
    },
  ])
  await server.define(
    'fete',
    [
      {
        ...doors,
        advance: {
          trigger: { on: 'quiz.answered', where: { any: [{ not: { field: 'points', op: 'IN', value: [1, 2] } }] } },
        },
      },
    ],
    {
      schedule: {
        recurring: { start: '2040-01-06T20:00', rule: 'FREQ=MONTHLY;BYDAY=2SU;COUNT=5', include: ['2040-02-01T20:00'] },
      },
    },
  )
  await server.until(ended, ({ status }) => status === 'COMPLETED')
  await server.until(failed, ({ status }) => status === 'PAUSED')
  const run = await start({ definitionId: id })
  await waiting(run)
  return {
    ...server,
    waiting: run,
    ended,
    failed,
    mira: (await server.tokenFor('Mira', 'MODERATOR')).token,
    shard: (await server.tokenFor('Shard', 'EMITTER')).token,
  }
}
