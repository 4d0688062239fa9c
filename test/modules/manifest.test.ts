import { expect, test } from 'vitest'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { eventually } from '../support/eventually.ts'
import { actionOf, connect } from './connected.ts'
import { Harbour } from './harbour.ts'

test.each<[string, object, string]>([
  ['is no object', { body: '[]' }, 'must be a JSON object {"id", "actions", "triggers"}, and is a list.'],
  ['is no JSON', { body: 'hello' }, 'and is no JSON.'],
  ['is too large', { bytes: 2 * 2 ** 20 }, 'Its manifest could not be read: it was larger than 1 MiB.'],
  ['is elsewhere', { status: 302, headers: { location: '/' } }, 'GET /manifest was answered with 302, a redirect'],
  ['is not there', { status: 404 }, 'GET /manifest was answered with 404.'],
  ['claims to be Cuelight', { body: '{"id": "core"}' }, `Module "core": id is Cuelight's own`],
])('a manifest that %s is refused with a sentence, and asked for again', async (_what, fault, said) => {
  const harbour = await Harbour.open()
  await harbour.next(fault)
  const clock = new FakeClock('2026-03-06T20:00:00Z')
  const { registry, logged } = await connect(harbour.url, { clock })
  expect(registry.failures().map(({ problems }) => problems.join())).toEqual([expect.stringContaining(said)])
  expect(logged).toEqual([expect.stringContaining(said)])
  clock.moveBy(1_000)
  await eventually(() => expect(registry.action('harbour.moor')).toBeDefined())
  expect(registry.failures()).toEqual([])
})

test('a manifest is refused whole, with all that is wrong with it', async () => {
  const harbour = await Harbour.open()
  const action = { label: 'Act', version: 1, risk: 'notify', budgetMs: 1_000, params: { type: 'object' } }
  const manifest = {
    id: 'mill',
    actions: [
      { ...action, id: 'mill.fine' },
      {
        ...action,
        id: 'mill.grind',
        budgetMs: 0,
        params: 'none',
        dimensions: ['sacks'],
        cost: { sacks: -1, flour: 'a..b' },
      },
      { ...action, id: 'port.grind', cost: 3 },
    ],
  }
  await harbour.next({ body: JSON.stringify(manifest) })
  const { registry } = await connect(harbour.url, { clock: new FakeClock('2026-03-06T20:00:00Z') })
  expect(registry.actions()).toEqual([])
  const [failure] = registry.failures()
  expect(failure?.problems).toEqual([
    'Action mill.grind: budgetMs must be at least 1 ms; raise it.',
    'Action mill.grind: params must be a zod schema or a JSON Schema, and is neither.',
    'Action port.grind: id must start with the id of its module, "mill."; rename it.',
    'Action mill.grind: cost.sacks must be a number of 0 or more, or a dotted path into params like "count" or "horde.size", and is -1; correct it.',
    'Action mill.grind: cost names "flour", which its dimensions do not declare; list it there, or remove it.',
    'Action mill.grind: cost.flour must be a number of 0 or more, or a dotted path into params like "count" or "horde.size", and is "a..b"; correct it.',
    'Action port.grind: cost must be an object like {"creatures": "count"}, and is a number; correct it.',
  ])
})

test('a cost of 1e999, which no sum can take, is refused', async () => {
  const harbour = await Harbour.open()
  const action = { id: 'mill.grind', label: 'Grind', version: 1, risk: 'notify', budgetMs: 1_000, params: {} }
  const manifest = { id: 'mill', actions: [{ ...action, dimensions: ['sacks'], cost: { sacks: 777 } }] }
  await harbour.next({ body: JSON.stringify(manifest).replace('777', '1e999') })
  const { registry } = await connect(harbour.url, { clock: new FakeClock('2026-03-06T20:00:00Z') })
  expect(registry.failures()[0]?.problems).toEqual([
    'Action mill.grind: cost.sacks must be a number of 0 or more, or a dotted path into params like "count" or "horde.size", and is Infinity; correct it.',
  ])
})

test.each<[Record<string, unknown>, object]>([
  [
    { horde: { size: 4 }, waves: [{ size: 2 }] },
    { ok: true, cost: { creatures: 4, first: 2, portals: 1 } },
  ],
  [
    { horde: { size: 'four' }, waves: [{ size: 2 }] },
    { ok: false, error: expect.stringContaining('params.horde.size, which is a text') },
  ],
  [
    { horde: {}, waves: [{ size: 2 }] },
    { ok: false, error: expect.stringContaining('params.horde.size, which is missing') },
  ],
  [
    { horde: { size: -4 }, waves: [{ size: 2 }] },
    { ok: false, error: expect.stringContaining('must be a number of 0 or more') },
  ],
])('a cost is read from params %j', async (params, cost) => {
  const harbour = await Harbour.open()
  const action = {
    id: 'mill.grind',
    label: 'Grind',
    version: 1,
    risk: 'notify',
    budgetMs: 1_000,
    params: { type: 'object' },
    dimensions: ['creatures', 'first', 'portals'],
    cost: { creatures: 'horde.size', first: 'waves.0.size', portals: 1 },
  }
  await harbour.next({ body: JSON.stringify({ id: 'mill', actions: [action] }) })
  expect(actionOf(await connect(harbour.url), 'mill.grind').cost(params)).toEqual(cost)
})
