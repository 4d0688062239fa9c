import { askUntilAnswered } from './api.ts'
import type { Does, Spawns } from './world.ts'

type OnFailure = 'SKIP' | 'PAUSE' | 'ABORT_RUN'
export const act = (does: Does, onFailure: OnFailure = 'SKIP') => ({
  actionId: 'world.act',
  params: { does },
  onFailure,
})
export const spawn = (does: Spawns, onFailure: OnFailure = 'SKIP') => ({
  actionId: 'world.spawn',
  params: { does },
  onFailure,
})
const wait = { actionId: 'core.wait', params: { for: '1s' } }
const cue = { actionId: 'core.cue', params: { instruction: 'Open the gates' } }
const log = { actionId: 'core.log', params: { message: 'on we go' } }

export type Event = { slug: string; concurrencyKey?: string; parameters?: object[]; phases: object[] }

/** Events of every kind that there is. */
export const EVENTS: readonly Event[] = [
  {
    slug: 'show',
    phases: [
      { key: 'opening', steps: [act('done'), act('flaky'), wait, log, cue] },
      { key: 'battle', steps: [act('slow'), act('refuse'), act('hold')], advance: { after: '1s' } },
      { key: 'empty', steps: [] },
      { key: 'close', steps: [act('slow'), act('done')] },
    ],
  },
  {
    slug: 'brittle',
    phases: [
      { key: 'one', steps: [act('done'), act('refuse-once', 'PAUSE'), act('slow')] },
      { key: 'two', steps: [act('busy'), act('garbage', 'PAUSE'), act('done')] },
    ],
  },
  { slug: 'doomed', phases: [{ key: 'one', steps: [act('slow'), act('refuse', 'ABORT_RUN'), act('done')] }] },
  {
    slug: 'keyed',
    concurrencyKey: 'lane:{lane}',
    parameters: [{ name: 'lane', required: true }],
    phases: [{ key: 'one', steps: [act('slow'), act('done'), act('slow')], advance: { after: '1s' } }],
  },
  {
    slug: 'busy',
    phases: [
      { key: 'one', steps: Array.from({ length: 30 }, () => act('done')) },
      { key: 'two', steps: Array.from({ length: 10 }, () => act('flaky')) },
    ],
  },
  {
    slug: 'spawning',
    concurrencyKey: 'lane:{lane}',
    parameters: [{ name: 'lane', required: true }],
    phases: [
      { key: 'one', steps: [spawn('spawn'), spawn('spawn-leased'), act('slow'), spawn('spawn-lost')] },
      { key: 'two', steps: [spawn('spawn-slow'), act('refuse-once', 'PAUSE'), spawn('spawn-slow'), spawn('spawn')] },
    ],
  },
  {
    slug: 'spawning-in-vain',
    phases: [{ key: 'one', steps: [spawn('spawn-slow'), spawn('spawn-lost'), act('refuse', 'ABORT_RUN')] }],
  },
  { slug: 'slow', phases: [{ key: 'one', steps: [cue, act('slow'), act('slow'), act('slow'), act('slow')] }] },
]

const CREATE = `mutation ($input: CreateDefinitionInput!) { createDefinition(input: $input) {
  __typename ... on CreateDefinitionPayload { definition { id draftIssues { path message } } }
  ... on ConflictError { currentDefinition { id draftIssues { path message } } } } }`
const PUBLISH = `mutation ($id: ID!) { publishDefinition(input: {id: $id}) { __typename ... on Error { message } } }`

type Created = { definition?: Definition; currentDefinition?: Definition }
type Definition = { id: string; draftIssues: object[] }

/** Publishes an event, however often the server dies meanwhile; answers the definition's id. */
export async function publish(where: () => string | null, { phases, ...event }: Event): Promise<string> {
  const spec = { schedule: { manual: true }, phases }
  const { createDefinition } = await askUntilAnswered(where, CREATE, {
    input: { ...event, title: event.slug, graceSeconds: 86_400, spec },
  })
  // A conflict is what our own first request left.
  const { definition, currentDefinition } = createDefinition as Created
  const made = definition ?? currentDefinition
  if (made === undefined || made.draftIssues.length > 0) throw new Error(JSON.stringify(createDefinition))
  const published = await askUntilAnswered(where, PUBLISH, { id: made.id })
  if (JSON.stringify(published).includes('Error')) throw new Error(JSON.stringify(published))
  return made.id
}
