import { expect, test } from 'vitest'
import { Batch } from '../../src/store/batch.ts'

const failed = (originalCode: string) =>
  Object.assign(new Error(originalCode), { meta: { driverAdapterError: { cause: { originalCode } } } })

/** A batch whose statements are answered by `answer`, with how many calls each of them had. */
function batchOf(answer: (items: number[]) => Promise<number[]>) {
  const sizes: number[] = []
  const batch = new Batch((items: number[]) => {
    sizes.push(items.length)
    return answer(items)
  })
  return { sizes, askAll: (count: number) => Promise.allSettled(Array.from({ length: count }, (_, n) => batch.add(n))) }
}

test.each([
  [1, [1]],
  [64, [64]],
  [65, [64, 1]],
  [150, [75, 75]],
  [384, [192, 192]],
  [400, [192, 192, 16]],
])('%i calls at once go in statements of %j', async (count, expected) => {
  const { sizes, askAll } = batchOf(async (items) => items)
  const answers = await askAll(count)
  expect(answers).toEqual(Array.from({ length: count }, (_, value) => ({ status: 'fulfilled', value })))
  expect(sizes).toEqual(expected)
})

test.each([
  [
    [9_000, 9_000, 9_000],
    [2, 1],
  ],
  [
    [20_000, 1, 1],
    [1, 2],
  ],
  [
    [1, 50_000, 1],
    [1, 1, 1],
  ],
])('calls of weights %j go in statements of %j', async (weights, expected) => {
  const sizes: number[] = []
  const send = async (items: number[]) => {
    sizes.push(items.length)
    return items
  }
  const batch = new Batch(send, (weight) => weight)
  expect(await Promise.all(weights.map((weight) => batch.add(weight)))).toEqual(weights)
  expect(sizes).toEqual(expected)
})

test('a group that is refused is halved until what is at fault is alone', async () => {
  const { sizes, askAll } = batchOf(async (items) => {
    if (items.includes(3)) throw failed('22003')
    return items
  })
  const answers = await askAll(8)
  expect(answers.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([3])
  expect(sizes).toEqual([8, 4, 2, 2, 1, 1, 4])
})

// A database in trouble cancels every part of a group as well, each after its timeout: nobody is kept waiting for that.
test.each(['08006', '57014'])('a group that fails with %s is sent once, and each caller is told', async (code) => {
  const { sizes, askAll } = batchOf(async () => {
    throw failed(code)
  })
  expect((await askAll(8)).every(({ status }) => status === 'rejected')).toBe(true)
  expect(sizes).toEqual([8])
})
