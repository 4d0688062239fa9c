import { expect, test, vi } from 'vitest'
import { inPortions, NoTurn, Turns } from '../../src/store/turns.ts'

/** Work that ends when it is told to. */
function worker(turns: Turns) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (who: string, name: string) =>
    turns.take(who, () => {
      begun.push(name)
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise(setImmediate)
  }
  return { begun, work, end }
}

test('so much goes on at once, the rest in turn by who wants it, and for each in the order it came', async () => {
  const { begun, work, end } = worker(new Turns({ atOnce: 2 }))
  const crowd = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => work('a', name))
  const others = ['b1', 'c1', 'b2'].map((name) => work(name.charAt(0), name))
  expect(begun).toEqual(['a1', 'a2'])
  const order = ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']
  for (const name of order) await end(name)
  expect(begun).toEqual(order)
  expect(await Promise.all([...crowd, ...others])).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'b2'])
  // All turns were given back.
  const later = ['d1', 'd2', 'd3'].map((name) => work('d', name))
  expect(begun.slice(order.length)).toEqual(['d1', 'd2'])
  for (const name of ['d1', 'd2', 'd3']) await end(name)
  expect(await Promise.all(later)).toEqual(['d1', 'd2', 'd3'])
})

test('what is slow lets others begin beside it, up to so many', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { begun, work, end } = worker(new Turns({ atOnce: 1, slow: { after: 500, most: 3 } }))
    const pass = async (ms: number) => {
      vi.advanceTimersByTime(ms)
      await new Promise(setImmediate)
    }
    const all = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => work('a', name))
    await pass(499)
    expect(begun).toEqual(['a1'])
    await pass(1)
    expect(begun).toEqual(['a1', 'a2'])
    // One that is slow and one that is not: when the slow one ends, no other begins.
    await end('a1')
    expect(begun).toEqual(['a1', 'a2'])
    await end('a2')
    expect(begun).toEqual(['a1', 'a2', 'a3'])
    await pass(1_000)
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
    const more = ['a6', 'a7'].map((name) => work('a', name))
    await pass(10_000)
    expect(begun).toHaveLength(5)
    // Each of the three is slow by now, and so one that ends lets one begin.
    await end('a3')
    expect(begun.slice(5)).toEqual(['a6'])
    for (const name of ['a4', 'a5', 'a6', 'a7']) await end(name)
    expect(await Promise.all([...all, ...more])).toHaveLength(7)
  } finally {
    vi.useRealTimers()
  }
})

test('work that fails gives its turn back', async () => {
  const turns = new Turns({ atOnce: 1 })
  const failing = turns.take('a', async () => {
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await turns.take('a', async () => 'done')).toBe('done')
})

test('who has no turn in time is told, and takes none later', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { begun, work, end } = worker(new Turns({ atOnce: 1, patience: 1_000 }))
    const first = work('a', 'a1')
    const [late, later] = [work('b', 'b1'), work('b', 'b2')].map((it) => it.catch((error: unknown) => error))
    vi.advanceTimersByTime(999)
    const inTime = work('b', 'b3')
    vi.advanceTimersByTime(1)
    expect(await Promise.all([late, later])).toEqual([expect.any(NoTurn), expect.any(NoTurn)])
    await end('a1')
    expect(await first).toBe('a1')
    await end('b3')
    expect(await inTime).toBe('b3')
    const next = work('c', 'c1')
    await end('c1')
    expect(await next).toBe('c1')
    expect(begun).toEqual(['a1', 'b3', 'c1'])
  } finally {
    vi.useRealTimers()
  }
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
