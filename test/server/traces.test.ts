import { trace } from '@opentelemetry/api'
import { expect, onTestFinished, test } from 'vitest'
import { Harbour, SECRET } from '../modules/harbour.ts'
import { type Received, receiver } from '../modules/receiver.ts'
import { createTestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { served, TOKEN } from './served.ts'
import { SLIPPED } from './watched-world.ts'

const KEY = 'the-key-of-the-collector'
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'

type Span = {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  status?: { code?: number; message?: string }
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

async function ownDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase()
  onTestFinished(() => drop())
  return url
}

async function collecting(answer?: Parameters<typeof receiver>[0]) {
  const collector = await receiver(answer)
  onTestFinished(() => collector[Symbol.asyncDispose]())
  return collector
}

const spansIn = (received: Received[]): Span[] =>
  received.flatMap(({ body }) => {
    const { resourceSpans }: { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] } = JSON.parse(body)
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  })

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))

const parentOf = (headers: Received['headers'] | undefined) => String(headers?.traceparent)

test('a run is told to the collector: what called it, its passes, its dispatches and what they called in turn', async () => {
  const [databaseUrl, collector, target, harbour] = await Promise.all([
    ownDatabase(),
    collecting(),
    collecting(),
    Harbour.open(),
  ])
  const { publish, startRun, reaches, stop } = await served({
    DATABASE_URL: databaseUrl,
    CUELIGHT_MODULES: 'test/server/watched-world.ts',
    CUELIGHT_STEP_RETRY_MS: '10',
    CUELIGHT_TARGETS: JSON.stringify([{ name: 'news', kind: 'GENERIC', url: target.url }]),
    CUELIGHT_REMOTE_MODULES: JSON.stringify([{ url: harbour.url, secret: SECRET }]),
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: `x-key=${KEY}`,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test%20bench',
  })
  const definitionId = await publish('told', [
    { actionId: 'core.announce', params: { target: 'news', message: 'The gates are open' } },
    { actionId: 'watched.flaky' },
    { actionId: 'harbour.moor', params: { ship: 'cog', count: 3 } },
  ])
  const runId = await startRun(definitionId, { traceparent: `00-${TRACE}-${CALLER}-01` })
  await reaches(runId, 'COMPLETED')
  await stop()

  expect(new Set(collector.received.map(({ path }) => path))).toEqual(new Set(['/v1/traces']))
  expect(collector.received[0]?.headers).toMatchObject({ 'x-key': KEY, 'content-type': 'application/json' })
  const spans = spansIn(collector.received)
  const named = (name: string) => spans.filter((span) => span.name === name)
  const [mutation] = named('mutation Go')
  expect(mutation).toMatchObject({ traceId: TRACE, parentSpanId: CALLER })
  expect(mutation && attributesOf(mutation)).toEqual({
    'graphql.operation.type': 'mutation',
    'graphql.operation.name': 'Go',
  })

  const passes = named('runner pass')
  expect(passes.filter(({ parentSpanId = '' }) => parentSpanId !== '')).toEqual([])
  const passesById = new Map(passes.map((pass) => [pass.spanId, pass]))
  const calls = ['core.announce', 'watched.flaky', 'harbour.moor'].flatMap((id) => named(`dispatch ${id}`))
  for (const call of [...calls, ...named('revert harbour.moor')])
    expect(passesById.get(call.parentSpanId ?? '')?.traceId).toBe(call.traceId)
  expect(calls.map(attributesOf)).toEqual(
    [
      { 'cuelight.action.id': 'core.announce', 'cuelight.step.seq': 0, 'cuelight.step.attempt': 1, outcome: 'done' },
      { 'cuelight.action.id': 'watched.flaky', 'cuelight.step.seq': 1, 'cuelight.step.attempt': 1, outcome: 'failed' },
      { 'cuelight.action.id': 'watched.flaky', 'cuelight.step.seq': 1, 'cuelight.step.attempt': 2, outcome: 'done' },
      { 'cuelight.action.id': 'harbour.moor', 'cuelight.step.seq': 2, 'cuelight.step.attempt': 1, outcome: 'done' },
    ].map(({ outcome, ...own }) => ({
      'cuelight.run.id': runId,
      'cuelight.step.id': expect.stringMatching(/^step_/),
      'cuelight.step.phase': 'only',
      'cuelight.step.idempotency_key': expect.stringMatching(/^[0-9a-f]{40}$/),
      'cuelight.outcome': outcome,
      ...own,
    })),
  )
  expect(calls.map(({ status }) => status?.code ?? 0)).toEqual([0, 2, 0, 0])

  const told = ({ traceId, spanId }: Span) => `00-${traceId}-${spanId}-01`
  expect(target.received.map(({ headers }) => parentOf(headers))).toEqual(named('dispatch core.announce').map(told))
  const asked = await harbour.received()
  const ofHarbour = (path: string) =>
    asked.filter((request) => request.path === path).map(({ headers }) => parentOf(headers))
  // It was asked whether it would work, too, by publishing.
  const [verified, ...performed] = ofHarbour('/perform')
  expect(named('mutation').map(told)).toContain(verified)
  expect(performed).toEqual(named('dispatch harbour.moor').map(told))
  expect(ofHarbour('/revert')).toEqual(named('revert harbour.moor').map(told))

  const sent = collector.received.map(({ body }) => body).join('')
  expect(sent).toContain('"service.name","value":{"stringValue":"cuelight"}')
  expect(sent).toContain('"deployment.environment.name","value":{"stringValue":"test bench"}')
  for (const secret of [TOKEN, SLIPPED, SECRET, KEY, target.url, harbour.url, 'The gates are open'])
    expect(sent).not.toContain(secret)
})

test('without a setting nothing is recorded, and nobody is told of a trace', async () => {
  const [databaseUrl, target] = await Promise.all([ownDatabase(), collecting()])
  const { publish, startRun, reaches } = await served({
    DATABASE_URL: databaseUrl,
    CUELIGHT_TARGETS: JSON.stringify([{ name: 'news', kind: 'GENERIC', url: target.url }]),
  })
  const announce = { actionId: 'core.announce', params: { target: 'news', message: 'hi' } }
  const runId = await startRun(await publish('untold', [announce]), { traceparent: `00-${TRACE}-${CALLER}-01` })
  await reaches(runId, 'COMPLETED')
  expect(target.received.map(({ headers }) => headers.traceparent)).toEqual([undefined])
  expect(trace.getTracer('any').startSpan('any').isRecording()).toBe(false)
})

test('where nothing else is said spans go as protobuf, and what cannot be exported is said once', async () => {
  const statuses = [400, 200]
  const collector = await collecting((_request, response) => {
    response.writeHead(statuses.shift() ?? 500).end()
  })
  const { ask, lines, stop } = await served({
    DATABASE_URL: await ownDatabase(),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/here`,
  })
  await ask('query Lost { viewer { name } }')
  await eventually(() => expect(collector.received.length).toBe(1))
  await ask('query Kept { viewer { name } }')
  await stop()
  expect(collector.received.map(({ path, headers }) => [path, headers['content-type']])).toEqual([
    ['/here', 'application/x-protobuf'],
    ['/here', 'application/x-protobuf'],
  ])
  expect(collector.received[1]?.body).toContain('query Kept')
  const said = lines.map((line): string => JSON.parse(line).msg).filter((message) => message.startsWith('traces '))
  expect(said).toEqual([
    'traces are exported',
    expect.stringMatching(/^traces could not be exported .* see that the collector .* is up$/),
    'traces are exported again',
  ])
  expect(lines.join('')).not.toContain(collector.url)
})

test('a collector that takes nothing does not keep the server from stopping', async () => {
  const collector = await collecting(() => {})
  const { ask, stop } = await served({
    DATABASE_URL: await ownDatabase(),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  await ask('query Hung { viewer { name } }')
  const stoppingAt = performance.now()
  await stop()
  expect(performance.now() - stoppingAt).toBeLessThan(20_000)
  expect(collector.received.length).toBe(1)
})
