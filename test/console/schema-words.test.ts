import { expect, test } from 'vitest'
import { fieldsOf, type SchemaField } from '../../src/console/ui/schema-words.ts'

/** The fields as lines: name, "?" where it may be left out, kind and bounds; what is in them indented. */
const lines = (fields: readonly SchemaField[], indent = ''): string[] =>
  fields.flatMap(({ name, isRequired, kind, bounds, fields: inner }) => [
    `${indent}${name}${isRequired ? '' : '?'}: ${[kind, ...bounds].join(', ')}`,
    ...lines(inner, `${indent}  `),
  ])
const words = (properties: object, more: object = {}) => lines(fieldsOf({ type: 'object', properties, ...more }))

test('kinds of values and their bounds are said in words', () => {
  expect(
    words(
      {
        name: { type: 'string', minLength: 1 },
        code: { type: 'string', minLength: 2, maxLength: 2, pattern: '^[a-z]+$' },
        count: { type: 'integer', minimum: 1, maximum: 500 },
        share: { type: 'number', exclusiveMinimum: 0, maximum: 1, default: 0.5 },
        loud: { type: 'boolean' },
        mode: { enum: ['fast', 'slow', 3] },
        always: { const: true },
        note: { type: ['string', 'null'] },
        when: { type: 'string', format: 'date-time' },
        whatever: {},
      },
      { required: ['name', 'count'] },
    ),
  ).toEqual([
    'name: text, not empty',
    'code?: text, exactly 2 characters, matching ^[a-z]+$',
    'count: a whole number, from 1 to 500',
    'share?: a number, at most 1, more than 0, 0.5 where omitted',
    'loud?: true or false',
    'mode?: "fast", "slow" or 3',
    'always?: true',
    'note?: text or nothing (null)',
    'when?: text, a date-time',
    'whatever?: anything',
  ])
})

test('what is in objects, in lists of them, and in the one object that a value may be, is said below it', () => {
  const place = { type: 'object', required: ['x'], properties: { x: { type: 'number' } } }
  expect(
    words({
      place,
      places: { type: 'array', items: place, minItems: 1, uniqueItems: true },
      maybe: { anyOf: [{ type: 'string' }, place] },
      scores: { type: 'object', additionalProperties: { type: 'integer' } },
      tags: { type: 'array', items: { type: 'string' } },
    }),
  ).toEqual([
    'place?: an object',
    '  x: a number',
    'places?: a list, each an object, at least 1 entries, each only once',
    '  x: a number',
    'maybe?: text or an object',
    '  x: a number',
    'scores?: an object of any names, each a whole number',
    'tags?: a list, each text',
  ])
})

test('references are followed, and one that leads into itself or nowhere has an end', () => {
  const schema = {
    type: 'object',
    properties: { tree: { $ref: '#/$defs/node' }, lost: { $ref: '#/$defs/none' }, far: { $ref: 'https://x.test/y' } },
    $defs: {
      node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, loop: { $ref: '#/$defs/loop' } } },
      loop: { $ref: '#/$defs/loop' },
    },
  }
  const said = lines(fieldsOf(schema))
  expect(said[0]).toBe('tree?: an object')
  expect(said.at(-2)).toBe('lost?: anything')
  expect(said.at(-1)).toBe('far?: anything')
  expect(said.length).toBeLessThan(30)
})

test('parts that all have to hold are read as one, and a schema of something odd asks for nothing', () => {
  expect(lines(fieldsOf({ allOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: true } }] }))).toEqual([
    'a?: text',
    'b?: anything',
  ])
  expect(fieldsOf({ properties: 'none', required: 7 })).toEqual([])
})
