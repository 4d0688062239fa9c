import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkDraft, checkFilled } from '../../../src/modules/schema/check.ts'
import { compileSchema } from '../../../src/modules/schema/compile.ts'

function schemaOf(given: unknown) {
  const compiled = compileSchema(given)
  if (!compiled.ok) throw new Error(compiled.problem)
  return compiled.schema
}

const kinds: [string, unknown][] = [
  [
    'zod',
    z.strictObject({
      creature: z.string().min(1),
      count: z.number().int().min(1).max(500),
      boss: z.boolean().default(false),
      tone: z.enum(['calm', 'loud']).optional(),
      waves: z.array(z.object({ size: z.number() })).optional(),
      level: z.number().nullable().optional(),
      tier: z.union([z.literal(1), z.literal(2)]).optional(),
    }),
  ],
  [
    'JSON Schema',
    {
      type: 'object',
      properties: {
        creature: { type: 'string', minLength: 1 },
        count: { type: 'integer', minimum: 1, maximum: 500 },
        boss: { type: 'boolean', default: false },
        tone: { enum: ['calm', 'loud'] },
        waves: {
          type: 'array',
          items: { type: 'object', properties: { size: { type: 'number' } }, required: ['size'] },
        },
        level: { type: ['number', 'null'] },
        tier: { enum: [1, 2] },
      },
      required: ['creature', 'count'],
      additionalProperties: false,
    },
  ],
]

for (const [kind, given] of kinds) {
  const schema = schemaOf(given)

  test(`${kind}: values that fit have no issue`, () => {
    expect(checkDraft(schema, { creature: 'orc', count: 3, tone: 'calm', waves: [{ size: 1 }] })).toEqual([])
  })

  test(`${kind}: every problem is named with its path`, () => {
    const issues = checkDraft(schema, {
      creature: '',
      count: '3',
      tone: 'shrill',
      waves: [{}, { size: true }],
      cuont: 1,
    })
    expect(issues.map(({ path }) => path).sort()).toEqual([
      'count',
      'creature',
      'cuont',
      'tone',
      'waves[0].size',
      'waves[1].size',
    ])
    const at = (path: string) => issues.find((issue) => issue.path === path)?.message
    expect(at('count')).toBe(`must be ${kind === 'zod' ? 'a number' : 'a whole number'}, and is a text.`)
    expect(at('creature')).toBe('must not be empty.')
    expect(at('cuont')).toMatch(/^is not known here; use one of creature, count, boss/)
    expect(at('tone')).toBe('must be one of "calm", "loud", and is "shrill".')
    expect(at('waves[0].size')).toBe('is missing; give a number.')
    expect(at('waves[1].size')).toBe('must be a number, and is true or false.')
  })

  test(`${kind}: a text with a placeholder is not judged, all else is`, () => {
    const open = {
      creature: '{creature}',
      count: '{n}',
      tone: '{tone}',
      boss: '{boss}',
      waves: [{ size: '{n}' }],
      tier: '{n}',
    }
    expect(checkDraft(schema, open)).toEqual([])
    expect(checkDraft(schema, { ...open, waves: '{n}' })).toEqual([])
    expect(checkDraft(schema, { ...open, count: 0 }).map(({ path }) => path)).toEqual(['count'])
    expect(checkDraft(schema, { ...open, extra: '{n}' }).map(({ path }) => path)).toEqual(['extra'])
    expect(checkDraft(schema, { count: '{n}' }).map(({ path }) => path)).toEqual(['creature'])
  })

  test(`${kind}: filled texts become the numbers and booleans that are wanted, and defaults are filled in`, () => {
    const given = { creature: '12', count: ' 40 ', waves: [{ size: '1.5' }, { size: 2 }], level: '7', tier: '2' }
    expect(checkFilled(schema, given)).toEqual({
      ok: true,
      params: { creature: '12', count: 40, boss: false, waves: [{ size: 1.5 }, { size: 2 }], level: 7, tier: 2 },
    })
    expect(given.count).toBe(' 40 ')
    expect(checkFilled(schema, { creature: 'orc', count: 1, boss: 'true' })).toMatchObject({ params: { boss: true } })
  })

  test.each(['', 'many', '{n}', '0x10', 'Infinity', '1,5', '4.5', '501'])(
    `${kind}: %j is no count of 1 to 500`,
    (count) => {
      const checked = checkFilled(schema, { creature: 'orc', count })
      expect(checked).toMatchObject({ ok: false, issues: [{ path: 'count' }] })
    },
  )
}

test('zod transforms are applied to filled values', () => {
  const schema = schemaOf(z.object({ tags: z.string().transform((text) => text.split(',')) }))
  expect(checkFilled(schema, { tags: 'a,b' })).toEqual({ ok: true, params: { tags: ['a', 'b'] } })
})

test('alternatives and comparisons with an open placeholder are not judged before it is filled', () => {
  const union = schemaOf(
    z.object({ at: z.union([z.object({ x: z.number() }), z.object({ name: z.literal('gate') })]) }),
  )
  expect(checkDraft(union, { at: { x: '{x}' } })).toEqual([])
  expect(checkFilled(union, { at: { x: '5' } })).toEqual({ ok: true, params: { at: { x: 5 } } })
  expect(checkDraft(union, { at: { x: 'five' } }).map(({ path }) => path)).toEqual(['at'])

  const range = schemaOf(
    z.object({ low: z.string(), high: z.string() }).refine(({ low, high }) => low < high, 'low must be below high.'),
  )
  expect(checkDraft(range, { low: '{low}', high: 'a' })).toEqual([])
  expect(checkDraft(range, { low: 'b', high: 'a' })).toEqual([{ path: '', message: 'low must be below high.' }])

  const anyOf = schemaOf({ properties: { at: { anyOf: [{ type: 'number' }, { type: 'object', required: ['x'] }] } } })
  expect(checkDraft(anyOf, { at: '{x}' })).toEqual([])
  expect(checkDraft(anyOf, { at: {} }).map(({ path }) => path)).toEqual(['at'])
  expect(checkFilled(anyOf, { at: '5' })).toEqual({ ok: true, params: { at: 5 } })
})

test('a schema whose code throws is an issue and no crash', () => {
  const schema = schemaOf(
    z.object({
      a: z.string().transform(() => {
        throw new Error('broken')
      }),
    }),
  )
  expect(checkDraft(schema, { a: 'x' })).toEqual([{ path: '', message: expect.stringContaining('broken') }])
  expect(checkFilled(schema, { a: 'x' })).toMatchObject({ ok: false })
})

test('keys that name parts of a prototype are data', () => {
  const params: Record<string, unknown> = JSON.parse('{"__proto__": "5", "constructor": "6"}')
  const schema = schemaOf({ type: 'object', additionalProperties: { type: 'number' } })
  const checked = checkFilled(schema, params)
  expect(checked.ok && JSON.stringify(checked.params)).toBe('{"__proto__":5,"constructor":6}')
  expect(checkDraft(schemaOf({ required: ['toString'] }), {}).map(({ path }) => path)).toEqual(['toString'])
})

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'must be a zod schema or a JSON Schema'],
  ['a text', 'string', 'must be a zod schema or a JSON Schema'],
  ['a schema of texts', z.string(), 'must be a schema of an object, and is one of string'],
  ['a JSON Schema of lists', { type: 'array' }, 'must be a schema of an object, and is one of array'],
  ['a type that is none', { type: 'objekt' }, 'is no JSON Schema that can be used'],
  ['a reference to elsewhere', { $ref: 'https://example.com/x' }, 'is no JSON Schema that can be used'],
  ['an unknown draft', { $schema: 'https://example.com/draft' }, 'is no JSON Schema that can be used'],
  ['an asynchronous schema', { $async: true }, 'must not be asynchronous'],
  ['zod 3', { _def: {}, safeParse() {} }, 'zod 3'],
])('%s is refused as a schema', (_name, given, problem) => {
  expect(compileSchema(given)).toEqual({ ok: false, problem: expect.stringContaining(problem) })
})

test('a draft-07 schema is read as one', () => {
  const schema = schemaOf({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { pair: { items: [{ type: 'string' }, { type: 'number' }] } },
  })
  expect(checkDraft(schema, { pair: ['a', 'b'] }).map(({ path }) => path)).toEqual(['pair[1]'])
})

test('two schemas may have one $id', () => {
  const given = { $id: 'https://example.com/params', type: 'object' }
  expect(compileSchema(given).ok).toBe(true)
  expect(compileSchema({ ...given, required: ['a'] }).ok).toBe(true)
})

test.each([
  ['as a whole', { properties: { child: { $ref: '#' } } }],
  [
    'as a whole, in draft-07',
    { $schema: 'http://json-schema.org/draft-07/schema#', properties: { child: { $ref: '#' } } },
  ],
  [
    'by an anchor',
    {
      properties: { child: { $ref: '#node' } },
      $defs: { node: { $anchor: 'node', properties: { child: { type: 'object' } } } },
    },
  ],
  ['by its address', { $id: 'https://example.com/node', properties: { child: { $ref: 'https://example.com/node' } } }],
  [
    'in part',
    { properties: { child: { $ref: '#/$defs/node' } }, $defs: { node: { properties: { child: { type: 'object' } } } } },
  ],
])('a JSON Schema may refer to itself %s, in two modules too', (_name, schema) => {
  const compiled = [schemaOf({ type: 'object', ...schema }), schemaOf({ type: 'object', ...schema })]
  for (const one of compiled) {
    expect(checkDraft(one, { child: { child: {} } })).toEqual([])
    expect(checkDraft(one, { child: { child: 5 } }).map(({ path }) => path)).toEqual(['child.child'])
  }
})
