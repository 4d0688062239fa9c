import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { moduleOf } from '../../src/modules/manifest.ts'
import { Registry } from '../../src/modules/registry.ts'
import { actionOf, connect, perform } from '../modules/connected.ts'
import { SECRET } from '../modules/harbour.ts'

// The worlds that are shown to authors, as processes started the way they say.

const harbour = fileURLToPath(new URL('../../examples/harbour/world.mjs', import.meta.url))
const page = readFileSync(new URL('../../docs/writing-modules.md', import.meta.url), 'utf8')
const [, smithy = ''] = /^```python\n(.*?)^```/ms.exec(page) ?? []
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0

/** A world that says its address, and what else it says. */
async function open(child: ChildProcessWithoutNullStreams): Promise<{ url: string; said: AsyncIterator<string> }> {
  onTestFinished(() => void child.kill('SIGKILL'))
  let complaint = ''
  child.stderr.on('data', (data) => {
    complaint += String(data)
  })
  const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const { value } = await said.next()
  const [url] = /http:\/\/\S+/.exec(String(value)) ?? []
  if (url === undefined) throw new Error(`It did not open: ${complaint}`)
  return { url, said }
}

test('the harbour opens, does what it is asked, and refuses whom it does not know', async () => {
  const env = { ...process.env, HARBOUR_SECRET: SECRET, PORT: '0' }
  const { url, said } = await open(spawn(process.execPath, [harbour], { env }))
  const ring = perform(await connect(url), { params: { times: 2 } }, { id: 'harbour.ring' })
  expect(await ring).toMatchObject({ kind: 'done' })
  expect((await said.next()).value).toBe('[harbour] the bell: dong dong')
  const secret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
  expect((await connect(url, { secret })).registry.failures()).toEqual([
    { source: 'CUELIGHT_REMOTE_MODULES[0]', problems: [expect.stringContaining('answered with 401')] },
  ])
})

test.skipIf(!hasPython)('the smithy in Python opens, works once, and refuses whom it does not know', async () => {
  expect(smithy).toContain('server.serve_forever()')
  const env = { ...process.env, SMITHY_SECRET: SECRET, PORT: '0' }
  const { url, said } = await open(spawn('python3', ['-c', smithy], { env }))
  const connected = await connect(url)
  const forge = (idempotencyKey: string, params: object, verify = false) =>
    perform(connected, { params: { ...params }, idempotencyKey, verify }, { id: 'smithy.forge' })
  const cost = actionOf(connected, 'smithy.forge').cost({ item: 'sword', count: 2 })
  expect(cost).toEqual({ ok: true, cost: { items: 2 } })

  expect(await forge('key-1', { item: 'sword', count: 9 }, true)).toMatchObject({ kind: 'done' })
  for (const key of ['key-1', 'key-1', 'key-2'])
    expect(await forge(key, { item: 'sword', count: key === 'key-1' ? 1 : 2 })).toMatchObject({ kind: 'done' })
  expect([(await said.next()).value, (await said.next()).value]).toEqual(['1 × sword', '2 × sword'])

  const melt = (idempotencyKey: string, kind: string) => {
    const resource = { id: 'res_1', kind, ref: idempotencyKey, payload: null, memberKey: null }
    const request = { resource, runId: 'run_1', stepId: 'step_1', scope: '', idempotencyKey }
    const context = { signal: new AbortController().signal, log() {} }
    return actionOf(connected, 'smithy.forge').revert?.(request, context)
  }
  for (const kind of ['ware', 'ware', '@step']) expect(await melt('key-1', kind)).toEqual({ ok: true })
  expect(await melt('key-2', '@step')).toEqual({ ok: true })
  expect([(await said.next()).value, (await said.next()).value]).toEqual([
    'melted down: 1 × sword',
    'melted down: 2 × sword',
  ])

  expect(await forge('key-3', { item: 'ring', count: 1 })).toEqual({
    kind: 'failed',
    transient: false,
    error: 'its world answered 400: nobody here can make a ring',
  })
  expect((await fetch(`${url}/manifest`)).status).toBe(401)
})

test('the signature that the page gives to try is right', () => {
  const given =
    /with the secret `(.+?)`, the id `(.+?)`, the timestamp `(\d+)` and the body `(.+?)` the signature is `(.+?)`/
  const [, secret = '', id = '', at = '', body = '', signature] = given.exec(page) ?? []
  expect(new Webhook(secret).sign(id, new Date(Number(at) * 1_000), body)).toBe(signature)
})

test('the manifest that the page shows is in order', () => {
  const [, json = ''] = /^### The manifest\n.*?^```json\n(.*?)^```/ms.exec(page) ?? []
  const calls = { perform: async () => ({ ok: true }), revert: async () => ({ ok: true }) }
  const { module, problems } = moduleOf(JSON.parse(json), calls)
  expect(problems).toEqual([])
  expect(new Registry().register(module)).toEqual({ ok: true, id: 'harbour' })
})
