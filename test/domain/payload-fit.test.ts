import { expect, test } from 'vitest'
import { z } from 'zod'
import { type Leaf, meets, parseCondition } from '../../src/domain/condition.ts'
import { payloadFit } from '../../src/domain/payload-fit.ts'

const judged = (schema: Record<string, unknown>, where: unknown) => {
  const read = parseCondition(where, 'where')
  if (!read.ok) throw new Error(JSON.stringify(read.issues))
  return payloadFit(read.condition, { schema, path: 'where', trigger: 'shard.slain' })
}
const pathsOf = (schema: Record<string, unknown>, where: unknown) => judged(schema, where).map(({ path }) => path)

const SHARD = {
  type: 'object',
  properties: {
    boss: { enum: ['Balron', 'Dragon'] },
    name: { type: 'string', minLength: 2, maxLength: 8 },
    level: { type: 'integer', minimum: 1, maximum: 10 },
    share: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    alive: { type: 'boolean' },
    heir: { type: ['string', 'null'] },
    place: { $ref: '#/$defs/place' },
    loot: { type: 'array', items: { type: 'string' }, maxItems: 3 },
    by: { anyOf: [{ type: 'string' }, { type: 'object', properties: { id: { type: 'integer' } } }] },
    any: {},
  },
  required: ['boss', 'place'],
  additionalProperties: false,
  $defs: {
    place: {
      type: 'object',
      properties: { map: { const: 'Yew' }, next: { $ref: '#/$defs/place' } },
      required: ['map'],
      additionalProperties: false,
    },
  },
}

const leaf = (field: string, op: string, value: unknown) => ({ field, op, value })

test.each([
  leaf('boss', 'EQ', 'Balron'),
  leaf('boss', 'NEQ', 'Balron'),
  leaf('boss', 'STARTS_WITH', 'Dra'),
  leaf('name', 'EQ', 'ab'),
  leaf('level', 'EQ', 10),
  leaf('level', 'GTE', 10),
  leaf('level', 'GT', 9),
  leaf('level', 'LT', 2),
  leaf('level', 'NEQ', 99),
  leaf('share', 'GT', 0),
  leaf('share', 'LT', 1),
  leaf('alive', 'EQ', false),
  leaf('heir', 'EQ', null),
  leaf('heir', 'NEQ', null),
  leaf('heir', 'EXISTS', false),
  leaf('place.map', 'EQ', 'Yew'),
  leaf('place.next.next.map', 'EQ', 'Yew'),
  leaf('loot', 'CONTAINS', 'gem'),
  leaf('loot.2', 'EQ', 'gem'),
  leaf('by', 'EQ', 'Mira'),
  leaf('by.id', 'GT', 5),
  leaf('any', 'EQ', 'x'),
  leaf('any.thing.at.all', 'LT', 5),
])('%j can match', (where) => {
  expect(judged(SHARD, where)).toEqual([])
})

test.each([
  [leaf('bos', 'EQ', 'Balron'), 'field', 'use one of boss, name, level'],
  [leaf('bos', 'EXISTS', true), 'field', 'is not said to have "bos"'],
  [leaf('place.mapp', 'EQ', 'Yew'), 'field', 'is not said to have "place.mapp"'],
  [leaf('level.high', 'EQ', 1), 'field', 'is not said to have'],
  [leaf('loot.first', 'EQ', 'gem'), 'field', 'is not said to have'],
  [leaf('loot.3', 'EQ', 'gem'), 'field', 'is not said to have'],
  [
    leaf('alive', 'GT', 1),
    'op',
    'GT compares a text or a number, and "alive" is true or false; use EQ, NEQ, IN, NOT_IN, EXISTS',
  ],
  [leaf('level', 'STARTS_WITH', '1'), 'op', 'STARTS_WITH compares a text, and "level" is a number'],
  [leaf('level', 'CONTAINS', 1), 'op', 'CONTAINS compares a text or a list'],
  [leaf('place', 'EQ', 'Yew'), 'op', 'compare a field in it'],
  [leaf('boss', 'EQ', 'Balroon'), 'value', '"boss" is one of "Balron", "Dragon"'],
  [leaf('boss', 'EQ', 5), 'value', 'is one of'],
  [leaf('boss', 'STARTS_WITH', 'bal'), 'value', 'is one of'],
  [leaf('name', 'EQ', 'Balthasar'), 'value', 'a text, at least 2 characters, at most 8 characters'],
  [leaf('level', 'EQ', '5'), 'value', 'a whole number, at least 1, at most 10'],
  [leaf('level', 'EQ', 1.5), 'value', 'a whole number'],
  [leaf('level', 'EQ', 11), 'value', 'at most 10'],
  [leaf('level', 'GT', 10), 'value', 'at most 10'],
  [leaf('level', 'LTE', 0), 'value', 'at least 1'],
  [leaf('share', 'GTE', 1), 'value', 'less than 1'],
  [leaf('share', 'LTE', 0), 'value', 'more than 0'],
  [leaf('level', 'NEQ', 'x'), 'value', 'No payload of shard.slain can match'],
  [leaf('alive', 'NOT_IN', ['yes']), 'value', 'true or false'],
  [leaf('alive', 'EQ', null), 'value', 'true or false'],
  [leaf('place.map', 'NEQ', 'Yew'), 'value', 'is "Yew"'],
  [leaf('loot', 'CONTAINS', 5), 'value', '"loot" never holds 5'],
  [leaf('boss', 'EXISTS', false), 'value', 'in every payload'],
  [leaf('place.map', 'EXISTS', false), 'value', 'in every payload'],
])('%j is refused', (where, key, message) => {
  expect(judged(SHARD, where)).toEqual([{ path: `where.${key}`, message: expect.stringContaining(message) }])
})

test('a list contains what one of its places can hold', () => {
  const schema = {
    properties: {
      kinds: { type: 'array', items: { enum: ['fire', 'ice'] } },
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
      old: { type: ['array', 'string'], items: [{ type: 'string' }] },
    },
  }
  for (const [field, value] of [
    ['kinds', 'ice'],
    ['pair', 5],
    ['pair', 'x'],
    ['old', 5],
    ['old', 'x'],
  ] as const)
    expect(judged(schema, leaf(field, 'CONTAINS', value))).toEqual([])
  for (const [field, value] of [
    ['kinds', 'water'],
    ['kinds', null],
    ['pair', true],
  ] as const)
    expect(pathsOf(schema, leaf(field, 'CONTAINS', value))).toEqual(['where.value'])
})

test('what has a default may be left out of a payload, required or not', () => {
  const schema = {
    properties: { level: { type: 'number', default: 1 }, place: { type: 'object', required: ['map'], default: {} } },
    required: ['level', 'place'],
  }
  for (const field of ['level', 'place', 'place.map']) expect(judged(schema, leaf(field, 'EXISTS', false))).toEqual([])
})

test('of a list each value that never occurs is named', () => {
  expect(pathsOf(SHARD, leaf('boss', 'IN', ['Balron', 'Balroon', 5]))).toEqual(['where.value[1]', 'where.value[2]'])
})

test('the path leads through all, any and not', () => {
  const bad = leaf('bos', 'EQ', 'x')
  const where = { all: [leaf('level', 'EQ', 5), { any: [{ not: bad }, bad] }] }
  expect(pathsOf(SHARD, where)).toEqual(['where.all[1].any[0].not.field', 'where.all[1].any[1].field'])
})

test.each([
  {},
  { type: 'object' },
  { type: 'object', additionalProperties: true },
  { additionalProperties: { type: ['string', 'number'] } },
  { patternProperties: { '^b': { type: 'string' } }, additionalProperties: false },
  { $ref: 'https://example.org/boss.json' },
  { $ref: '#/$defs/missing' },
  { not: { required: ['boss'] } },
  { allOf: [{ type: 'object' }, { required: ['boss'] }] },
  { if: { required: ['boss'] }, else: { properties: { boss: { type: 'string' } } } },
])('the open schema %j takes any field', (schema) => {
  expect(judged(schema, leaf('boss', 'EQ', 'Balron'))).toEqual([])
})

test('parts of a schema are judged together', () => {
  const both = {
    allOf: [{ properties: { level: { type: 'number' } } }, { properties: { level: { maximum: 5 } } }],
  }
  expect(pathsOf(both, leaf('level', 'EQ', 6))).toEqual(['where.value'])
  expect(pathsOf(both, leaf('level', 'EQ', 5))).toEqual([])
  const either = { oneOf: [{ properties: { a: { const: 1 } } }, { properties: { a: { const: 2 } } }] }
  expect(pathsOf(either, leaf('a', 'EQ', 2))).toEqual([])
  expect(pathsOf(either, leaf('a', 'EQ', 3))).toEqual(['where.value'])
  const circle = { $ref: '#' }
  expect(pathsOf(circle, leaf('a', 'EQ', 3))).toEqual([])
})

test('a zod schema is judged as what it is shown as; only a loose one has what it does not name', () => {
  const shape = { boss: z.string(), level: z.int().min(1).optional(), mood: z.enum(['calm', 'grim']).nullable() }
  const json = (type: z.ZodType) => z.toJSONSchema(type, { io: 'input' }) as Record<string, unknown>
  const plain = json(z.object(shape))
  expect(pathsOf(plain, leaf('mood', 'EQ', null))).toEqual([])
  expect(pathsOf(plain, leaf('mood', 'EQ', 'glad'))).toEqual(['where.value'])
  expect(pathsOf(plain, leaf('level', 'GT', 'x'))).toEqual(['where.value'])
  for (const type of [z.object(shape), z.strictObject(shape)])
    expect(pathsOf(json(type), leaf('bos', 'EQ', 'x'))).toEqual(['where.field'])
  for (const type of [z.looseObject(shape), z.object(shape).catchall(z.string()), z.record(z.string(), z.string())])
    expect(pathsOf(json(type), leaf('bos', 'EQ', 'x'))).toEqual([])
})

test('whatever a payload that fits the schema matches is never refused', () => {
  const payloads: Record<string, unknown>[] = [
    { boss: 'Balron', place: { map: 'Yew' } },
    { boss: 'Dragon', place: { map: 'Yew', next: { map: 'Yew' } }, name: 'Mira', level: 10, share: 0.5, alive: true },
    { boss: 'Dragon', place: { map: 'Yew' }, heir: null, loot: ['gem', 'axe'], by: { id: 3 }, any: [1], level: 1 },
    { boss: 'Dragon', place: { map: 'Yew' }, heir: 'Tom', by: 'Tom', any: { deep: 'x' }, alive: false },
  ]
  const fields = [
    'boss',
    'name',
    'level',
    'share',
    'alive',
    'heir',
    'place',
    'place.map',
    'place.next.map',
    'loot',
    'loot.1',
    'by',
    'by.id',
    'any',
    'any.deep',
  ]
  const values = ['Balron', 'Dragon', 'Mira', 'Yew', 'gem', 'Tom', '', 0, 0.5, 1, 3, 10, 11, true, false, null]
  let matched = 0
  for (const field of fields) {
    for (const value of values) {
      for (const op of ['EQ', 'NEQ', 'GT', 'GTE', 'LT', 'LTE', 'CONTAINS', 'STARTS_WITH', 'EXISTS']) {
        const read = parseCondition({ field, op, value }, '')
        if (!read.ok || !payloads.some((payload) => meets(read.condition as Leaf, payload))) continue
        matched += 1
        expect(pathsOf(SHARD, { field, op, value }), JSON.stringify({ field, op, value })).toEqual([])
      }
    }
  }
  expect(matched).toBeGreaterThan(150)
})
