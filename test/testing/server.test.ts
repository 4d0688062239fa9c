import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type Answer, defineAction, defineModule, type Envelope } from '../../src/index.ts'
import { createTestServer, type EventInput, Refused, type TestServer } from '../../src/testing/index.ts'

const invasion = (file: string) => fileURLToPath(new URL(`../../examples/invasion/${file}`, import.meta.url))

const calls: Envelope<{ key: string }>[] = []
let answers: ((envelope: Envelope<{ key: string }>) => Promise<Answer> | Answer)[] = []
const stage = defineModule({
  id: 'stage',
  actions: [
    defineAction({
      id: 'stage.ask',
      label: 'Ask',
      version: 1,
      risk: 'change',
      budgetMs: 60_000,
      params: z.object({}),
      supportsVerify: true,
      perform: ({ verify }) => (verify ? new Promise(() => {}) : { ok: true }),
    }),
    defineAction<{ guests: number }>({
      id: 'stage.seat',
      label: 'Seat',
      version: 1,
      risk: 'change',
      budgetMs: 60_000,
      params: z.object({ guests: z.number() }),
      dimensions: ['guests'],
      cost: ({ guests }) => ({ guests }),
      perform: () => ({ ok: true }),
    }),
    defineAction<{ key: string }>({
      id: 'stage.act',
      label: 'Act',
      version: 1,
      risk: 'change',
      budgetMs: 60_000,
      params: z.object({ key: z.string() }),
      perform(envelope) {
        calls.push(envelope)
        return answers.shift()?.(envelope) ?? { ok: true }
      },
    }),
  ],
})

let server: TestServer
beforeAll(async () => {
  server = await createTestServer({
    modules: [stage, invasion('world.ts')],
    targets: ['news'],
    start: '2026-03-06T20:00:00Z',
  })
})
afterAll(() => server.close())
beforeEach(() => {
  calls.length = 0
  answers = []
  vi.spyOn(console, 'log').mockImplementation(() => {})
})

let slugs = 0
const event = (...steps: EventInput['spec']['phases'][number]['steps']): EventInput => ({
  slug: `event-${++slugs}`,
  title: 'Event',
  spec: { schedule: { manual: true }, phases: [{ key: 'main', steps }] },
})
const act = (key: string) => ({ actionId: 'stage.act', label: key, params: { key } })
const cue = { actionId: 'core.cue', label: 'Free the boss', params: { instruction: 'Free him.' } }

test('the invasion of Yew plays from its first omen to its end, as long as it takes on the clock of the server', async () => {
  const began = server.now().getTime()
  const run = await server.play(invasion('invasion-of-yew.json'), { params: { region: 'Trinsic' }, by: 'Mira' })
  expect(await run.state()).toMatchObject({ status: 'RUNNING', phase: 'omens', concurrencyKey: 'invasion:Trinsic' })

  await run.passes('2s')
  expect(await run.waitingOn()).toMatchObject({ kind: 'CUE', description: expect.stringContaining('Go to Trinsic') })
  await run.confirm('Free the boss', { note: 'He is angry.', by: 'Tom' })
  await expect(run.finish()).rejects.toThrow(/does not finish by itself.*shard\.boss-slain has happened/)
  expect(await server.emit('shard.boss-slain', { boss: 'Rat', level: 1 })).toMatchObject({ matchedCount: 0 })
  await run.passes('2s')
  const slain = await server.emit('shard.boss-slain', { boss: 'Orc Lord', level: 7 }, { dedupeKey: 'orc lord' })
  const gate = { runId: run.id, phase: 'invasion', matched: true, tally: 1, needed: 1, opened: true }
  expect(slain).toEqual({ duplicate: false, matchedCount: 1, matched: [gate] })
  expect(await server.emit('shard.boss-slain', { boss: 'Orc Lord', level: 7 }, { dedupeKey: 'orc lord' })).toEqual({
    ...slain,
    duplicate: true,
  })
  await expect(server.emit('shard.boss-slain', { boss: 5 })).rejects.toThrow(/payload\.boss: must be a text/)
  expect(await run.finish()).toBe('COMPLETED')

  const steps = await run.steps()
  expect(new Set(steps.map(({ status }) => status))).toEqual(new Set(['DONE']))
  expect(steps.find(({ title }) => title === 'First wave')).toMatchObject({
    phase: 'invasion',
    params: { creature: 'orc', count: '40', region: 'Trinsic' },
  })
  expect((await run.participants()).map(({ memberKey, rank }) => [memberKey, rank])).toEqual([
    ['anya', 1],
    ['bram', 2],
    ['cyra', 2],
    ['dorn', 4],
    ['elis', null],
  ])
  const log = await run.log()
  expect(log.map(({ line }) => line)).toEqual(log.map((_line, index) => index + 1))
  expect(log.filter(({ kind }) => kind === 'step.message').map(({ text }) => text)).toContain(
    '40 × orc spawned in Trinsic',
  )
  expect(log.find(({ kind }) => kind === 'step.control')).toMatchObject({
    actor: { kind: 'USER', name: 'Tom' },
    detail: { control: 'CONFIRM', note: 'He is angry.' },
  })
  expect(server.now().getTime() - began).toBe(5_000)
})

test('time passes as the event says, to the millisecond, and only when it is let', async () => {
  const at = server.now().getTime()
  const run = await server.play(event(act('before'), { actionId: 'core.wait', params: { for: '3h' } }, act('after')))
  await run.passes(3 * 3_600_000 - 1)
  expect(calls.map(({ params }) => params.key)).toEqual(['before'])
  await run.passes(1)
  expect(calls.map(({ params }) => params.key)).toEqual(['before', 'after'])
  expect(await run.status()).toBe('COMPLETED')
  expect((await run.state()).endedAt?.getTime()).toBe(at + 3 * 3_600_000)
})

test('everything that is wrong with an event is named at once', async () => {
  const wrong = event({ actionId: 'stage.dance' }, { actionId: 'stage.act', params: { key: 7 } })
  const refusal = await server.play({ ...wrong, timeZone: 'Mars' }).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(Refused)
  expect(refusal).toMatchObject({
    code: 'INVALID_INPUT',
    issues: [{ path: 'timeZone' }, { path: 'phases[0].steps[0].actionId' }, { path: 'phases[0].steps[1].params.key' }],
    message: expect.stringMatching(/"event-\d+" cannot be published:\n {2}timeZone: .*\n {2}phases\[0\]/),
  })
})

test.each<[string, unknown]>([
  ['no spec', { slug: 'odd', title: 'Odd' }],
  ['a spec that is a text', { slug: 'odd', title: 'Odd', spec: 'yes' }],
  ['parameters that are none', { ...event(act('x')), parameters: [7] }],
  ['a field that nobody knows', { ...event(act('x')), timezone: 'UTC' }],
  ['a slug with spaces', { ...event(act('x')), slug: 'An Event' }],
])('an event with %s is refused with issues', async (_name, odd) => {
  const refusal = await server.play(odd as EventInput).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(Refused)
  expect((refusal as Refused).issues.length).toBeGreaterThan(0)
})

test('an event that is in no file, and one that is no event, are sentences', async () => {
  await expect(server.play('./nowhere.json')).rejects.toThrow(/nowhere\.json cannot be read; give the path/)
  await expect(server.play([] as unknown as EventInput)).rejects.toThrow(/must be an object with slug, title and spec/)
})

test('params that do not fit are refused by name', async () => {
  await expect(server.play(event(act('x')), { params: { region: 'Yew' } })).rejects.toThrow(/params\.region/)
})

test('a run that waits for a person does not finish by itself, and says for what', async () => {
  const run = await server.play(event(cue))
  await expect(run.finish()).rejects.toThrow('It is RUNNING: Waits for a person: Free him.')
  await expect(run.confirm('Dance')).rejects.toThrow(/No step "Dance" can be confirmed now.*"Free the boss"/s)
  await run.claim(undefined, { by: 'Tom' })
  await expect(run.claim(undefined, { by: 'Ann' })).rejects.toThrow('Tom has this cue')
  await run.confirm()
  expect(await run.finish()).toBe('COMPLETED')
  await expect(run.confirm()).rejects.toThrow('the run is COMPLETED')
})

test('a step that fails for the moment is tried again when its time comes', async () => {
  answers = [() => ({ ok: false, error: 'the shard is away' }), () => ({ ok: true })]
  const run = await server.play(event(act('x')))
  expect(await run.waitingOn()).toMatchObject({ kind: 'RETRY' })
  expect(await run.finish()).toBe('COMPLETED')
  expect(calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(
    Array(2).fill((await run.steps())[0]?.idempotencyKey),
  )
})

test('a step that fails for good pauses its run until it is retried and resumed', async () => {
  answers = [() => ({ ok: false, retry: false, error: 'no such creature' })]
  const run = await server.play(event(act('x'), act('y')))
  await expect(run.finish()).rejects.toThrow(/Paused until a person resumes it.*no such creature/)
  expect((await run.steps())[0]).toMatchObject({ status: 'FAILED', error: 'no such creature' })
  await run.retry('x', { reason: 'the creature is back' })
  await run.resume()
  expect(await run.status()).toBe('COMPLETED')
})

test('an action that hangs is timed out on the clock of the server, not on the machine’s', async () => {
  await using hasty = await createTestServer({ modules: [stage], hanging: ['stage.act'] })
  answers = [() => new Promise(() => {})]
  const run = await hasty.play(event(act('hangs')))
  expect(await run.waitingOn()).toMatchObject({ kind: 'ACTION' })
  expect(await run.finish()).toBe('COMPLETED')
  expect((await run.log()).find(({ kind }) => kind === 'step.retry')?.text).toMatch(/1 min/)
  expect(hasty.now().getTime() - Date.parse('2026-01-01T00:00:00Z')).toBeGreaterThanOrEqual(120_000)
})

test('an action that hangs when it is asked whether it would work does not keep its event from being played', async () => {
  await using hasty = await createTestServer({ modules: [stage], patienceMs: 20 })
  const run = await hasty.play(event({ actionId: 'stage.ask' }))
  expect(hasty.now()).toEqual(new Date('2026-01-01T00:00:00Z'))
  expect(await run.finish()).toBe('COMPLETED')
})

test('an action that hangs although nobody said so fails the test with its name, and the server can be closed', async () => {
  await using hasty = await createTestServer({ modules: [stage], patienceMs: 20 })
  answers = [() => new Promise(() => {})]
  const sentence = /^No answer from "hangs" \(stage\.act\) within 20 ms .*"hanging" of createTestServer/
  await expect(hasty.play(event(act('hangs')))).rejects.toThrow(sentence)
  await expect(hasty.passes('1h')).rejects.toThrow(sentence)
  expect(hasty.now()).toEqual(new Date('2026-01-01T00:00:00Z'))
})

test('an action that takes its time on the machine’s clock is waited for', async () => {
  const real = () => new Promise<Answer>((resolve) => setTimeout(resolve, 5, { ok: true }))
  answers = [real, real]
  const run = await server.play(event(act('x'), act('y')))
  expect(await run.status()).toBe('COMPLETED')
})

test('the controls of a run do what they do on a server', async () => {
  const gated: EventInput = {
    ...event(),
    spec: {
      schedule: { manual: true },
      phases: [
        { key: 'first', steps: [{ actionId: 'core.wait', params: { for: '1h' } }, act('a')], advance: { after: '1d' } },
        { key: 'second', steps: [cue, act('b')] },
      ],
    },
  }
  const run = await server.play(gated, { scheduledFor: new Date(server.now().getTime() + 60_000) })
  expect(await run.status()).toBe('SCHEDULED')
  await run.reschedule(new Date(server.now().getTime() + 30_000))
  await run.passes('30s')
  await run.pause({ reason: 'tea' })
  expect(await run.status()).toBe('PAUSED')
  await expect(run.pause()).rejects.toThrow(/cannot be paused: The run is PAUSED.*Tester paused this/)
  await run.resume()
  await run.endHold()
  expect(calls.map(({ params }) => params.key)).toEqual(['a'])
  await run.advance()
  expect((await run.state()).phase).toBe('second')
  await run.skip('Free the boss', { by: 'Tom' })
  expect(await run.finish()).toBe('COMPLETED')
  expect((await run.log()).flatMap(({ detail }) => detail.control ?? [])).toEqual([
    'RESCHEDULE',
    'PAUSE',
    'RESUME',
    'END_HOLD',
    'SKIP',
  ])

  const other = await server.play(event(cue))
  await other.cancel({ reason: 'rain' })
  expect(await other.state()).toMatchObject({ status: 'CANCELLED', endedBecause: 'Tester cancelled it: rain' })
})

test('who takes part is there to be read, and ranked once the results are published', async () => {
  answers = [
    () => ({
      ok: true,
      participants: [
        { memberKey: 'anna', score: 1 },
        { memberKey: 'bert', score: 2 },
      ],
    }),
  ]
  const publish = { actionId: 'core.publish-results', params: {} }
  const wait = { actionId: 'core.wait', params: { for: '1m' } }
  const run = await server.play(event(act('fight'), wait, publish))
  const ranks = async () => (await run.participants()).map(({ memberKey, rank }) => [memberKey, rank])
  expect(await ranks()).toEqual([
    ['anna', null],
    ['bert', null],
  ])
  expect(await run.finish()).toBe('COMPLETED')
  expect(await ranks()).toEqual([
    ['bert', 1],
    ['anna', 2],
  ])
})

test('what an admin sets holds: a cap for the next run, a switch for the next step', async () => {
  const seat = { actionId: 'stage.seat', params: { guests: 3 }, onFailure: 'SKIP' as const }
  const statuses = async (run: Awaited<ReturnType<TestServer['play']>>) =>
    (await run.steps()).map(({ status }) => status)
  await server.set('stage.seat', { caps: { guests: 5 } })
  const run = await server.play(event(seat, cue, seat))
  await server.set('stage.seat', { enabled: false, caps: { guests: null } })
  await run.confirm('Free the boss')
  expect(await statuses(run)).toEqual(['DONE', 'DONE', 'REFUSED'])
  expect((await run.log()).find(({ kind }) => kind === 'step.refused')?.detail).toEqual({ code: 'ACTION_DISABLED' })
  await server.set('stage.seat', { enabled: true })
  expect(await statuses(await server.play(event(seat, seat)))).toEqual(['DONE', 'DONE'])
  await server.set('stage.seat', { caps: { guests: 5 } })
  expect(await statuses(await server.play(event(seat, seat)))).toEqual(['DONE', 'REFUSED'])
  await expect(server.set('stage.seat', { caps: { chairs: 1 } })).rejects.toThrow(/no dimension "chairs"/)
  await expect(server.set('stage.none', { enabled: false })).rejects.toThrow(/not registered/)
})

test('what an event posts to its targets is kept and sent nowhere', async () => {
  const run = await server.play(
    event(
      { actionId: 'core.announce', params: { target: 'news', message: 'Smoke!' } },
      { actionId: 'core.webhook', params: { target: 'news', body: { alarm: true } } },
    ),
  )
  expect(await run.status()).toBe('COMPLETED')
  expect(server.posts).toEqual([
    { target: 'news', message: 'Smoke!', body: null },
    { target: 'news', message: null, body: { alarm: true } },
  ])
})

test('the same event plays again, changed or not, and twice at one instant in one scope it does not', async () => {
  const first = event(act('x'))
  await server.play(first)
  await expect(server.play(first)).rejects.toThrow(/There is one in the scope "" at that instant/)
  expect(await (await server.play(first, { scope: 'eu' })).status()).toBe('COMPLETED')
  await server.passes('1s')
  const nothing = { timeZone: null, graceSeconds: null, concurrencyKey: null, parameters: null }
  const changed = await server.play({ ...event(act('y')), slug: first.slug, ...nothing })
  expect(calls.map(({ params, scope }) => [params.key, scope])).toEqual([
    ['x', ''],
    ['x', 'eu'],
    ['y', ''],
  ])
  expect((await changed.log())[0]).toMatchObject({ kind: 'run.created', detail: { version: 2 } })
})

test('servers of one process share a PostgreSQL, and nothing else', async () => {
  const one = await createTestServer({ modules: [stage] })
  const two = await createTestServer({ modules: [stage] })
  const same = { ...event(act('x')), slug: 'same' }
  expect(await (await one.play(same)).status()).toBe('COMPLETED')
  await one.passes('1d')
  expect(await (await two.play(same)).status()).toBe('COMPLETED')
  expect([one.now(), two.now()].map((now) => now.toISOString())).toEqual([
    '2026-01-02T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z',
  ])
  await Promise.all([one.close(), one.close(), two.close()])
  await expect(one.play(same)).rejects.toThrow('The test server is closed')
})

test('a server does not begin with a module that is refused, a start that is no instant, or a file that is not there', async () => {
  await expect(createTestServer({ modules: [{ id: 'Shard' }] })).rejects.toThrow(/refused:\n {2}.*id/)
  await expect(createTestServer({ hanging: ['stage.dance'] })).rejects.toThrow('hanging names the action stage.dance')
  await expect(createTestServer({ start: 'yesterday' })).rejects.toThrow('start must be an instant like')
  await expect(createTestServer({ modules: ['./nowhere.ts'] })).rejects.toThrow(/nowhere\.ts/)
})

test('time that is none is refused', async () => {
  await expect(server.passes('soon')).rejects.toThrow(/The time that passes must be a duration/)
  await expect(server.passes(-1)).rejects.toThrow(/-1 is not/)
})
