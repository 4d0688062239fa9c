import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { parseTargets, type TargetKind, Targets } from '../../src/modules/targets.ts'
import { receiver } from './receiver.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const options = { idempotencyKey: 'key-1', signal: new AbortController().signal }
const notice = { message: 'Hear <!channel> & @everyone', runId: 'run_1', stepId: 'step_1', scope: 'eu' }
const targetsAt = (url: string, { kind = 'GENERIC' as TargetKind, timeoutMs = 10_000 } = {}) =>
  new Targets(
    [{ name: 'world', kind, url: `${url}/hook/private-part`, ...(kind === 'GENERIC' ? { secret: SECRET } : {}) }],
    {
      timeoutMs,
    },
  )

test.each<[TargetKind, object]>([
  ['DISCORD', { content: 'Hear <!channel> & @everyone', allowed_mentions: { parse: [] } }],
  ['SLACK', { text: 'Hear &lt;!channel&gt; &amp; @everyone' }],
  ['GENERIC', { message: 'Hear <!channel> & @everyone', runId: 'run_1', stepId: 'step_1', scope: 'eu' }],
])('a %s target gets a message in its own form, which pings nobody', async (kind, body) => {
  await using world = await receiver()
  expect(await targetsAt(world.url, { kind }).announce('world', notice, options)).toEqual({ ok: true })
  expect(world.received).toHaveLength(1)
  expect(world.received[0]).toMatchObject({
    path: '/hook/private-part',
    headers: { 'content-type': 'application/json' },
  })
  expect(JSON.parse(world.received[0]?.body ?? '')).toEqual(body)
})

test('a webhook is signed, and says by its key that it may be a repeat', async () => {
  await using world = await receiver()
  expect(await targetsAt(world.url).send('world', { wave: 3, text: 'Grüße' }, options)).toEqual({ ok: true })
  const { headers, body } = world.received[0] ?? { headers: {}, body: '' }
  expect(headers).toMatchObject({ 'idempotency-key': 'key-1', 'webhook-id': 'key-1' })
  const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  expect(new Webhook(SECRET).verify(body, signed)).toEqual({ wave: 3, text: 'Grüße' })
  expect(() => new Webhook(SECRET).verify(`${body} `, signed)).toThrow()
})

test.each([
  [500, true],
  [503, true],
  [429, true],
  [400, false],
  [401, false],
  [404, false],
])('an answer of %d: may be tried again is %s', async (status, retry) => {
  await using world = await receiver((_request, response) => response.writeHead(status).end(SECRET))
  const result = await targetsAt(world.url).send('world', {}, options)
  expect(result).toMatchObject({
    ok: false,
    retry,
    error: expect.stringContaining(`Target "world" answered ${status}`),
  })
})

test('a redirect is a failure and is not followed', async () => {
  await using elsewhere = await receiver()
  await using world = await receiver((_request, response) => response.writeHead(307, { location: elsewhere.url }).end())
  expect(await targetsAt(world.url).send('world', {}, options)).toMatchObject({ ok: false, retry: false })
  expect(elsewhere.received).toEqual([])
})

test('a refused connection may be tried again', async () => {
  const world = await receiver()
  await world[Symbol.asyncDispose]()
  expect(await targetsAt(world.url).send('world', {}, options)).toEqual({
    ok: false,
    retry: true,
    error: 'Target "world" could not be reached (ECONNREFUSED).',
  })
})

test('a target that does not answer in time may be tried again', async () => {
  await using world = await receiver(() => {})
  const result = await targetsAt(world.url, { timeoutMs: 50 }).send('world', {}, options)
  expect(result).toEqual({ ok: false, retry: true, error: 'Target "world" did not answer within 0.05 s.' })
})

test('a post is broken off with its signal', async () => {
  const stopping = new AbortController()
  await using world = await receiver(() => stopping.abort())
  const result = await targetsAt(world.url).send('world', {}, { ...options, signal: stopping.signal })
  expect(result).toMatchObject({ ok: false, retry: true, error: expect.stringContaining('broken off') })
})

test('of an endless answer only the status is wanted', async () => {
  let ended = () => {}
  const closed = new Promise<void>((resolve) => {
    ended = resolve
  })
  await using world = await receiver((_request, response) => {
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    }
    response.on('drain', pour).on('close', ended)
    pour()
  })
  expect(await targetsAt(world.url).send('world', {}, options)).toEqual({ ok: true })
  await closed
})

test('neither addresses nor secrets stand in any error', async () => {
  await using bad = await receiver((_request, response) => response.writeHead(400).end())
  await using moved = await receiver((_request, response) =>
    response.writeHead(301, { location: '/private-part' }).end(),
  )
  await using broken = await receiver((_request, response) => response.socket?.destroy())
  const results = await Promise.all(
    [bad.url, moved.url, broken.url, 'http://nowhere.invalid', 'http://127.0.0.1:1'].map((url) =>
      targetsAt(url, { timeoutMs: 2_000 }).send('world', {}, options),
    ),
  )
  for (const result of results) {
    expect(result).toMatchObject({ ok: false })
    expect(JSON.stringify(result)).not.toMatch(/private-part|127\.0\.0\.1|nowhere|whsec/)
  }
})

test('what cannot be posted is refused before anything is sent', async () => {
  await using world = await receiver()
  const discord = targetsAt(world.url, { kind: 'DISCORD' })
  expect(await discord.announce('wrold', notice, options)).toEqual({
    ok: false,
    retry: false,
    error:
      'Target "wrold" is not named in CUELIGHT_TARGETS; these are: world. Correct the name, or have the server\'s owner add it.',
  })
  expect(await discord.announce('world', { ...notice, message: 'x'.repeat(2_001) }, options)).toMatchObject({
    retry: false,
    error: 'Target "world" takes messages of at most 2000 characters, and this has 2001; shorten it.',
  })
  expect(await discord.send('world', {}, options)).toMatchObject({
    retry: false,
    error: expect.stringContaining('DISCORD'),
  })
  const unsigned = new Targets([{ name: 'world', kind: 'GENERIC', url: world.url }])
  expect(await unsigned.send('world', {}, options)).toMatchObject({
    retry: false,
    error: expect.stringContaining('no secret'),
  })
  expect(new Targets().announceProblem('world', '')).toBe(
    'Target "world" is not named in CUELIGHT_TARGETS; none is. Correct the name, or have the server\'s owner add it.',
  )
  expect(world.received).toEqual([])
})

test('CUELIGHT_TARGETS is a JSON list', () => {
  const news = { name: 'news', kind: 'DISCORD', url: 'https://discord.example/hook' }
  const world = { name: 'world', kind: 'GENERIC', url: 'http://world.example', secret: SECRET }
  expect(parseTargets(JSON.stringify([news, world]))).toEqual({ targets: [news, world], problems: [] })
  for (const nothing of [undefined, '', ' ', '[]']) expect(parseTargets(nothing)).toEqual({ targets: [], problems: [] })
})

test.each<[string, unknown]>([
  ['CUELIGHT_TARGETS must be a list, and is an object.', {}],
  ['CUELIGHT_TARGETS[0] must be an object, and is a text.', ['news']],
  ['CUELIGHT_TARGETS[0].name must be a text', [{ kind: 'SLACK', url: 'https://x.example' }]],
  ['CUELIGHT_TARGETS[0].name must be letters', [{ name: 'a b', kind: 'SLACK', url: 'https://x.example' }]],
  [
    'CUELIGHT_TARGETS[0].kind must be "DISCORD", "SLACK" or "GENERIC"',
    [{ name: 'a', kind: 'IRC', url: 'https://x.example' }],
  ],
  ['CUELIGHT_TARGETS[0].url must be an http or https address', [{ name: 'a', kind: 'SLACK', url: 'ftp://planted' }]],
  [
    'CUELIGHT_TARGETS[0].url must be an http or https address',
    [{ name: 'a', kind: 'SLACK', url: 'https://me:planted@x.example' }],
  ],
  ['CUELIGHT_TARGETS[0].url must be a text', [{ name: 'a', kind: 'SLACK' }]],
  [
    'CUELIGHT_TARGETS[0].secret must be "whsec_"',
    [{ name: 'a', kind: 'GENERIC', url: 'https://x.example', secret: 'planted' }],
  ],
  [
    'CUELIGHT_TARGETS[0].secret must be "whsec_"',
    [{ name: 'a', kind: 'GENERIC', url: 'https://x.example', secret: 'whsec_cGxhbnRlZA==' }],
  ],
  [
    'CUELIGHT_TARGETS[0].token is not known here',
    [{ name: 'a', kind: 'SLACK', url: 'https://x.example', token: 'planted' }],
  ],
  [
    'CUELIGHT_TARGETS[1].name is used twice ("a")',
    [
      { name: 'a', kind: 'SLACK', url: 'https://x.example' },
      { name: 'a', kind: 'SLACK', url: 'https://y.example' },
    ],
  ],
])('a setting that is refused: %s', (problem, given) => {
  const { targets, problems } = parseTargets(JSON.stringify(given))
  expect(targets).toEqual([])
  expect(problems.join('\n')).toContain(problem)
  expect(problems.join('\n')).not.toContain('planted')
})

test('a setting that is no JSON is refused without being quoted', () => {
  expect(parseTargets('[{"secret": "planted"').problems).toEqual([
    expect.stringMatching(/^CUELIGHT_TARGETS must be a JSON list/),
  ])
  expect(parseTargets('planted').problems.join()).not.toContain('planted')
})
