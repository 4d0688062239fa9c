import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineAction, defineModule, defineTrigger } from '../../src/index.ts'
import { Registry } from '../../src/modules/registry.ts'

const spawn = defineAction({
  id: 'shard.spawn',
  label: 'Spawn creatures',
  version: 2,
  risk: 'change',
  reversible: 'revert',
  budgetMs: 10_000,
  params: z.object({ creature: z.string(), count: z.number().int().min(1).max(500) }),
  dimensions: ['creatures'],
  cost: ({ count }) => ({ creatures: count }),
  supportsVerify: true,
  perform: () => ({ ok: true }),
  revert: () => ({ ok: true }),
})
const slain = defineTrigger({
  id: 'shard.boss-slain',
  label: 'Boss slain',
  payload: z.object({ boss: z.string(), level: z.number() }),
})
const shard = defineModule({ id: 'shard', actions: [spawn], triggers: [slain] })

const problemsOf = (exported: unknown) => {
  const registration = new Registry().register(exported)
  return registration.ok ? [] : registration.problems
}

test('a module registers with all that it brings', () => {
  const registry = new Registry()
  expect(registry.register(shard)).toEqual({ ok: true, id: 'shard' })
  expect(registry.actions()).toHaveLength(1)
  expect(registry.action('shard.spawn')).toMatchObject({
    id: 'shard.spawn',
    module: 'shard',
    label: 'Spawn creatures',
    description: null,
    version: 2,
    risk: 'CHANGE',
    reversible: 'REVERT',
    budgetMs: 10_000,
    dimensions: ['creatures'],
    supportsVerify: true,
    paramsSchema: { type: 'object', required: ['creature', 'count'] },
  })
  expect(registry.triggers()).toEqual([registry.trigger('shard.boss-slain')])
  expect(registry.failures()).toEqual([])
})

test("no module but Cuelight's own has an action that publishes results", () => {
  const registry = new Registry()
  const claiming = { ...spawn, publishesResults: true }
  expect(registry.register({ id: 'shard', actions: [claiming] })).toEqual({ ok: true, id: 'shard' })
  expect(registry.action('shard.spawn')?.publishesResults).toBe(false)
})

test('a trigger judges payloads as they are', () => {
  const registry = new Registry()
  registry.register(shard)
  const trigger = registry.trigger('shard.boss-slain')
  expect(trigger?.checkPayload({ boss: '{any}', level: 5 })).toEqual([])
  expect(trigger?.checkPayload({ boss: 'Balron', level: '{level}' })).toEqual([
    { path: 'level', message: 'must be a number, and is a text.' },
  ])
})

test('a plain object, and an object of classes, are modules too', async () => {
  class Greet {
    id = 'hall.greet'
    label = 'Greet'
    version = 1
    risk = 'notify'
    budgetMs = 1
    params = { type: 'object' }
    greeting = 'hello'
    perform() {
      return { ok: false, error: this.greeting }
    }
  }
  const registry = new Registry()
  expect(registry.register({ id: 'hall', actions: [new Greet()] })).toEqual({ ok: true, id: 'hall' })
  const envelope = {
    runId: null,
    stepId: null,
    scope: '',
    params: {},
    actor: { kind: 'system' as const, name: 'Cuelight' },
    idempotencyKey: 'k',
    verify: false,
  }
  const context = { signal: new AbortController().signal, log() {} }
  expect(registry.action('hall.greet')?.perform(envelope, context)).toEqual({ ok: false, error: 'hello' })
})

test.each<[string, unknown]>([
  [
    'Action shard.spawn: risk must be one of "notify", "change", "irreversible", and is "high".',
    { ...spawn, risk: 'high' },
  ],
  ['Action shard.spawn: budgetMs must be at least 1 ms; raise it.', { ...spawn, budgetMs: 0 }],
  [
    'Action shard.spawn: budgetMs must be at most 3600000 ms, which is 1 h; lower it.',
    { ...spawn, budgetMs: 3_600_001 },
  ],
  ['Action shard.spawn: budgetMs must be a whole number of milliseconds', { ...spawn, budgetMs: '10s' }],
  ['Action shard.spawn: version must be a whole number', { ...spawn, version: 1.5 }],
  ['Action shard.spawn: version must be at least 1', { ...spawn, version: 0 }],
  ['Action shard.spawn: label must not be empty.', { ...spawn, label: ' ' }],
  ['Action shard.spawn: label is missing; give a text.', { ...spawn, label: undefined }],
  ['Action shard.spawn: revert is missing', { ...spawn, revert: undefined }],
  ['Action shard.spawn: revert would never be called', { ...spawn, reversible: 'none' }],
  ['Action shard.spawn: revert must be a function', { ...spawn, revert: 'undo' }],
  ['Action shard.spawn: perform must be a function', { ...spawn, perform: undefined }],
  ['Action shard.spawn: dimensions must declare what cost names', { ...spawn, dimensions: [] }],
  ['Action shard.spawn: dimensions must name each dimension once.', { ...spawn, dimensions: ['a', 'a'] }],
  ['Action shard.spawn: params must be a zod schema or a JSON Schema', { ...spawn, params: undefined }],
  ['Action shard.spawn: params must be a schema of an object', { ...spawn, params: z.string() }],
  ['Action realm.spawn: id must start with the id of its module, "shard."', { ...spawn, id: 'realm.spawn' }],
  [
    'Action core.spawn: id must start with the id of its module, "shard.", and "core." is Cuelight\'s own',
    { ...spawn, id: 'core.spawn' },
  ],
  ['Action shard.: id must be letters', { ...spawn, id: 'shard.' }],
  ['Module "shard": actions[1]: id is missing; give a text.', { ...spawn, id: undefined }],
  ['Module "shard": actions[1]:', null],
  ['Module "shard": actions[1]:', 'spawn'],
])('refused: %s', (problem, action) => {
  const registry = new Registry()
  const first = { ...spawn, id: 'shard.first' }
  const registration = registry.register({ id: 'shard', actions: [first, action] })
  expect(registration).toMatchObject({ ok: false })
  expect(registry.failures()[0]?.problems.join(' ')).toContain(problem)
  expect(registry.actions(), 'whole or not at all').toEqual([])
})

test.each<[string, unknown]>([
  ['A module must export an object', undefined],
  ['A module must export an object', [shard]],
  ['The module: id is missing', {}],
  ['Module "Shard": id must be lower-case letters', { id: 'Shard' }],
  ['Module "shard": actions must be a list', { id: 'shard', actions: {} }],
  ['Module "core": id is Cuelight\'s own', { id: 'core' }],
  ['Action shard.spawn: id is given to two actions', { id: 'shard', actions: [spawn, spawn] }],
  ['Trigger shard.boss-slain: id is given to two triggers', { id: 'shard', triggers: [slain, slain] }],
  ['Trigger shard.boss-slain: payload must be a zod schema', { id: 'shard', triggers: [{ ...slain, payload: 7 }] }],
])('refused: %s (module)', (problem, exported) => {
  expect(problemsOf(exported).join(' ')).toContain(problem)
})

test('every problem is named at once', () => {
  expect(
    problemsOf({
      id: 'shard',
      actions: [
        { ...spawn, risk: 'high', budgetMs: -1 },
        { ...spawn, label: '' },
      ],
    }),
  ).toHaveLength(3)
})

test('a module whose properties throw is refused', () => {
  const exported = {
    get id(): string {
      throw new Error('not today')
    },
  }
  expect(problemsOf(exported)).toEqual([expect.stringContaining('not today')])
})

test('a module registers once', () => {
  const registry = new Registry()
  registry.register(shard)
  expect(registry.register({ id: 'shard' }, { source: './again.ts' })).toMatchObject({ ok: false })
  expect(registry.failures()).toEqual([{ source: './again.ts', problems: [expect.stringContaining('id is taken')] }])
  expect(registry.actions()).toHaveLength(1)
})

test('costs are told, and those that cannot be are refused', () => {
  const costWith = (cost: unknown) => {
    const registry = new Registry()
    registry.register({ id: 'shard', actions: [{ ...spawn, cost }] })
    return registry.action('shard.spawn')?.cost({ count: 3 })
  }
  expect(costWith(spawn.cost)).toEqual({ ok: true, cost: { creatures: 3 } })
  expect(costWith(undefined)).toEqual({ ok: true, cost: {} })
  const bad: [unknown, string][] = [
    [() => ({ creatures: -1 }), 'must be a number of 0 or more for "creatures", and is -1'],
    [() => ({ creatures: '3' }), 'must be a number of 0 or more'],
    [() => ({ creatures: Number.NaN }), 'must be a number of 0 or more for "creatures", and is NaN'],
    [() => ({ gold: 1 }), 'names "gold"'],
    [() => undefined, 'must be an object'],
    [() => 3, 'must be an object'],
    [async () => ({ creatures: 3 }), 'must be told at once'],
    [async () => Promise.reject(new Error('late')), 'must be told at once'],
    [
      () => {
        throw new Error('no idea')
      },
      'failed (no idea)',
    ],
  ]
  for (const [cost, error] of bad) expect(costWith(cost)).toEqual({ ok: false, error: expect.stringContaining(error) })
})

test('what is missing is named with its module and what did not load', () => {
  const registry = new Registry()
  expect(registry.whyMissing('realm.rain')).toContain(
    'no module "realm" is loaded; add it to CUELIGHT_MODULES or CUELIGHT_REMOTE_MODULES',
  )
  registry.register(shard)
  for (const id of ['', 'rain', '__proto__', 'Realm.rain', `realm.${'x'.repeat(1_000)}`])
    expect(registry.whyMissing(id)).toMatch(/^".{0,80} is no id: one is like "shard.spawn"/)
  expect(registry.whyMissing('shard.rain')).toContain('the module "shard" has nothing of that name')
  registry.fail({ source: './realm.ts', problems: ['broken'] })
  expect(registry.whyMissing('realm.rain')).toContain('./realm.ts')
})
