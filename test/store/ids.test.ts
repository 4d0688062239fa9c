import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { idempotencyKeyOf, mintId } from '../../src/store/ids.ts'

test('ids sort in the order they were made', () => {
  const ids = Array.from({ length: 1000 }, mintId)
  expect([...ids].sort()).toEqual(ids)
})

test('a step keeps its idempotency key, made from its run and itself as the API shows them', () => {
  const [run, step] = ['0198f0c2-0000-7000-8000-000000000001', '0198f0c2-0000-7000-8000-000000000002']
  const expected = createHash('sha256').update(`run_${run}|step_${step}`).digest('hex').slice(0, 40)
  expect(idempotencyKeyOf(run, step)).toBe(expected)
  expect(idempotencyKeyOf(step, run)).not.toBe(expected)
})
