import { expect, test } from 'vitest'
import {
  keyProblem,
  placeholdersIn,
  renderKey,
  renderParams,
  renderString,
  shownKeyProblem,
} from '../../src/domain/template.ts'

test('fills placeholders with values of every type', () => {
  const values = { region: 'Yew', level: 5, open: true }
  expect(renderString('{region}: level {level}, {open}', values)).toBe('Yew: level 5, true')
})

test('leaves a placeholder without a value standing', () => {
  expect(renderString('{regoin} {none}', { region: 'Yew', none: null })).toBe('{regoin} {none}')
})

test('fills an empty text into a text, but not into a key', () => {
  expect(renderString('[{region}]', { region: '' })).toBe('[]')
  expect(renderKey('invasion:{region}', { region: '' })).toBe('invasion:{region}')
})

test('does not fill what a value brings along, nor read replacement patterns in it', () => {
  expect(renderString('{a}', { a: '{b} $& $1', b: 'no' })).toBe('{b} $& $1')
})

test('does not take names from the prototype', () => {
  expect(renderString('{constructor} {toString}', {})).toBe('{constructor} {toString}')
})

test('leaves braces that are no placeholder alone', () => {
  expect(renderString('{ region } {} {1st} {"a":1}', { region: 'Yew' })).toBe('{ region } {} {1st} {"a":1}')
})

test('fills params at any depth and leaves keys and other values as they are', () => {
  const params = { '{region}': ['{region}', { deep: 'in {region}', count: 3, none: null }] }
  expect(renderParams(params, { region: 'Yew' })).toEqual({
    '{region}': ['Yew', { deep: 'in Yew', count: 3, none: null }],
  })
})

test('keeps a key named __proto__ a key', () => {
  const params = JSON.parse('{"__proto__": {"text": "{region}"}}')
  const rendered = renderParams(params, { region: 'Yew' })
  expect(JSON.stringify(rendered)).toBe('{"__proto__":{"text":"Yew"}}')
  expect(Object.getPrototypeOf(rendered)).toBe(Object.prototype)
})

test('lists each placeholder once, in order', () => {
  expect(placeholdersIn({ a: '{x} {y}', b: ['{x}', { c: '{z}' }], d: 1, e: null })).toEqual(['x', 'y', 'z'])
})

test('renders a concurrency key', () => {
  expect(renderKey('invasion:{region}', { region: 'Yew' })).toBe('invasion:Yew')
})

test.each([[{}], [{ region: null }], [{ region: '' }]])('keeps the placeholder of a key for %j', (values) => {
  expect(renderKey('invasion:{region}', values)).toBe('invasion:{region}')
})

test('keys hold 190 characters, however many units each is made of', () => {
  expect(keyProblem('🐉'.repeat(190))).toBeNull()
  expect(keyProblem('x'.repeat(191))).toContain('at most 190 characters, and has 191')
  expect(keyProblem('a\0b')).toContain('U+0000')
})

test('a key that stands in sentences does not turn them; one that is data is left as it is', () => {
  expect(shownKeyProblem('\u202Egnp')).toContain('turn the direction of text that follows')
  expect(shownKeyProblem('\u2067שלום\u2069')).toBeNull()
  expect(shownKeyProblem('x'.repeat(191))).toContain('at most 190 characters')
  expect(keyProblem('\u202Egnp')).toBeNull()
})
