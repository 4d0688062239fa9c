import { expect, test } from 'vitest'
import { inPortions, Turns } from '../../src/store/turns.ts'

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

test('what is done in portions lets all else have its turn between, and loses nothing', async () => {
  const story: string[] = []
  setImmediate(() => story.push('else'))
  const doubled = await inPortions([1, 2, 3, 4, 5], 2, (portion) => {
    story.push(portion.join())
    return portion.map((item) => item * 2)
  })
  expect(doubled).toEqual([2, 4, 6, 8, 10])
  expect(story).toEqual(['1,2', 'else', '3,4', '5'])
  expect(await inPortions([], 2, (none) => none)).toEqual([])
})
