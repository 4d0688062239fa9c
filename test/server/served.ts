import { expect, onTestFinished } from 'vitest'
import { readConfig } from '../../src/server/config.ts'
import { createLogger } from '../../src/server/logger.ts'
import { secretsOf } from '../../src/server/secrets.ts'
import { serve } from '../../src/server/serve.ts'
import { eventually } from '../support/eventually.ts'

export const TOKEN = 'the-admin-token-of-the-tests'
/** A whole server with these settings, and what to do with it over HTTP; stopped when the test, or the file, is over. */
export async function served(
  env: Record<string, string>,
  { until = onTestFinished }: { until?: (stop: () => Promise<void>) => void } = {},
) {
  const read = readConfig({ PORT: '0', CUELIGHT_ADMIN_TOKEN: TOKEN, ...env })
  if (!read.ok) throw new Error(read.problems.join(' '))
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLogger({ level: 'debug', format: 'json' }, { destination, secrets: secretsOf(read.config) })
  const server = await serve(read.config, { migrate: false, log, announceToken: () => {} })
  until(() => server.stop())

  const ask = async (query: string, variables: object = {}, headers: Record<string, string> = {}): Promise<string> => {
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...headers },
      body: JSON.stringify({ query, variables }),
    })
    return response.text()
  }
  const idIn = (prefix: string, text: string): string => {
    const [id] = new RegExp(`${prefix}_[0-9a-f-]+`).exec(text) ?? []
    if (id === undefined) throw new Error(`There is no id in ${text}`)
    return id
  }
  return {
    ...server,
    ask,
    lines,
    /** Publishes an event of one phase, and answers its id. */
    async publish(slug: string, steps: object[], more: object = {}): Promise<string> {
      const spec = { schedule: { manual: true }, phases: [{ key: 'only', steps }] }
      const created = await ask(
        'mutation ($input: CreateDefinitionInput!) { createDefinition(input: $input) { ... on CreateDefinitionPayload { definition { id } } } }',
        { input: { slug, title: slug, spec, ...more } },
      )
      const id = idIn('def', created)
      await ask(`mutation { publishDefinition(input: {id: "${id}"}) { __typename } }`)
      return id
    },
    async startRun(definitionId: string, headers: Record<string, string> = {}): Promise<string> {
      const query = `mutation Go { startRun(input: {definitionId: "${definitionId}"}) { ... on StartRunPayload { run { id } } } }`
      return idIn('run', await ask(query, {}, headers))
    },
    /** Waits until a run has the status. */
    reaches: (runId: string, status: string) =>
      eventually(async () => {
        expect(await ask(`query Status { run(id: "${runId}") { status } }`)).toContain(`"status":"${status}"`)
      }),
  }
}
