import { expect, test } from 'vitest'
import { callAction } from '../../src/modules/call.ts'
import { coreModule } from '../../src/modules/core/core.ts'
import { Registry } from '../../src/modules/registry.ts'
import { Targets } from '../../src/modules/targets.ts'
import { systemClock } from '../../src/runner/clock.ts'
import { receiver } from './receiver.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const DONE = { kind: 'done', resources: [], participants: [] }

/** The core actions of a server with two targets at one address. */
function core(url = 'http://127.0.0.1:1') {
  const registry = new Registry()
  const targets = new Targets([
    { name: 'news', kind: 'DISCORD', url },
    { name: 'world', kind: 'GENERIC', url, secret: SECRET },
  ])
  expect(registry.register(coreModule(targets), { core: true })).toEqual({ ok: true, id: 'core' })
  const action = (id: string) => {
    const found = registry.action(id)
    if (found === undefined) throw new Error(registry.whyMissing(id))
    return found
  }
  return {
    registry,
    draft: (id: string, params: Record<string, unknown>) => action(id).checkDraft(params),
    /** Checks filled params and calls, as a dispatch does. */
    async run(id: string, params: Record<string, unknown>, { verify = false } = {}) {
      const checked = action(id).checkFilled(params)
      if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
      const lines: [string, string][] = []
      const outcome = await callAction(
        action(id),
        {
          runId: verify ? null : 'run_1',
          stepId: verify ? null : 'step_1',
          scope: 'eu',
          params: checked.params,
          actor: { kind: 'user', name: 'Mira' },
          idempotencyKey: 'key-1',
          verify,
        },
        {
          signal: new AbortController().signal,
          log: (message, level) => lines.push([message, level]),
          censor: (text) => text,
          clock: systemClock,
        },
      )
      return { outcome, lines }
    },
  }
}

test('every core action has a schema for forms and supports verification', () => {
  const actions = core().registry.actions()
  expect(actions.map(({ id }) => id)).toEqual([
    'core.announce',
    'core.cue',
    'core.log',
    'core.publish-results',
    'core.wait',
    'core.webhook',
  ])
  for (const action of actions) {
    expect(action).toMatchObject({
      supportsVerify: true,
      paramsSchema: { type: 'object', additionalProperties: false },
    })
  }
})

test('core.wait holds what comes next', async () => {
  expect((await core().run('core.wait', { for: '1h30m' })).outcome).toEqual({ ...DONE, holdSeconds: 5_400 })
  expect((await core().run('core.wait', { for: '7d' })).outcome).toEqual({ ...DONE, holdSeconds: 604_800 })
})

test.each([
  ['soon', 'must be a duration'],
  ['0s', 'must be longer than zero'],
  ['8d', 'must be at most 7 d'],
  ['', 'must be a duration'],
  [90, 'must be a text'],
  [undefined, 'is missing'],
])('core.wait refuses %j in a draft', (given, message) => {
  expect(core().draft('core.wait', { for: given })).toEqual([
    { path: 'for', message: expect.stringContaining(message) },
  ])
})

test('core.wait takes a placeholder in a draft', () => {
  expect(core().draft('core.wait', { for: '{delay}' })).toEqual([])
})

test('core.log writes its message into the log', async () => {
  expect(await core().run('core.log', { message: 'Doors open' })).toEqual({
    outcome: DONE,
    lines: [['Doors open', 'info']],
  })
  expect(core().draft('core.log', { message: '' })).toEqual([{ path: 'message', message: 'must not be empty.' }])
  expect(core().draft('core.log', { message: 'a', level: 'warn' })).toEqual([
    { path: 'level', message: 'is not known here; use one of message, or remove it.' },
  ])
})

test('core.publish-results takes no params, and is the one action whose success publishes results', async () => {
  const { registry, run, draft } = core()
  expect((await run('core.publish-results', {})).outcome).toEqual(DONE)
  expect((await run('core.publish-results', {}, { verify: true })).outcome).toEqual(DONE)
  expect(draft('core.publish-results', { run: 'run_1' })).toHaveLength(1)
  const publishing = registry.actions().filter(({ publishesResults }) => publishesResults)
  expect(publishing.map(({ id }) => id)).toEqual(['core.publish-results'])
})

test('core.cue parks with its instruction', async () => {
  const { outcome, lines } = await core().run('core.cue', { instruction: 'Open the gate' })
  expect(outcome).toEqual({ kind: 'parked', instruction: 'Open the gate', resources: [], participants: [] })
  expect(lines).toEqual([])
})

test('core.cue tells a target', async () => {
  await using world = await receiver()
  const { outcome } = await core(world.url).run('core.cue', { instruction: 'Open the gate', notify: 'news' })
  expect(outcome).toMatchObject({ kind: 'parked' })
  expect(world.received.map(({ body }) => JSON.parse(body))).toEqual([
    { content: 'Open the gate', allowed_mentions: { parse: [] } },
  ])
})

test('core.cue parks although its target cannot be told, and says so', async () => {
  await using world = await receiver((_request, response) => response.writeHead(500).end())
  const { outcome, lines } = await core(world.url).run('core.cue', { instruction: 'Open the gate', notify: 'news' })
  expect(outcome).toMatchObject({ kind: 'parked', instruction: 'Open the gate' })
  expect(lines).toEqual([[expect.stringContaining('Target "news" answered 500'), 'warn']])
})

test('core.announce posts to a target', async () => {
  await using world = await receiver()
  expect((await core(world.url).run('core.announce', { target: 'world', message: 'Now!' })).outcome).toEqual(DONE)
  expect(world.received).toMatchObject([{ headers: { 'idempotency-key': 'key-1' } }])
  expect(JSON.parse(world.received[0]?.body ?? '')).toEqual({
    message: 'Now!',
    runId: 'run_1',
    stepId: 'step_1',
    scope: 'eu',
  })
})

test('core.webhook posts its body, signed', async () => {
  await using world = await receiver()
  const body = { wave: 2, text: 'Yew' }
  expect((await core(world.url).run('core.webhook', { target: 'world', body })).outcome).toEqual(DONE)
  expect(world.received).toMatchObject([
    {
      headers: {
        'webhook-id': 'key-1',
        'idempotency-key': 'key-1',
        'webhook-signature': expect.stringMatching(/^v1,/),
      },
    },
  ])
  expect(JSON.parse(world.received[0]?.body ?? '')).toEqual(body)
})

test.each([
  [503, true],
  [404, false],
])('an answer of %d fails the step; transient is %s', async (status, transient) => {
  await using world = await receiver((_request, response) => response.writeHead(status).end())
  const { run } = core(world.url)
  for (const outcome of [
    (await run('core.announce', { target: 'news', message: 'Now!' })).outcome,
    (await run('core.webhook', { target: 'world', body: {} })).outcome,
  ]) {
    expect(outcome).toMatchObject({ kind: 'failed', transient })
  }
})

test('a draft names targets that do not exist or do not fit', () => {
  const { draft } = core()
  expect(draft('core.announce', { target: 'nwes', message: 'a' })).toEqual([
    {
      path: 'target',
      message: expect.stringContaining('"nwes" is not named in CUELIGHT_TARGETS; these are: news, world'),
    },
  ])
  expect(draft('core.webhook', { target: 'news', body: {} })).toEqual([
    { path: 'target', message: expect.stringContaining('GENERIC') },
  ])
  expect(draft('core.cue', { instruction: 'a', notify: 'nwes' }).map(({ path }) => path)).toEqual(['notify'])
  expect(draft('core.announce', { target: '{channel}', message: '{message}' })).toEqual([])
})

test('a message that its target does not take is named, in a draft unless a placeholder makes it unknown', () => {
  const { draft, registry } = core()
  const long = 'x'.repeat(2_001)
  const tooLong = {
    path: 'message',
    message: expect.stringMatching(/at most 2000 characters, and this has 2001; shorten/),
  }
  expect(draft('core.announce', { target: 'news', message: long })).toEqual([tooLong])
  expect(draft('core.announce', { target: 'news', message: long.slice(1) })).toEqual([])
  expect(draft('core.announce', { target: 'world', message: long })).toEqual([])
  expect(draft('core.announce', { target: 'nwes', message: long }).map(({ path }) => path)).toEqual(['target'])
  expect(draft('core.announce', { target: 'news', message: `${long}{region}` })).toEqual([])
  expect(draft('core.announce', { target: '{channel}', message: long })).toEqual([])
  const filled = registry.action('core.announce')?.checkFilled({ target: 'news', message: long })
  expect(filled).toEqual({ ok: false, issues: [tooLong] })
})

test('a verification calls nobody', async () => {
  await using world = await receiver()
  const { run } = core(world.url)
  const verify = { verify: true }
  const outcomes = [
    await run('core.wait', { for: '5s' }, verify),
    await run('core.log', { message: 'a' }, verify),
    await run('core.cue', { instruction: 'a', notify: 'news' }, verify),
    await run('core.announce', { target: 'news', message: 'a' }, verify),
    await run('core.webhook', { target: 'world', body: {} }, verify),
  ]
  expect(outcomes.map(({ outcome }) => outcome.kind)).toEqual(['done', 'done', 'parked', 'done', 'done'])
  expect(world.received).toEqual([])
})
