import { expect, test } from 'vitest'
import { Turns } from '../../src/store/turns.ts'

test('so many go on at once, the others in the order they came, and one that fails hands its turn on', async () => {
  const turns = new Turns(2)
  const began: number[] = []
  const ends: (() => void)[] = []
  const all = [0, 1, 2, 3].map((index) =>
    turns.take(async () => {
      began.push(index)
      await new Promise<void>((resolve) => ends.push(resolve))
      if (index === 0) throw new Error('no')
      return index
    }),
  )
  const first = expect(all[0]).rejects.toThrow('no')
  expect(began).toEqual([0, 1])
  ends[0]?.()
  await first
  await expect.poll(() => began).toEqual([0, 1, 2])
  ends[1]?.()
  expect(await all[1]).toBe(1)
  await expect.poll(() => began).toEqual([0, 1, 2, 3])
  for (const end of ends) end()
  expect(await Promise.all([all[2], all[3]])).toEqual([2, 3])
  expect(await turns.take(async () => 'free')).toBe('free')
})
