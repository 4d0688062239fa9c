import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { ADMIN_TOKEN, type Served, startServed } from './served.ts'

/** Of each there are a pause, a resume and a confirmation. */
const ROUNDS = 300
/** A phase has 200 at most. */
const STEPS_OF_PHASE = 100
const LOG =
  'subscription ($runId: ID!) { runLog(runId: $runId, after: 0) { cursor entries { line kind text stepId } } }'
const PARKED = 'step.parked'
// As a client sends them: the same document each time, which the server then knows.
const CONTROLS = {
  pauseRun: 'mutation ($input: RunReasonInput!) { pauseRun(input: $input) { ...on Error { message } } }',
  resumeRun: 'mutation ($input: RunReasonInput!) { resumeRun(input: $input) { ...on Error { message } } }',
  confirmCue: 'mutation ($input: ConfirmCueInput!) { confirmCue(input: $input) { ...on Error { message } } }',
}

export type Lateness = { p50Ms: number; p99Ms: number }
/** From sending a control over HTTP to the frame with its log line at a subscriber, in milliseconds. */
export type Controls = { count: number; sameProcess: Lateness; otherProcess: Lateness }

type Entry = { line: number; kind: string; text: string; stepId: string | null }

/** Two servers on the database, a run that asks a person again and again, and a subscriber of its log at each server. */
export async function measureControls(databaseUrl: string): Promise<Controls> {
  const servers: Served[] = []
  const followers: Follower[] = []
  try {
    for (let index = 0; index < 2; index++) servers.push(await startServed({ DATABASE_URL: databaseUrl }))
    const [here, there] = servers
    if (here === undefined || there === undefined) throw new Error('No servers.')
    const runId = await startRun(here)
    const [same, other] = [new Follower(here, runId), new Follower(there, runId)]
    followers.push(same, other)
    const waits: { same: number[]; other: number[] } = { same: [], other: [] }
    const control = async (name: keyof typeof CONTROLS, { note, ...input }: { note: string; id: string }) => {
      const comes = [same, other].map((follower) => follower.next(({ text }) => text.endsWith(`: ${note}.`)))
      const sentAt = performance.now()
      const why = name === 'confirmCue' ? { note } : { reason: note }
      const done = ask(here, CONTROLS[name], { input: { ...input, ...why } })
      const [sameAt = 0, otherAt = 0] = (await Promise.all(comes)).map(({ at }) => at)
      waits.same.push(sameAt - sentAt)
      waits.other.push(otherAt - sentAt)
      if (JSON.stringify(await done).includes('message')) throw new Error(`${note}: ${JSON.stringify(await done)}`)
      // Neither always in the window of the lines before, nor always behind it.
      await delay(10 + ((waits.same.length * 7) % 31))
    }
    let parked = await Promise.all([same, other].map((follower) => follower.next(({ kind }) => kind === PARKED)))
    for (let round = 1; round <= ROUNDS; round++) {
      const stepId = parked[0]?.entry.stepId ?? ''
      for (const name of ['pauseRun', 'resumeRun'] as const)
        await control(name, { id: runId, note: `${name} ${round}` })
      const next = [same, other].map((follower) => follower.next(({ kind }) => kind === PARKED))
      await control('confirmCue', { id: stepId, note: `Done ${round}` })
      parked = await Promise.all(next)
    }
    return { count: waits.same.length, sameProcess: latenessOf(waits.same), otherProcess: latenessOf(waits.other) }
  } finally {
    for (const follower of followers) follower.stop()
    for (const server of servers) await server.stop()
  }
}

/** A subscriber as graphql-ws makes it, which knows when the frame of each line came. */
class Follower {
  readonly #waiting = new Set<{ is: (entry: Entry) => boolean; found: (came: Came) => void }>()
  readonly stop: () => void

  constructor({ url }: Served, runId: string) {
    const client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${ADMIN_TOKEN}` },
    })
    client.subscribe<{ runLog: { entries: Entry[] } }>(
      { query: LOG, variables: { runId } },
      {
        next: ({ data }) => this.#take(data?.runLog.entries ?? []),
        error: (error) => console.error('A subscriber was ended:', error),
        complete: () => {},
      },
    )
    this.stop = () => void client.dispose()
  }

  /** The next line for which that is so, and when it came. */
  next(is: (entry: Entry) => boolean): Promise<Came> {
    return new Promise((found) => this.#waiting.add({ is, found }))
  }

  #take(entries: Entry[]): void {
    const at = performance.now()
    for (const waiting of this.#waiting) {
      const entry = entries.find(waiting.is)
      if (entry === undefined) continue
      this.#waiting.delete(waiting)
      waiting.found({ entry, at })
    }
  }
}

type Came = { entry: Entry; at: number }

async function startRun(server: Served): Promise<string> {
  const cue = { actionId: 'core.cue', params: { instruction: 'Go on.' } }
  const phases = Array.from({ length: Math.ceil((ROUNDS + 1) / STEPS_OF_PHASE) }, (_, index) => ({
    key: `part-${index}`,
    steps: Array.from({ length: STEPS_OF_PHASE }, () => cue),
  }))
  const input = {
    slug: 'bench-controls',
    title: 'Controls',
    spec: { schedule: { manual: true }, phases },
  }
  const definition = await askForId(server, {
    prefix: 'def',
    query:
      'mutation ($input: CreateDefinitionInput!) { createDefinition(input: $input) { ...on CreateDefinitionPayload { definition { id } } } }',
    variables: { input },
  })
  await ask(server, `mutation { publishDefinition(input: {id: "${definition}"}) { __typename } }`)
  return askForId(server, {
    prefix: 'run',
    query: `mutation { startRun(input: {definitionId: "${definition}"}) { ...on StartRunPayload { run { id } } } }`,
  })
}

async function askForId(
  server: Served,
  { prefix, query, variables = {} }: { prefix: string; query: string; variables?: object },
): Promise<string> {
  const answer = JSON.stringify(await ask(server, query, variables))
  const [id] = new RegExp(`${prefix}_[0-9a-f-]+`).exec(answer) ?? []
  if (id === undefined) throw new Error(`There is no id in ${answer}`)
  return id
}

async function ask(server: Served, query: string, variables: object = {}): Promise<unknown> {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_TOKEN}` },
    body: JSON.stringify({ query, variables }),
  })
  return response.json()
}

function latenessOf(milliseconds: number[]): Lateness {
  const sorted = [...milliseconds].sort((a, b) => a - b)
  const at = (share: number) => Number((sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1))
  return { p50Ms: at(0.5), p99Ms: at(0.99) }
}
