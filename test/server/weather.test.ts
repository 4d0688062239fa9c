import { createClient } from 'graphql-ws'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { readConfig } from '../../src/server/config.ts'
import { createLogger } from '../../src/server/logger.ts'
import { serve } from '../../src/server/serve.ts'
import { testDatabase } from '../support/database.ts'
import { type HalfOpen, halfOpen } from '../support/half-open.ts'

const { url: databaseUrl, db } = await testDatabase()
const TOKEN = 'the-admin-token-of-the-tests'

/** The server waits this long for its database, instead of the usual half a minute. */
const PATIENCE = { statementMs: 1_500, silenceMs: 2_000 }
/** However busy the machine is. */
const WIDE_MS = 25_000

async function startBehind(way: HalfOpen) {
  const config = readConfig({ PORT: '0', DATABASE_URL: way.url, CUELIGHT_ADMIN_TOKEN: TOKEN })
  if (!config.ok) throw new Error(config.problems.join(' '))
  const lines: string[] = []
  const server = await serve(config.config, {
    migrate: true,
    log: createLogger({ level: 'warn', format: 'json' }, { destination: { write: (line) => void lines.push(line) } }),
    announceToken: () => {},
    patience: { api: PATIENCE, runner: PATIENCE },
  })
  onTestFinished(() => server.stop())
  return { url: server.url, lines }
}

type Answer = { data?: Record<string, unknown> | null; errors?: { message: string; extensions: { code: string } }[] }

async function ask(url: string, query: string): Promise<Answer> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ query }),
  })
  return response.json() as Promise<Answer>
}

const idIn = (answer: Answer, shape: RegExp) =>
  shape.exec(JSON.stringify(answer))?.[0] ?? `none in ${JSON.stringify(answer)}`

/** Publishes an event of four waits, each as long as this and with a step behind it, and starts it. */
async function startRun(url: string, slug: string, wait: string): Promise<string> {
  const steps = Array(4).fill(
    `{actionId: "core.wait", params: {for: "${wait}"}}, {actionId: "core.log", params: {message: "on"}}`,
  )
  const created = await ask(
    url,
    `mutation { createDefinition(input: {slug: "${slug}", title: "Weather", spec: {schedule: {manual: true},
      phases: [{key: "one", steps: [${steps}]}]}}) { ... on CreateDefinitionPayload { definition { id } } } }`,
  )
  const id = idIn(created, /def_[0-9a-f-]+/)
  await ask(url, `mutation { publishDefinition(input: {id: "${id}"}) { __typename } }`)
  return idIn(
    await ask(url, `mutation { startRun(input: {definitionId: "${id}"}) { ... on StartRunPayload { run { id } } } }`),
    /run_[0-9a-f-]+/,
  )
}

/** All lines of a run, until its subscription ends by itself; the socket must never break. */
async function follow(url: string, runId: string): Promise<number[]> {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { authorization: `Bearer ${TOKEN}` },
  })
  onTestFinished(() => void client.dispose())
  const lines: number[] = []
  const batches = client.iterate<{ runLog: { entries: { line: number }[] } }>({
    query: `subscription { runLog(runId: "${runId}") { entries { line } } }`,
  })
  for await (const { data, errors } of batches) {
    if (errors !== undefined) throw new Error(JSON.stringify(errors))
    lines.push(...(data?.runLog.entries ?? []).map(({ line }) => line))
  }
  return lines
}

async function readyz(url: string): Promise<{ status: number; reasons: string[] }> {
  const response = await fetch(`${url}/readyz`)
  const { reasons } = (await response.json()) as { reasons: string[] }
  return { status: response.status, reasons }
}

test('connections that go dead without a word hold nobody up: it is said, and the work goes on over new ones', async () => {
  const way = await halfOpen(databaseUrl)
  const { url, lines } = await startBehind(way)
  const runId = await startRun(url, 'dead-line', '1s')
  const followed = follow(url, runId)
  await expect.poll(() => db.prisma.logLine.count()).toBeGreaterThan(4)

  way.stop()
  const stoppedAt = Date.now()
  const { errors } = await ask(url, '{ runs(first: 1) { edges { node { id } } } }')
  expect(Date.now() - stoppedAt).toBeLessThan(WIDE_MS)
  expect(errors).toEqual([
    expect.objectContaining({
      message: expect.stringMatching(
        /^The server's database does not answer, or not in time\. Try again in a moment; .* log has it under /,
      ),
      extensions: expect.objectContaining({ code: 'INTERNAL_SERVER_ERROR' }),
    }),
  ])
  expect(await readyz(url)).toEqual({
    status: 503,
    reasons: expect.arrayContaining([expect.stringMatching(/^database: /)]),
  })

  way.resume()
  await expect.poll(() => readyz(url), { timeout: WIDE_MS }).toEqual({ status: 200, reasons: [] })
  const seen = await followed
  expect(seen).toEqual(seen.map((_, index) => index + 1))
  expect(await ask(url, `{ run(id: "${runId}") { status steps { status attempts } } }`)).toEqual({
    data: { run: { status: 'COMPLETED', steps: Array(8).fill({ status: 'DONE', attempts: 1 }) } },
  })
  // Whichever is found first: that nothing comes over a connection, or that a question is not answered.
  expect(lines.join('')).toMatch(
    /"why":"(the database said nothing for 2 s, and the connection was given up|no answer within 2 s)","msg":"the database does not answer;/,
  )
})

test('a statement that waits for what somebody holds is cancelled, and the answer says what to do', async () => {
  const { url } = await startBehind(await halfOpen(databaseUrl))
  const runId = await startRun(url, 'held-up', '1h')
  const uuid = runId.slice('run_'.length)
  // A run that has not begun is refused at once, with nothing waited for.
  await expect
    .poll(() => ask(url, `{ run(id: "${runId}") { status } }`), { timeout: WIDE_MS })
    .toEqual({ data: { run: { status: 'RUNNING' } } })
  let isHeld = true
  let taken: () => void = () => {}
  const locked = new Promise<void>((resolve) => {
    taken = resolve
  })
  const holding = db.prisma.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM runs WHERE id = ${uuid}::uuid FOR UPDATE`
      taken()
      // A session that says nothing for five seconds is ended; this one is at work.
      while (isHeld) await tx.$executeRaw`SELECT pg_sleep(0.1)`
    },
    { timeout: 120_000 },
  )
  try {
    await locked
    expect(await ask(url, `mutation { pauseRun(input: {id: "${runId}"}) { __typename } }`)).toMatchObject({
      errors: [
        {
          message: expect.stringMatching(
            /^The server's database does not answer, or not in time\. Try again in a moment; /,
          ),
        },
      ],
    })
  } finally {
    isHeld = false
    await holding
  }
  // What was refused has changed nothing, and the run obeys again.
  expect(await ask(url, `{ run(id: "${runId}") { status } }`)).toEqual({ data: { run: { status: 'RUNNING' } } })
  await ask(url, `mutation { cancelRun(input: {id: "${runId}", reason: "the test is over"}) { __typename } }`)
  const seen = await follow(url, runId)
  expect(seen).toEqual(seen.map((_, index) => index + 1))
  expect(await ask(url, `{ run(id: "${runId}") { status } }`)).toEqual({ data: { run: { status: 'CANCELLED' } } })
})
