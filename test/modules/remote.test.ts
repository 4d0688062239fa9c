import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Registry } from '../../src/modules/registry.ts'
import { RemoteModules } from '../../src/modules/remote.ts'
import { systemClock } from '../../src/runner/clock.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { actionOf, connect, envelope, perform } from './connected.ts'
import { Harbour, type Received, SECRET } from './harbour.ts'
import { receiver } from './receiver.ts'

const signedBody = ({ headers, body }: Received) =>
  new Webhook(SECRET).verify(
    body,
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  )

test('a manifest becomes a module, with its schemas, costs and the rest', async () => {
  const harbour = await Harbour.open()
  const connected = await connect(`${harbour.url}/`)
  expect(connected.logged).toEqual(['info: Module "harbour" loaded from CUELIGHT_REMOTE_MODULES[0].'])
  expect(connected.registry.actions().map(({ id }) => id)).toEqual(['harbour.moor', 'harbour.ring'])
  const moor = actionOf(connected, 'harbour.moor')
  expect(moor).toMatchObject({
    module: 'harbour',
    label: 'Moor ships',
    risk: 'CHANGE',
    reversible: 'REVERT',
    budgetMs: 5_000,
    supportsVerify: true,
    dimensions: ['ships'],
  })
  expect(moor.checkFilled({ ship: 'cog', count: '3' })).toEqual({ ok: true, params: { ship: 'cog', count: 3 } })
  expect(moor.checkDraft({ ship: 'cog', count: 0 })).toMatchObject([{ path: 'count' }])
  expect(moor.cost({ ship: 'cog', count: 3 })).toEqual({ ok: true, cost: { ships: 3 } })
  expect(actionOf(connected, 'harbour.ring')).toMatchObject({ reversible: 'NONE', revert: null, supportsVerify: false })
  expect(connected.registry.trigger('harbour.sighted')?.checkPayload({})).toMatchObject([{ path: 'ship' }])

  const [asked] = await harbour.received()
  expect(asked).toMatchObject({ method: 'GET', path: '/manifest', body: '' })
  expect(asked?.headers['webhook-id']).toMatch(/^manifest\.[0-9a-f-]{36}$/)
})

test('a step is posted signed, with its envelope, and the answer is what any action answers', async () => {
  const harbour = await Harbour.open()
  const connected = await connect(harbour.url)
  expect(await perform(connected)).toEqual({
    kind: 'done',
    resources: [{ kind: 'mooring', ref: 'berth-1', payload: null, leaseUntil: null, memberKey: null }],
    participants: [],
    output: { berth: 'berth-1' },
  })
  const [, posted] = await harbour.received()
  if (posted === undefined) throw new Error('Nothing was posted.')
  expect(posted).toMatchObject({ method: 'POST', path: '/perform' })
  expect(posted.headers).toMatchObject({ 'webhook-id': 'key-1', 'content-type': 'application/json' })
  // A compressed answer could not be read.
  expect(posted.headers['accept-encoding']).toBe('identity')
  expect(signedBody(posted)).toEqual({ actionId: 'harbour.moor', ...envelope })
})

test('a repeat is known by its webhook-id, and nothing is done twice', async () => {
  const harbour = await Harbour.open()
  const connected = await connect(harbour.url)
  const first = await perform(connected)
  expect(await perform(connected)).toEqual(first)
  expect(await perform(connected, { idempotencyKey: 'key-2' })).toMatchObject({ output: { berth: 'berth-2' } })
  expect(await harbour.said()).toEqual(['3 × cog at berth-1', '3 × cog at berth-2'])
})

test('connections are kept and used again', async () => {
  const harbour = await Harbour.open()
  const connected = await connect(harbour.url)
  for (let call = 0; call < 8; call += 1) await perform(connected, { idempotencyKey: `key-${call}` })
  const ports = (await harbour.received()).map(({ port }) => port)
  expect(ports).toHaveLength(9)
  expect(new Set(ports).size).toBeLessThan(4)
})

test('what is only asked changes nothing, and is asked anew each time', async () => {
  const harbour = await Harbour.open()
  const connected = await connect(harbour.url)
  const asked = { runId: null, stepId: null, scope: '', verify: true }
  expect(await perform(connected, asked)).toMatchObject({ kind: 'done', resources: [] })
  expect(await perform(connected, { ...asked, params: { ship: 'ark', count: 1 } })).toEqual({
    kind: 'failed',
    transient: false,
    error: 'its world answered 400: no ark is known here, but cog, galley, longship',
  })
  expect(await harbour.said()).toEqual([])
  expect((await harbour.received()).slice(1).map(({ headers }) => headers['webhook-id'])).toEqual(['key-1', 'key-1'])
})

test.each([
  ['res_7', 'mooring', 'key-1.res_7'],
  ['res_8', '@step', 'key-1.step'],
])('a resource %s of kind %s is taken back by a request with the id %s', async (id, kind, webhookId) => {
  const harbour = await Harbour.open()
  const connected = await connect(harbour.url)
  await perform(connected)
  const { revert } = actionOf(connected, 'harbour.moor')
  const request = {
    resource: { id, kind, ref: 'berth-1', payload: null, memberKey: null },
    runId: 'run_1',
    stepId: 'step_1',
    scope: 'north',
    idempotencyKey: 'key-1',
  }
  const context = { signal: new AbortController().signal, log() {} }
  expect(await revert?.(request, context)).toEqual({ ok: true })
  const posted = (await harbour.received()).at(-1)
  if (posted === undefined) throw new Error('Nothing was posted.')
  expect(posted.path).toBe('/revert')
  expect(posted.headers['webhook-id']).toBe(webhookId)
  expect(signedBody(posted)).toEqual({ actionId: 'harbour.moor', ...request })
  expect(await harbour.said()).toEqual(['3 × cog at berth-1', 'gone again: 3 × cog (berth-1)'])
  await harbour.next({ status: 503 })
  expect(await revert?.(request, context)).toEqual({ ok: false, retry: true, error: 'its world answered 503' })
})

test.each<[number, string | undefined, boolean, string]>([
  [503, undefined, true, '503'],
  [500, '{"ok": true}', true, '500'],
  [500, '{"ok": false, "retry": false, "error": "the quay burns"}', true, '500: the quay burns'],
  [429, '{"error": "slowly"}', true, '429: slowly'],
  [400, '{"error": "no such ship"}', false, '400: no such ship'],
  [400, '<h1>Bad request</h1>', false, '400'],
  [422, '{"error": {"code": 7}}', false, '422'],
  [404, undefined, false, '404'],
])('an answer of %d with %s: may be tried again is %s', async (status, body, transient, said) => {
  const harbour = await Harbour.open()
  const connected = await connect(harbour.url)
  await harbour.next({ status, ...(body === undefined ? {} : { body }) })
  expect(await perform(connected)).toEqual({ kind: 'failed', transient, error: `its world answered ${said}` })
  expect(await perform(connected)).toMatchObject({ kind: 'done' })
})

test('an error of any length is cut to what people read', async () => {
  const harbour = await Harbour.open()
  const connected = await connect(harbour.url)
  await harbour.next({ status: 400, body: JSON.stringify({ error: 'no room '.repeat(100_000 / 8) }) })
  const outcome = await perform(connected)
  const said = outcome.kind === 'failed' ? outcome.error : ''
  expect(said).toMatch(/^its world answered 400: (no room ?)+…$/)
  expect(said.length).toBeLessThanOrEqual('its world answered 400: …'.length + 2_000)
})

test.each([
  ['nothing', { status: 204 }, 'no JSON'],
  ['a page', { body: '<h1>Hello</h1>' }, 'no JSON'],
  ['more than 1 MiB', { bytes: 2 * 2 ** 20 }, 'larger than 1 MiB'],
  ['a list', { body: '[]' }, 'a list'],
  ['another ok', { body: '{"ok": "yes"}' }, '"yes"'],
])('a success that holds %s is an unusable answer', async (_what, fault, said) => {
  const harbour = await Harbour.open()
  const connected = await connect(harbour.url)
  await harbour.next(fault)
  const outcome = await perform(connected)
  expect(outcome).toMatchObject({ kind: 'failed', transient: true, error: expect.stringContaining('unusable') })
  expect(outcome).toMatchObject({ error: expect.stringContaining(said) })
})

test('an answer of almost 1 MiB is taken', async () => {
  const harbour = await Harbour.open()
  const connected = await connect(harbour.url)
  await harbour.next({ bytes: 2 ** 20 - 100 })
  expect(await perform(connected)).toMatchObject({ kind: 'done' })
})

test('a redirect is a failure for good and is not followed', async () => {
  await using elsewhere = await receiver((_request, response) => response.end('{"ok": true}'))
  const harbour = await Harbour.open()
  const connected = await connect(harbour.url)
  await harbour.next({ status: 307, headers: { location: `${elsewhere.url}/perform` } })
  expect(await perform(connected)).toEqual({
    kind: 'failed',
    transient: false,
    error:
      'its world answered 307, a redirect, which is not followed: name its final address in CUELIGHT_REMOTE_MODULES',
  })
  expect(elsewhere.received).toEqual([])
})

test('a call that hangs ends at its budget, and the world sees the caller go', async () => {
  const harbour = await Harbour.open()
  const connected = await connect(harbour.url)
  await harbour.next({ hang: true })
  const clock = new FakeClock('2026-03-06T20:00:00Z')
  const [requested, gone] = [harbour.request(), harbour.says('the caller is gone')]
  const outcome = perform(connected, {}, { clock })
  await requested
  clock.moveBy(5_000)
  expect(await outcome).toEqual({ kind: 'failed', transient: true, error: 'no answer within 5 s', timedOut: true })
  await gone
})

test('a call is broken off with its signal', async () => {
  const harbour = await Harbour.open()
  const connected = await connect(harbour.url)
  await harbour.next({ hang: true })
  const stopping = new AbortController()
  const requested = harbour.request()
  const outcome = perform(connected, {}, { signal: stopping.signal })
  await requested
  stopping.abort()
  expect(await outcome).toEqual({
    kind: 'failed',
    transient: true,
    error: 'its world did not answer: the call was broken off',
  })
})

test('a world that is killed in the middle of a call may be asked again, and so may one that is gone', async () => {
  const harbour = await Harbour.open()
  const connected = await connect(harbour.url)
  await harbour.next({ hang: true })
  const requested = harbour.request()
  const outcome = perform(connected)
  await requested
  await harbour.kill()
  const error = expect.stringMatching(/^its world did not answer: the connection failed \([A-Z_]+\)$/)
  expect(await outcome).toEqual({ kind: 'failed', transient: true, error })
  expect(await perform(connected)).toEqual({
    kind: 'failed',
    transient: true,
    error: 'its world did not answer: the connection failed (ECONNREFUSED)',
  })
})

test('a world with another secret refuses who asks, and that is said', async () => {
  const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
  const harbour = await Harbour.open({ secret: other })
  const { registry, logged } = await connect(harbour.url)
  expect(registry.actions()).toEqual([])
  expect(logged).toEqual([
    expect.stringContaining('GET /manifest was answered with 401: the signature is not right; see that both sides'),
  ])
  expect(logged.join()).not.toMatch(/whsec|127\.0\.0\.1/)
})

test('a world that comes up later is registered then, without a restart, and its absence is said once', async () => {
  const clock = new FakeClock('2026-03-06T20:00:00Z')
  const port = await freePort()
  const { registry, logged } = await connect(`http://127.0.0.1:${port}`, { clock })
  const start = clock.now()
  const asks: number[] = []
  const untilAsleep = () =>
    eventually(() => {
      if (clock.next === null) throw new Error('It is being asked.')
      return clock.next
    })
  // The pauses grow, and not for ever.
  for (let ask = 0; ask < 8; ask += 1) {
    const next = await untilAsleep()
    asks.push((next - start) / 1_000)
    clock.moveTo(next)
  }
  expect(asks).toEqual([1, 3, 7, 15, 31, 63, 123, 183])
  const next = await untilAsleep()
  const problem =
    'Its manifest could not be read: the connection failed (ECONNREFUSED). See that the world is up and in order, and that its address and secret here are right.'
  expect(registry.failures()).toEqual([{ source: 'CUELIGHT_REMOTE_MODULES[0]', problems: [problem] }])
  expect(registry.whyMissing('harbour.moor')).toContain('these did not load: CUELIGHT_REMOTE_MODULES[0]')
  expect(logged).toEqual([
    `error: Module CUELIGHT_REMOTE_MODULES[0] is not loaded, and its actions are not registered. ${problem} It is asked again until it is in order.`,
  ])

  await Harbour.open({ port })
  clock.moveTo(next)
  await eventually(() => expect(registry.action('harbour.moor')).toBeDefined())
  expect(registry.failures()).toEqual([])
  expect(logged.slice(1)).toEqual(['info: Module "harbour" loaded from CUELIGHT_REMOTE_MODULES[0].'])
})

test('a world that hangs when it is asked for its manifest holds nobody up, and is asked again', async () => {
  const harbour = await Harbour.open()
  await harbour.next({ hang: true })
  const clock = new FakeClock('2026-03-06T20:00:00Z')
  const { registry } = await connect(harbour.url, { clock, manifestMs: 1_000 })
  expect(registry.failures().flatMap(({ problems }) => problems)).toEqual([
    expect.stringContaining('Its manifest could not be read: there was no answer within 1 s.'),
  ])
  clock.moveBy(1_000)
  await eventually(() => expect(registry.action('harbour.moor')).toBeDefined())
})

test('a manifest that is too large or elsewhere is refused, and nothing else is asked for', async () => {
  await using elsewhere = await receiver((_request, response) => response.end('{"id": "harbour"}'))
  const harbour = await Harbour.open()
  await harbour.next({ bytes: 2 * 2 ** 20 })
  const tooLarge = await connect(harbour.url, { clock: new FakeClock('2026-03-06T20:00:00Z') })
  expect(tooLarge.logged).toEqual([
    expect.stringContaining('Its manifest could not be read: it was larger than 1 MiB.'),
  ])
  await harbour.next({ status: 302, headers: { location: `${elsewhere.url}/manifest` } })
  const moved = await connect(harbour.url, { clock: new FakeClock('2026-03-06T20:00:00Z') })
  expect(moved.logged).toEqual([
    expect.stringContaining('GET /manifest was answered with 302, a redirect, which is not followed'),
  ])
  expect(elsewhere.received).toEqual([])
})

test('stopping breaks off a question for a manifest, and nobody is told that it failed', async () => {
  const harbour = await Harbour.open()
  await harbour.next({ hang: true })
  const logged: string[] = []
  const registry = new Registry()
  const modules = [{ url: harbour.url, secret: SECRET }]
  const log = (_level: string, message: string) => void logged.push(message)
  const remote = new RemoteModules({ modules, registry, clock: systemClock, log })
  const requested = harbour.request()
  const started = remote.start()
  await requested
  await remote.stop()
  await started
  expect(logged).toEqual([])
})

test('requests go through no proxy, whatever the environment says', async () => {
  await using proxy = await receiver()
  for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) {
    vi.stubEnv(name, name === 'NODE_USE_ENV_PROXY' ? '1' : proxy.url)
  }
  onTestFinished(() => void vi.unstubAllEnvs())
  const harbour = await Harbour.open()
  expect(await perform(await connect(harbour.url))).toMatchObject({ kind: 'done' })
  expect(proxy.received).toEqual([])
})

test('stopping ends the asking', async () => {
  const clock = new FakeClock('2026-03-06T20:00:00Z')
  const { remote } = await connect(`http://127.0.0.1:${await freePort()}`, { clock })
  expect(clock.next).not.toBeNull()
  await remote.stop()
  expect(clock.next).toBeNull()
})
