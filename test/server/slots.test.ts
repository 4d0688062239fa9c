import { expect, test } from 'vitest'
import { Slots } from '../../src/server/bounds.ts'

test('what is over is over once, however often that is said, and makes room for one other of the same key', () => {
  const slots = new Slots(2)
  const [first, second] = [slots.take('mira'), slots.take('mira')]
  expect([first, second]).not.toContain(null)
  expect(slots.take('mira')).toBeNull()
  expect(slots.take('tom')).not.toBeNull()
  first?.()
  first?.()
  expect(slots.take('mira')).not.toBeNull()
  expect(slots.take('mira')).toBeNull()
})
