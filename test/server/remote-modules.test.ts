import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/server/config.ts'
import { createLogger } from '../../src/server/logger.ts'
import { secretsOf } from '../../src/server/secrets.ts'
import { serve } from '../../src/server/serve.ts'
import { Harbour, SECRET } from '../modules/harbour.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'

const { url: databaseUrl } = await testDatabase()
const TOKEN = 'the-admin-token-of-the-tests'
/** A server with a module over HTTP, and its log. */
async function startServer(url: string) {
  const read = readConfig({
    PORT: '0',
    DATABASE_URL: databaseUrl,
    CUELIGHT_ADMIN_TOKEN: TOKEN,
    CUELIGHT_STEP_RETRY_MS: '10',
    CUELIGHT_REMOTE_MODULES: JSON.stringify([{ url, secret: SECRET }]),
  })
  if (!read.ok) throw new Error(read.problems.join(' '))
  const { config } = read
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLogger({ level: 'trace', format: 'json' }, { destination, secrets: secretsOf(config) })
  const server = await serve(config, { migrate: true, log, announceToken: () => {} })
  onTestFinished(() => server.stop())
  const ask = async (query: string, variables: object = {}): Promise<string> => {
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ query, variables }),
    })
    return response.text()
  }
  const warnings = () =>
    eventually(async (): Promise<string[]> => {
      const response = await fetch(`${server.url}/readyz`)
      expect(response.status).toBe(200)
      return JSON.parse(await response.text()).warnings
    })
  return { ask, warnings, lines }
}

type Ask = Awaited<ReturnType<typeof startServer>>['ask']

/** Creates and publishes an event of one step, and answers its id and what publishing said. */
async function publish(ask: Ask, slug: string, step: object): Promise<{ id: string; said: string }> {
  const spec = { schedule: { manual: true }, phases: [{ key: 'only', steps: [step] }] }
  const created = await ask(
    'mutation ($input: CreateDefinitionInput!) { createDefinition(input: $input) { ... on CreateDefinitionPayload { definition { id } } } }',
    { input: { slug, title: slug, spec } },
  )
  const [id = created] = /def_[0-9a-f-]+/.exec(created) ?? []
  const said = await ask(
    `mutation { publishDefinition(input: {id: "${id}"}) { __typename ... on PublishDefinitionPayload {
      verification { passed steps { finding message } } } } }`,
  )
  return { id, said }
}

async function start(ask: Ask, definitionId: string): Promise<string> {
  const started = await ask(
    `mutation { startRun(input: {definitionId: "${definitionId}"}) { ... on StartRunPayload { run { id } } } }`,
  )
  const [id = started] = /run_[0-9a-f-]+/.exec(started) ?? []
  return id
}

const followed = (ask: Ask, runId: string, status: string) =>
  eventually(async () => {
    const run = await ask(
      `{ run(id: "${runId}") { status lastError steps { status lastError } log { edges { node { kind text detail } } } } }`,
    )
    expect(run).toContain(`"data":{"run":{"status":"${status}"`)
    return run
  })

const moor = { actionId: 'harbour.moor', params: { ship: 'cog', count: 3 } }

const MOORED_AND_GONE = ['3 × cog at berth-1', 'gone again: 3 × cog (berth-1)']

test('an event is verified and done by a world in another process, which is asked again after a 503', async () => {
  const harbour = await Harbour.open()
  const { ask, warnings } = await startServer(harbour.url)
  expect(await warnings()).toEqual([])
  const { id, said } = await publish(ask, 'mooring', moor)
  expect(said).toContain('"passed":true')
  expect(said).toContain('harbour.moor was asked: the step would work.')
  expect(await harbour.said()).toEqual([])

  await harbour.next({ status: 503, body: '{"error": "the tide is out"}' })
  const run = await followed(ask, await start(ask, id), 'COMPLETED')
  expect(run).toContain('its world answered 503: the tide is out')
  expect(await harbour.said()).toEqual(MOORED_AND_GONE)
  const [manifest, verified, ...called] = await harbour.received()
  const [performed, [reverted]] = [called.slice(0, 2), called.slice(2)]
  expect(manifest?.path).toBe('/manifest')
  expect(JSON.parse(verified?.body ?? '')).toMatchObject({ verify: true, runId: null, stepId: null, scope: '' })
  const keys = performed.map(({ body }): string => JSON.parse(body).idempotencyKey)
  expect(performed.map(({ headers }) => headers['webhook-id'])).toEqual(keys)
  expect(new Set(keys).size).toBe(1)
  expect(keys).toHaveLength(2)
  // Taken back at the run's end: the body has the step's key, the request one of the resource's own.
  expect(called.map(({ path }) => path)).toEqual(['/perform', '/perform', '/revert'])
  const { idempotencyKey, resource } = JSON.parse(reverted?.body ?? '')
  expect([idempotencyKey, resource.ref]).toEqual([keys[0], 'berth-1'])
  expect(reverted?.headers['webhook-id']).toBe(`${keys[0]}.${resource.id}`)
})

test('a world that comes up after the server is there without a restart', async () => {
  const port = await freePort()
  const { ask, warnings } = await startServer(`http://127.0.0.1:${port}`)
  expect(await warnings()).toEqual([
    "modules: CUELIGHT_REMOTE_MODULES[0] did not load, and its actions are missing; the server's log says why.",
  ])
  expect((await publish(ask, 'too-early', moor)).said).toContain('InvalidInputError')
  const harbour = await Harbour.open({ port })
  await eventually(async () => expect(await warnings()).toEqual([]))
  const { id } = await publish(ask, 'in-time', moor)
  await followed(ask, await start(ask, id), 'COMPLETED')
  expect(await harbour.said()).toEqual(MOORED_AND_GONE)
})

test('what a world lets slip of the address and the secret reaches neither the API nor the log', async () => {
  const harbour = await Harbour.open()
  const { ask, lines } = await startServer(harbour.url)
  const slip = {
    status: 400,
    body: JSON.stringify({ error: `at ${harbour.url}/perform by ${SECRET} or ${SECRET.slice(6)}` }),
  }
  const clean = 'its world answered 400: at [redacted]/perform by [redacted] or [redacted]'
  await harbour.next(slip)
  const { id, said } = await publish(ask, 'slip', moor)
  expect(said).toContain(clean)
  await harbour.next(slip)
  const run = await followed(ask, await start(ask, id), 'PAUSED')
  expect(run).toContain(`"lastError":"${clean}"`)
  for (const text of [said, run, ...lines]) {
    expect(text).not.toContain(SECRET.slice(6))
    expect(text).not.toContain(harbour.url)
  }
})

test('the log does not show what a manifest lets slip', async () => {
  const harbour = await Harbour.open()
  await harbour.next({ status: 403, body: JSON.stringify({ error: `${SECRET} is not known` }) })
  const { lines } = await startServer(harbour.url)
  expect(lines.join('')).toContain('GET /manifest was answered with 403: [redacted] is not known')
  expect(lines.join('')).not.toContain(SECRET.slice(6))
})
