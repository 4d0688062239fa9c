import { expect, test } from 'vitest'
import { meets, parseCondition, phraseOf } from '../../src/domain/condition.ts'

function read(json: unknown) {
  const parsed = parseCondition(json, 'where')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues))
  return parsed.condition
}
const issuesOf = (json: unknown) => {
  const parsed = parseCondition(json, 'where')
  return parsed.ok ? [] : parsed.issues
}
const leaf = (field: string, op: string, value: unknown) => ({ field, op, value })
const PAYLOAD = {
  boss: 'Balron',
  level: 5,
  final: true,
  none: null,
  tags: ['fire', 7],
  where: { region: 'Yew', spots: [{ x: 1 }] },
}

test.each([
  ['boss', 'EQ', 'Balron', true],
  ['boss', 'EQ', 'balron', false],
  ['level', 'EQ', '5', false],
  ['none', 'EQ', null, true],
  ['boss', 'NEQ', 'Lich', true],
  ['boss', 'NEQ', 'Balron', false],
  ['level', 'NEQ', '6', false],
  ['boss', 'NEQ', null, true],
  ['none', 'NEQ', null, false],
  ['none', 'NEQ', 'Lich', false],
  ['level', 'GT', 4, true],
  ['level', 'GT', 5, false],
  ['level', 'GTE', 5, true],
  ['level', 'LT', 6, true],
  ['level', 'LTE', 4, false],
  ['level', 'GT', '4', false],
  ['final', 'GTE', 0, false],
  ['boss', 'GT', 'Aaa', true],
  ['boss', 'IN', ['Lich', 'Balron'], true],
  ['level', 'IN', ['5'], false],
  ['boss', 'NOT_IN', ['Lich'], true],
  ['boss', 'NOT_IN', ['Balron'], false],
  ['level', 'NOT_IN', ['5'], false],
  ['boss', 'CONTAINS', 'alr', true],
  ['tags', 'CONTAINS', 'fire', true],
  ['tags', 'CONTAINS', 7, true],
  ['tags', 'CONTAINS', '7', false],
  ['level', 'CONTAINS', 5, false],
  ['boss', 'STARTS_WITH', 'Bal', true],
  ['level', 'STARTS_WITH', '5', false],
  ['none', 'EXISTS', true, true],
  ['boss', 'EXISTS', false, false],
  ['where.region', 'EQ', 'Yew', true],
  ['where.spots.0.x', 'EQ', 1, true],
])('%s %s %j is %s', (field, op, value, verdict) => {
  expect(meets(read(leaf(field, op, value)), PAYLOAD)).toBe(verdict)
})

test.each([
  ['EQ', 'x'],
  ['NEQ', 'x'],
  ['NEQ', null],
  ['GT', 0],
  ['GTE', 0],
  ['LT', 0],
  ['LTE', 0],
  ['IN', ['x']],
  ['NOT_IN', ['x']],
  ['CONTAINS', 'x'],
  ['STARTS_WITH', ''],
  ['EXISTS', true],
])('%s %j is false where the field is absent', (op, value) => {
  expect(meets(read(leaf('where.nowhere', op, value)), PAYLOAD)).toBe(false)
})

test('EXISTS with false is true where the field is absent', () => {
  expect(meets(read(leaf('where.nowhere', 'EXISTS', false)), PAYLOAD)).toBe(true)
})

test.each([
  '__proto__',
  'constructor',
  'constructor.name',
  'toString',
  'tags.length',
  'boss.length',
  'boss.0',
  '__proto__.polluted',
])('%s does not exist where the payload does not hold it', (field) => {
  expect(meets(read(leaf(field, 'EXISTS', true)), PAYLOAD)).toBe(false)
})

test('reads own keys whatever they are named', () => {
  const payload = JSON.parse('{"__proto__": {"constructor": 1}}')
  expect(meets(read(leaf('__proto__.constructor', 'EQ', 1)), payload)).toBe(true)
})

test.each([[null], [undefined], ['text'], [5], [[]]])(
  'a payload of %j meets no comparison and does not throw',
  (payload) => {
    expect(meets(read(leaf('boss', 'NEQ', 'x')), payload)).toBe(false)
  },
)

test('all, any and not combine', () => {
  const condition = read({
    all: [leaf('boss', 'EQ', 'Balron'), { any: [leaf('level', 'GT', 9), { not: leaf('final', 'EQ', false) }] }],
  })
  expect(meets(condition, PAYLOAD)).toBe(true)
  expect(meets(condition, { ...PAYLOAD, final: false })).toBe(false)
})

test.each([
  [{ all: [leaf('boss', 'EQ', 'Balron'), leaf('level', 'GTE', 5)] }, 'boss is Balron and level is at least 5'],
  [
    { any: [leaf('a', 'LT', 1), { all: [leaf('b', 'GT', 2), leaf('c', 'LTE', 3)] }] },
    'a is less than 1 or (b is more than 2 and c is at most 3)',
  ],
  [{ all: [{ any: [leaf('a', 'NEQ', null)] }, leaf('b', 'EXISTS', true)] }, 'a is not null and b is present'],
  [{ not: leaf('boss', 'STARTS_WITH', 'Lord British') }, 'not (boss starts with Lord British)'],
  [leaf('boss', 'IN', ['Balron', 'Lich', 'Drake']), 'boss is one of Balron, Lich or Drake'],
  [leaf('boss', 'NOT_IN', ['Balron']), 'boss is none of Balron'],
  [leaf('boss', 'EXISTS', false), 'boss is absent'],
  [leaf('tags', 'CONTAINS', true), 'tags contains true'],
  [leaf('level', 'EQ', '5'), 'level is "5"'],
  [leaf('a', 'EQ', 'true'), 'a is "true"'],
  [leaf('a', 'EQ', 'x and b is y'), 'a is "x and b is y"'],
  [leaf('a', 'EQ', ''), 'a is ""'],
  [
    { all: [{ all: [{ any: [leaf('a', 'EQ', 1), leaf('b', 'EQ', 2)] }] }, leaf('c', 'EQ', 3)] },
    '(a is 1 or b is 2) and c is 3',
  ],
  [{ any: [{ any: [{ not: leaf('a', 'EQ', 1) }] }, leaf('b', 'EQ', 2)] }, 'not (a is 1) or b is 2'],
  [{ not: { all: [{ any: [leaf('a', 'EQ', 1), leaf('b', 'EQ', 2)] }] } }, 'not (a is 1 or b is 2)'],
  [leaf('a is 1 or b', 'EQ', 2), '"a is 1 or b" is 2'],
  [leaf('größe.0', 'EQ', 2), 'größe.0 is 2'],
  [leaf('boss', 'EQ', 'not 5'), 'boss is "not 5"'],
  [leaf('boss', 'EQ', 'at least 5'), 'boss is "at least 5"'],
  [leaf('boss', 'EQ', '1e5'), 'boss is "1e5"'],
  [leaf('boss', 'EQ', 'Notos'), 'boss is Notos'],
])('%j reads as a sentence', (json, phrase) => {
  expect(phraseOf(read(json))).toBe(phrase)
})

test.each([
  [null, 'where'],
  ['boss', 'where'],
  [[], 'where'],
  [{}, 'where'],
  [{ all: [] }, 'where.all'],
  [{ any: 'x' }, 'where.any'],
  [{ all: [{}], any: [{}] }, 'where'],
  [{ not: 3 }, 'where.not'],
  [{ all: [leaf('a', 'EQ', 1), { not: { any: [7] } }] }, 'where.all[1].not.any[0]'],
  [{ op: 'EQ', value: 1 }, 'where.field'],
  [leaf('a..b', 'EQ', 1), 'where.field'],
  [leaf('a', 'eq', 1), 'where.op'],
  [leaf('a', 'constructor', 1), 'where.op'],
  [leaf('a', 'EQ', {}), 'where.value'],
  [leaf('a', 'EQ', Number.NaN), 'where.value'],
  [leaf('a', 'GT', true), 'where.value'],
  [leaf('a', 'IN', []), 'where.value'],
  [leaf('a', 'IN', 'x'), 'where.value'],
  [leaf('a', 'EXISTS', 'yes'), 'where.value'],
  [{ ...leaf('a', 'EQ', 1), js: 'x' }, 'where.js'],
  [JSON.parse('{"__proto__": []}'), 'where'],
])('%j is refused at its place', (json, path) => {
  expect(issuesOf(json).map((issue) => issue.path)).toEqual([path])
})

test('names every problem of a condition at once', () => {
  const paths = issuesOf({ all: [leaf('', 'EQ', {}), leaf('a', 'NO', 1), 5] }).map((issue) => issue.path)
  expect(paths).toEqual(['where.all[0].field', 'where.all[0].value', 'where.all[1].op', 'where.all[2]'])
})

test('nesting and size are bounded and do not end in a crash', () => {
  let deep: unknown = leaf('a', 'EQ', 1)
  for (let i = 0; i < 100_000; i++) deep = { not: deep }
  expect(issuesOf(deep)).toEqual([
    { path: expect.stringContaining('where.not'), message: expect.stringContaining('at most 10') },
  ])
  const wide = { any: Array.from({ length: 100_000 }, () => 5) }
  expect(issuesOf(wide).length).toBeLessThan(300)
})
