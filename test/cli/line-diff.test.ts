import { expect, test } from 'vitest'
import { lineDiff } from '../../src/cli/line-diff.ts'

test('a difference shows what changed, with its neighbours', () => {
  expect(lineDiff('', 'a\n')).toEqual(['+ a'])
  expect(lineDiff('a\nb\n', 'a\nb\n')).toEqual([])
  expect(lineDiff('1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\n3\n4\n5\nsix\n7\n8\n9\n10\n')).toEqual([
    '  …',
    '  4',
    '  5',
    '- 6',
    '+ six',
    '  7',
    '  8',
    '  9',
    '+ 10',
  ])
})
