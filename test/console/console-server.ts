import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, inject, onTestFinished, vi } from 'vitest'
import { ServerProcess, TOKEN } from '../crash/server-process.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'

const MODULES = ['test/cli/quiz-world.ts', 'test/console/fair-world.ts']
/** A cue that asks for something, as a step. */
export const cue = (label: string, instruction: string) => ({
  actionId: 'core.cue',
  label,
  params: { instruction },
})

/** The server as a process of its own with the console that belongs to it, to be killed and started again. */
export async function consoleServer({ modules = MODULES }: { modules?: readonly string[] } = {}) {
  await buildConsole(inject('build'))
  const { url: databaseUrl, db } = await testDatabase()
  const env = { DATABASE_URL: databaseUrl, CUELIGHT_MODULES: modules.map((module) => resolve(module)).join() }
  let server = new ServerProcess(env)
  afterAll(() => server.stop())
  const url = await server.listening()

  const ask = async (query: string, variables: object = {}, token = TOKEN) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables }),
    })
    const { data, errors } = await response.json()
    if (errors !== undefined) throw new Error(JSON.stringify(errors))
    const [answer] = Object.values<Record<string, unknown> | null>(data)
    if (answer?.message !== undefined) throw new Error(JSON.stringify(answer))
    return data
  }
  /** Creates an event, of one phase and started by hand where nothing else is said; answers its id. */
  const create = async (slug: string, more: object = {}): Promise<string> => {
    const { createDefinition } = await ask(
      'mutation ($input: CreateDefinitionInput!) { createDefinition(input: $input) { ... on CreateDefinitionPayload { definition { id } } ... on Error { message } } }',
      {
        input: {
          slug,
          title: `Event ${slug}`,
          timeZone: 'America/New_York',
          spec: { schedule: { manual: true }, phases: [{ key: 'doors', steps: [] }] },
          ...more,
        },
      },
    )
    return createDefinition.definition.id
  }
  /** Publishes an event as its draft is. */
  const publishDraft = (id: string) =>
    ask('mutation ($id: ID!) { publishDefinition(input: { id: $id }) { __typename ... on Error { message } } }', { id })
  /** Creates an event like `create`, and publishes it. */
  const publish = async (slug: string, more: object = {}): Promise<string> => {
    const id = await create(slug, more)
    await publishDraft(id)
    return id
  }
  /** Starts a run, or has it start at an instant; answers its id. */
  const start = async (input: object): Promise<string> => {
    const { startRun } = await ask(
      'mutation ($input: StartRunInput!) { startRun(input: $input) { ... on StartRunPayload { run { id } } ... on Error { message } } }',
      { input },
    )
    return startRun.run.id
  }
  return {
    url,
    db,
    ask,
    kill: () => server.kill(),
    /** At the same address as before. */
    async startAgain() {
      server = new ServerProcess({ ...env, PORT: new URL(url).port })
      await server.listening()
    },
    /** A token of somebody's own, and its id. */
    async tokenFor(name: string, role: string): Promise<{ id: string; token: string }> {
      const { createApiToken } = await ask(
        'mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) { ... on CreateApiTokenPayload { token apiToken { id } } } }',
        { input: { name, role } },
      )
      return { id: createApiToken.apiToken.id, token: createApiToken.token }
    },
    publish,
    publishDraft,
    start,
    /** Changes the draft of an event, as whoever has the token. */
    change: (input: object, token = TOKEN) =>
      ask(
        'mutation ($input: UpdateDefinitionInput!) { updateDefinition(input: $input) { __typename ... on Error { message } } }',
        { input },
        token,
      ),
    /** Creates an event of these phases; answers its id. */
    define: (
      slug: string,
      phases: object[],
      { schedule = { manual: true }, publish: isPublished = false }: { schedule?: object; publish?: boolean } = {},
    ): Promise<string> => (isPublished ? publish : create)(slug, { spec: { schedule, phases } }),
    /** Publishes an event of these phases and starts it; answers the run's id. It is cancelled with its test. */
    async run(slug: string, phases: object[]): Promise<string> {
      const id = await publish(slug, { spec: { schedule: { manual: true }, phases } })
      const runId = await start({ definitionId: id })
      // Whatever became of the test: its cues are not those of the next one.
      onTestFinished(async () => {
        await ask('mutation ($id: ID!) { cancelRun(input: { id: $id }) { __typename } }', { id: runId }).catch(() => {})
      })
      return runId
    },
    /** Waits until a run matches, by what is asked of it. */
    until: (id: string, matches: (run: RunSeen) => boolean) =>
      eventually(async () => {
        const { run } = await ask(
          'query ($id: ID!) { run(id: $id) { status currentPhase cues { id } steps { label status note } } }',
          { id },
        )
        if (!matches(run)) throw new Error(`The run is ${JSON.stringify(run)}.`)
      }),
  }
}

type RunSeen = {
  status: string
  currentPhase: string | null
  cues: { id: string }[]
  steps: { label: string | null; status: string; note: string | null }[]
}

/** Builds the console beside the compiled server. One file does; the others wait until it is there, as a whole. */
async function buildConsole(folder: string): Promise<void> {
  const console = join(folder, 'console')
  const made = join(folder, 'console-being-built')
  const isFirst = await mkdir(made).then(
    () => true,
    () => false,
  )
  if (isFirst) {
    await promisify(execFile)(process.execPath, [
      'node_modules/vite/bin/vite.js',
      'build',
      '--outDir',
      join(made, 'out'),
    ])
    await rename(join(made, 'out'), console)
  }
  await vi.waitUntil(() => existsSync(console), { timeout: 120_000, interval: 100 })
}
