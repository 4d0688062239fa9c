import { expect, test } from 'vitest'
import {
  hasNumberBeyondJson,
  isStorable,
  nestsDeeperThan,
  storableJson,
  storableText,
} from '../../src/domain/storable.ts'

test('replaces what the database cannot keep by a character that shows', () => {
  expect(storableText('a\0b\ud800c')).toBe('a\uFFFDb\uFFFDc')
  expect(storableText('Yew 🐉 é')).toBe('Yew 🐉 é')
  expect(isStorable('🐉')).toBe(true)
  expect(isStorable('\udc09')).toBe(false)
})

test('does so for texts and keys at any depth, and leaves out what JSON cannot hold', () => {
  const value = {
    'k\0': ['\0', { deep: '\ud800' }],
    gone: undefined,
    fn: () => 1,
    big: 1n,
    nan: Number.NaN,
    list: [undefined],
  }
  expect(storableJson(value)).toEqual({ 'k\uFFFD': ['\uFFFD', { deep: '\uFFFD' }], nan: null, list: [null] })
})

test('keeps a key named __proto__ a key', () => {
  expect(JSON.stringify(storableJson(JSON.parse('{"__proto__":{"a":1}}')))).toBe('{"__proto__":{"a":1}}')
})

test('tells how deep a value nests, also one that contains itself', () => {
  const cyclic: unknown[] = []
  cyclic.push(cyclic)
  expect(nestsDeeperThan([[1]], 2)).toBe(false)
  expect(nestsDeeperThan([[{}]], 2)).toBe(true)
  expect(nestsDeeperThan(cyclic, 32)).toBe(true)
  expect(nestsDeeperThan('x', 0)).toBe(false)
})

test('finds numbers that JSON cannot hold, at any depth', () => {
  expect(hasNumberBeyondJson(JSON.parse('{"a": [{"b": 1e999}]}'))).toBe(true)
  expect(hasNumberBeyondJson(JSON.parse('[-1e999]'))).toBe(true)
  expect(hasNumberBeyondJson({ a: [1e308, '1e999', null, {}] })).toBe(false)
})
