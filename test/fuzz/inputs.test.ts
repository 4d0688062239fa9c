import { expect, test } from 'vitest'
import { randomFrom } from '../model/histories.ts'
import { testDatabase } from '../support/database.ts'
import { FUZZ } from './effort.ts'
import { type Answer, FuzzedServer } from './fuzzed-server.ts'
import { Chance, hostileText, mutated } from './hostile.ts'

const { url: databaseUrl } = await testDatabase()

const ISSUES = 'issues { path message }'
const PROBLEM = `__typename ... on Error { code message } ... on InvalidInputError { ${ISSUES} }`
const DEFINITION = 'definition { id slug title draftIssues { path message } draftWarnings { path message } }'
const CREATE = `mutation ($input: CreateDefinitionInput!) { done: createDefinition(input: $input) { ${PROBLEM} ... on CreateDefinitionPayload { ${DEFINITION} } } }`
const UPDATE = `mutation ($input: UpdateDefinitionInput!) { done: updateDefinition(input: $input) { ${PROBLEM} ... on UpdateDefinitionPayload { ${DEFINITION} } } }`
const PUBLISH = `mutation ($id: ID!) { done: publishDefinition(input: {id: $id}) { ${PROBLEM} } }`
const START = `mutation ($input: StartRunInput!) { done: startRun(input: $input) { ${PROBLEM} ... on StartRunPayload { run { id waitingOn { description } steps { params } log { edges { node { text } } } } } } }`

const step = (actionId: string, params: object) => ({ actionId, params })
const EVENT = {
  title: 'Invasion of {region}',
  description: 'Orcs',
  timeZone: 'Europe/Berlin',
  graceSeconds: 900,
  concurrencyKey: 'invasion:{region}',
  parameters: [
    { name: 'region', label: 'Where', type: 'TEXT', required: true, default: 'Yew' },
    { name: 'size', type: 'CHOICE', options: ['small', 'large'], default: 'small' },
    { name: 'count', type: 'NUMBER', default: '3' },
  ],
  spec: {
    schedule: { manual: true },
    phases: [
      {
        key: 'opening',
        label: 'Opening',
        steps: [step('core.log', { message: 'to {region}' }), step('core.wait', { for: '1s' })],
        advance: { after: '1s' },
      },
      { key: 'close', steps: [{ ...step('core.cue', { instruction: 'Close' }), label: 'Close', onFailure: 'SKIP' }] },
    ],
  },
}
const SCHEDULES = [
  { once: { at: '2026-10-25T02:30' } },
  { recurring: { start: '2026-03-06T20:00', rule: 'FREQ=WEEKLY;BYDAY=FR', exclude: ['2026-03-13'], include: [] } },
]
const RUN = { scope: 'north', params: { region: 'Yew', size: 'large', count: '4' }, rehearsal: false }

type Issue = { path: string; message: string }
type Done = {
  __typename: string
  message?: string
  issues?: Issue[]
  definition?: { id: string; draftIssues: Issue[]; draftWarnings: Issue[] }
}

/** What a mutation did; null where the request was refused as a whole. Every problem has a name. */
function doneOf({ data }: Answer, because: string): Done | null {
  const done = (data?.done ?? null) as Done | null
  if (done === null) return null
  if (done.__typename.endsWith('Error')) expect(done.message, because).toMatch(/\S/)
  if (done.__typename === 'InvalidInputError') expect(done.issues?.length, because).toBeGreaterThan(0)
  const issues = [
    ...(done.issues ?? []),
    ...(done.definition?.draftIssues ?? []),
    ...(done.definition?.draftWarnings ?? []),
  ]
  for (const { path, message } of issues) {
    expect(path, `${because}: ${message}`).toMatch(/^[a-z]/i)
    expect(message, because).toMatch(/\S.*[.?!]$/s)
  }
  return done
}

test(`${FUZZ.inputs} hostile events are taken with every problem named, or refused with a sentence (seed ${FUZZ.seed})`, {
  timeout: 60_000 + FUZZ.inputs * 500,
}, async () => {
  const server = await FuzzedServer.start(databaseUrl)
  const counts = { created: 0, published: 0, started: 0 }
  for (let index = 0; index < FUZZ.inputs; index += 1) {
    const seed = FUZZ.seed + index
    const because = `seed ${seed}`
    const chance = new Chance(randomFrom(seed))
    const spec = chance.maybe(0.3) ? { ...EVENT.spec, schedule: chance.pick(SCHEDULES) } : EVENT.spec
    const input = mutated(chance, { ...EVENT, spec, slug: `event-${seed}` }, chance.below(5))
    const created = doneOf(await server.ask(CREATE, { input }, because), because)
    let definition = created?.definition
    if (definition === undefined) continue
    counts.created += 1
    const { id } = definition
    if (chance.maybe(0.5)) {
      const change = mutated(chance, { id, ...EVENT, spec }, chance.below(4))
      definition = doneOf(await server.ask(UPDATE, { input: change }, because), because)?.definition ?? definition
    }
    const published = doneOf(await server.ask(PUBLISH, { id }, because), because)
    // The same list, on reading and on publishing.
    expect(published?.issues ?? [], because).toEqual(definition.draftIssues)
    if (published?.__typename !== 'PublishDefinitionPayload') continue
    counts.published += 1
    for (const changes of [chance.below(4), 1]) {
      const run = mutated(chance, { definitionId: id, ...RUN, requestId: hostileText(chance) }, changes)
      const started = doneOf(await server.ask(START, { input: run }, because), because)
      if (started?.__typename === 'StartRunPayload') counts.started += 1
    }
  }
  await server.expectWell()
  // Else nothing got past the door.
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(FUZZ.inputs / 20)
})
