import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { createClient } from 'graphql-ws'
import { expect, inject, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { receiver } from '../modules/receiver.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'

const { url: databaseUrl, db } = await testDatabase()

const whsec = (text: string) => `whsec_${Buffer.from(text).toString('base64')}`
const ADMIN = 'the-admin-token-of-the-secrets-test'
const CHANNEL_PATH = '/api/webhooks/4711/a-very-secret-path'
const TARGET_SECRET = whsec('a target secret of 32 bytes here')
const WORLD_SECRET = whsec('a world secret of 32 bytes is it')
const WORLD_PATH = '/a-world-at-a-secret-path'

/** A world over HTTP that tells its address and secret wherever it can. */
async function leakingWorld() {
  let leak = ''
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const action = (id: string) => ({
      id: `remote.${id}`,
      label: `${id} ${leak}`,
      description: leak,
      version: 1,
      risk: 'notify',
      budgetMs: 5_000,
      params: { type: 'object', description: leak, properties: { part: { enum: ['a', leak] } } },
    })
    const manifest = {
      id: 'remote',
      actions: [action('fail')],
      triggers: [{ id: 'remote.told', label: leak, payload: { type: 'object', description: leak } }],
    }
    if (request.url?.endsWith('/manifest')) return response.end(JSON.stringify(manifest))
    response.statusCode = 400
    response.end(JSON.stringify({ error: leak }))
  }
  const world = await receiver(answer)
  onTestFinished(() => world[Symbol.asyncDispose]())
  const url = `${world.url}${WORLD_PATH}`
  leak = `leaked ${url} ${WORLD_SECRET}`
  return { url }
}

/** Everything that leaves a server, while it is asked for everything. */
async function startServer(env: Record<string, string>) {
  const child = spawn(process.execPath, [join(inject('build'), 'cli/main.js'), 'serve'], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'trace',
      CUELIGHT_STEP_RETRY_MS: '10',
      DATABASE_URL: databaseUrl,
      CUELIGHT_ADMIN_TOKEN: ADMIN,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const told: string[] = []
  child.stderr.on('data', (data) => told.push(`stderr: ${data}`))
  const lines = createInterface({ input: child.stdout })
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      told.push(`stdout: ${line}`)
      const { url: listening } = JSON.parse(line)
      if (listening !== undefined) resolve(listening)
    })
    child.once('exit', () => reject(new Error(told.join('\n'))))
  })
  const ask = async (query: string, variables: object = {}, token: string | null = ADMIN): Promise<string> => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ query, variables }),
    })
    const text = await response.text()
    told.push(`${query}: ${text}`)
    return text
  }
  const stop = async () => {
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    await ended
  }
  return { url, told, ask, stop }
}

const step = (actionId: string, params: object = {}) => ({ actionId, params, onFailure: 'SKIP' })

const READ_RUN = `query ($id: ID!) { run(id: $id) { status cleanupStatus lastError waitingOn { description } budget { dimension }
  steps { label params status lastError } cues { id instruction } gates { description } participants { memberKey meta }
  resources { kind ref payload status lastError } log(first: 200) { edges { node { kind text detail } } } } }`

test('no secret of the settings leaves the server, whatever modules and worlds tell', async () => {
  const world = await leakingWorld()
  const folder = await mkdtemp(join(tmpdir(), 'cuelight-test-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const broken = join(folder, 'broken.mjs')
  await writeFile(broken, 'throw new Error(Object.values(process.env).join(" "))')
  const server = await startServer({
    CUELIGHT_MODULES: `${resolve('test/server/leaking-world.ts')},${broken}`,
    CUELIGHT_REMOTE_MODULES: JSON.stringify([{ url: world.url, secret: WORLD_SECRET }]),
    CUELIGHT_TARGETS: JSON.stringify([
      { name: 'news', kind: 'DISCORD', url: `http://127.0.0.1:1${CHANNEL_PATH}` },
      { name: 'hook', kind: 'GENERIC', url: 'http://127.0.0.1:1/', secret: TARGET_SECRET },
    ]),
  })
  const { ask, told } = server
  for (const path of ['/', '/healthz', '/readyz', '/nowhere', '/graphql?query=nonsense'])
    told.push(`${path}: ${await (await fetch(`${server.url}${path}`)).text()}`)
  const types = await ask(
    `{ actions { id label description paramsSchema } triggers { id label description payloadSchema } }`,
  )
  expect(types).toContain('"throw leaked [redacted]')
  expect(types).toContain('"fail leaked [redacted] [redacted]"')

  const create = async (slug: string, steps: object[]): Promise<string> => {
    const spec = { schedule: { manual: true }, phases: [{ key: 'one', steps }] }
    const created = await ask(
      `mutation ($input: CreateDefinitionInput!) { createDefinition(input: $input) { ... on Error { message }
        ... on CreateDefinitionPayload { definition { id draftIssues { path message } draftWarnings { message } } } } }`,
      { input: { slug, title: slug, spec } },
    )
    const id = /def_[0-9a-f-]+/.exec(created)?.[0] ?? ''
    await ask(
      `mutation ($id: ID!) { publishDefinition(input: {id: $id}) { ... on Error { message } ... on InvalidInputError { issues { message } }
        ... on PublishDefinitionPayload { verification { issues { path message } steps { finding message } } } } }`,
      { id },
    )
    await ask(
      `mutation ($id: ID!) { verifyDefinition(input: {id: $id, draft: true}) { ... on Error { message } ... on VerifyDefinitionPayload { verification { issues { path message } steps { finding message } } } } }`,
      { id },
    )
    return id
  }
  // What cannot be published, for what its schema says.
  await create('schema', [step('leaking.schema', { part: 'a' }), step('leaking.schema-that-throws', { part: 'a' })])
  const id = await create('everything', [
    step('leaking.throw'),
    step('leaking.log'),
    step('leaking.cost'),
    step('leaking.spawn'),
    step('leaking.garbage'),
    step('remote.fail'),
    step('core.announce', { target: 'news', message: 'hello' }),
    step('core.webhook', { target: 'hook', body: {} }),
    step('core.publish-results'),
    step('leaking.cue'),
  ])
  const started = await ask(
    'mutation ($id: ID!) { startRun(input: {definitionId: $id}) { ... on Error { message } ... on StartRunPayload { run { id } } } }',
    { id },
  )
  expect(started).toMatch(/run_/)
  const runId = /run_[0-9a-f-]+/.exec(started)?.[0] ?? ''
  const client = createClient({
    url: `${server.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${ADMIN}` },
  })
  onTestFinished(() => void client.dispose())
  const follow = async (query: string): Promise<void> => {
    for await (const event of client.iterate({ query })) told.push(`${query}: ${JSON.stringify(event)}`)
  }
  const followed = follow(`subscription { runLog(runId: "${runId}") { entries { kind text detail } } }`)
  follow('subscription { cues { type cue { instruction } } }').catch(() => {})
  const cue = await eventually(async () => {
    const found = /"cues":\[\{"id":"([^"]+)"/.exec(await ask(READ_RUN, { id: runId }))?.[1]
    expect(found).toBeDefined()
    return found
  })
  await ask(
    'mutation ($id: ID!) { confirmCue(input: {id: $id}) { ... on Error { message } ... on ConfirmCuePayload { __typename } } }',
    {
      id: cue,
    },
  )
  await followed
  const read = await ask(READ_RUN, { id: runId })
  expect(read).toContain('"cleanupStatus":"INCOMPLETE"')
  for (const seen of ['"thing"', 'step.message', 'REFUSED', 'memberKey', 'leaked [redacted]'])
    expect(read).toContain(seen)
  await ask(`{ publicResults(runId: "${runId}") { memberKey meta } }`, {}, null)
  const emit = `mutation ($input: EmitTriggerInput!) { emitTrigger(input: $input) { ... on Error { message } ... on InvalidInputError { issues { path message } } ... on EmitTriggerPayload { matchedCount } } }`
  expect(await ask(emit, { input: { trigger: 'leaking.told', payload: { who: 'me' } } })).toContain('leaked [redacted]')
  await ask('{ auditLog { edges { node { action detail } } } runner { instances { host } } }')
  await server.stop()

  const secrets = {
    ADMIN,
    password: new URL(databaseUrl).password,
    CHANNEL_PATH,
    TARGET_SECRET: TARGET_SECRET.slice('whsec_'.length),
    WORLD_SECRET: WORLD_SECRET.slice('whsec_'.length),
    WORLD_PATH,
  }
  // What tells of a resource names it as its module did, and is censored where it is shown.
  const lines = await db.prisma.logLine.findMany()
  expect(lines.some(({ kind }) => kind === 'step.retry')).toBe(true)
  const stored = JSON.stringify(
    [
      lines.filter(({ detail }) => !Object.hasOwn(Object(detail), 'resourceId')),
      await db.prisma.step.findMany(),
      await db.prisma.run.findMany(),
      await db.prisma.participant.findMany(),
      await db.prisma.version.findMany(),
      await db.prisma.definition.findMany(),
    ],
    (_key, value) => (typeof value === 'bigint' ? String(value) : value),
  )
  expect(told.length).toBeGreaterThan(30)
  for (const [name, secret] of Object.entries(secrets)) {
    // Half of it gives it away too.
    const half = secret.slice(0, Math.max(9, secret.length / 2))
    for (const text of told) expect(text.includes(half) ? `${name} in ${text}` : '').toBe('')
    expect(stored.includes(half) ? `${name} is stored` : '').toBe('')
  }
}, 120_000)
