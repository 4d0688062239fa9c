import { expect, test } from 'vitest'
import { capOf } from '../../src/console/actions/action-words.ts'

test.each([
  ['', null],
  [0, 0],
  [1_000, 1_000],
  ['1.0', 1],
  ['9007199254740993', undefined],
  [1.5, undefined],
  [-1, undefined],
  ['-', undefined],
])('a cap written as %j is %j: only an empty field is no cap', (value, cap) => {
  expect(capOf(value)).toBe(cap)
})
