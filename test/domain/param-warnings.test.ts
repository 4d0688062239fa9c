import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Catalog } from '../../src/domain/catalog.ts'
import { paramWarnings } from '../../src/domain/param-warnings.ts'
import { Registry } from '../../src/modules/registry.ts'

const params = { level: z.number().optional(), count: z.number() }

function warned(schema: object) {
  const registry = new Registry()
  const action = { id: 'shard.spawn', label: 'Spawn', version: 1, risk: 'change', budgetMs: 1000, params: schema }
  const perform = () => ({ ok: true })
  expect(registry.register({ id: 'shard', actions: [{ ...action, perform }] })).toMatchObject({ ok: true })
  const catalog: Catalog = registry
  const step = { actionId: 'shard.spawn', params: { levl: 2, count: 1 } }
  return paramWarnings([{ key: 'one', steps: [step] }], catalog)
}

test.each([
  ['zod', z.object(params)],
  ['JSON Schema', { type: 'object', properties: { level: {}, count: {} } }],
])('a param that a schema in %s does not name and yet takes is a warning', (_name, schema) => {
  expect(warned(schema)).toEqual([
    {
      path: 'phases[0].steps[0].params.levl',
      message: 'shard.spawn names no such param and may pass it over; use one of level, count, or remove it.',
    },
  ])
})

test.each([
  ['refuses it', z.strictObject(params)],
  ['takes all', z.looseObject(params)],
  ['takes what has a pattern', { type: 'object', properties: { count: {} }, patternProperties: { '^l': {} } }],
  ['names nothing', { type: 'object' }],
])('a schema that %s gives no warning', (_name, schema) => {
  expect(warned(schema)).toEqual([])
})
