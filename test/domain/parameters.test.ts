import { expect, test } from 'vitest'
import type { ParameterInput } from '../../src/domain/parameters.ts'
import { checkParameters, normaliseParameter, resolveParams } from '../../src/domain/parameters.ts'

const list = (...inputs: ParameterInput[]) => inputs.map(normaliseParameter)
const pathsOf = (parameters: unknown) => checkParameters(parameters).map((issue) => issue.path)

test('a parameter is a text that is not required and labelled by its name, unless it says otherwise', () => {
  expect(normaliseParameter({ name: 'region' })).toEqual({
    name: 'region',
    label: 'region',
    type: 'TEXT',
    required: false,
    default: null,
    options: null,
  })
})

test('good parameters have no issues', () => {
  const parameters = list(
    { name: 'region', type: 'CHOICE', options: ['Yew', 'Moonglow'], default: 'Yew', required: true },
    { name: 'count', type: 'INTEGER', default: '-5' },
    { name: 'factor', type: 'NUMBER', default: '1.5' },
    { name: 'loud', type: 'BOOLEAN', default: 'true' },
    { name: 'constructor', label: 'Note', default: '' },
  )
  expect(checkParameters(parameters)).toEqual([])
})

test.each([
  ['text', 'parameters'],
  [[null], 'parameters[0]'],
  [[{}], 'parameters[0].name'],
  [[{ name: '1st' }], 'parameters[0].name'],
  [[{ name: '__proto__' }], 'parameters[0].name'],
  [[{ name: 'x'.repeat(65) }], 'parameters[0].name'],
  [[{ name: 'a' }, { name: 'b' }, { name: 'a' }], 'parameters[2].name'],
  [[{ name: 'a', label: 5 }], 'parameters[0].label'],
  [[{ name: 'a', type: 'DATE' }], 'parameters[0].type'],
  [[{ name: 'a', required: 'yes' }], 'parameters[0].required'],
  [[{ name: 'a', type: 'CHOICE' }], 'parameters[0].options'],
  [[{ name: 'a', type: 'CHOICE', options: [], default: 'x' }], 'parameters[0].options'],
  [[{ name: 'a', type: 'CHOICE', options: ['x', 'x'] }], 'parameters[0].options'],
  [[{ name: 'a', type: 'CHOICE', options: ['x', ''] }], 'parameters[0].options'],
  [[{ name: 'a', options: ['x'] }], 'parameters[0].options'],
  [[{ name: 'a', type: 'CHOICE', options: ['x'], default: 'y' }], 'parameters[0].default'],
  [[{ name: 'a', type: 'INTEGER', default: '1.5' }], 'parameters[0].default'],
  [[{ name: 'a', type: 'INTEGER', default: '' }], 'parameters[0].default'],
  [[{ name: 'a', type: 'NUMBER', default: '0x10' }], 'parameters[0].default'],
  [[{ name: 'a', type: 'BOOLEAN', default: 'yes' }], 'parameters[0].default'],
  [[{ name: 'a', default: 5 }], 'parameters[0].default'],
  [Array.from({ length: 51 }, (_, i) => ({ name: `p${i}` })), 'parameters'],
])('%j is refused at its place', (parameters, path) => {
  expect(pathsOf(parameters)).toEqual([path])
})

test('names every problem at once', () => {
  expect(
    pathsOf([
      { name: '', type: 'X' },
      { name: 'b', type: 'NUMBER', default: 'x', options: [] },
    ]),
  ).toEqual(['parameters[0].name', 'parameters[0].type', 'parameters[1].options', 'parameters[1].default'])
})

const PARAMETERS = list(
  { name: 'region', required: true },
  { name: 'count', type: 'INTEGER', default: '5' },
  { name: 'factor', type: 'NUMBER' },
  { name: 'loud', type: 'BOOLEAN', default: 'false' },
  { name: 'mood', type: 'CHOICE', options: ['grim', 'gay'] },
)

test('a run gets what was given, and typed defaults for what was not', () => {
  expect(resolveParams(PARAMETERS, { region: 'Yew', factor: 1.5 })).toEqual({
    ok: true,
    params: { region: 'Yew', count: 5, factor: 1.5, loud: false },
  })
})

test('numbers and booleans may be given as texts', () => {
  expect(resolveParams(PARAMETERS, { region: 'Yew', count: '7', factor: '-.5', loud: 'true', mood: 'grim' })).toEqual({
    ok: true,
    params: { region: 'Yew', count: 7, factor: -0.5, loud: true, mood: 'grim' },
  })
})

test('null counts as not given', () => {
  expect(resolveParams(PARAMETERS, { region: 'Yew', count: null, factor: null })).toEqual({
    ok: true,
    params: { region: 'Yew', count: 5, loud: false },
  })
})

test.each([[undefined], [null], [{}], [{ region: null }], [{ region: '' }]])(
  'a required param is missing in %j',
  (given) => {
    expect(resolveParams(PARAMETERS, given)).toEqual({
      ok: false,
      issues: [{ path: 'params.region', message: expect.stringContaining('is required') }],
    })
  },
)

test('names every param that does not fit', () => {
  const given = { region: 5, count: 1.5, factor: 'x', loud: 'yes', mood: 'glad', regoin: 'Yew' }
  const resolved = resolveParams(PARAMETERS, given)
  expect(resolved.ok ? [] : resolved.issues.map((issue) => issue.path)).toEqual([
    'params.region',
    'params.count',
    'params.factor',
    'params.loud',
    'params.mood',
    'params.regoin',
  ])
})

test.each([[5], ['text'], [[]]])('params of %j are refused', (given) => {
  expect(resolveParams([], given)).toEqual({ ok: false, issues: [{ path: 'params', message: expect.any(String) }] })
})

test('nothing is taken from the prototype', () => {
  expect(resolveParams(list({ name: 'constructor' }), {})).toEqual({ ok: true, params: {} })
  const hostile = resolveParams([], JSON.parse('{"__proto__": {"a": 1}}'))
  expect(hostile.ok ? [] : hostile.issues.map((issue) => issue.path)).toEqual(['params.__proto__'])
})

test('text that the database cannot keep is refused by name', () => {
  const resolved = resolveParams(PARAMETERS, { region: 'Y\0ew' })
  expect(resolved).toEqual({
    ok: false,
    issues: [{ path: 'params.region', message: expect.stringContaining('U+0000') }],
  })
})
