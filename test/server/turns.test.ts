import { expect, test, vi } from 'vitest'
import { Turns } from '../../src/server/turns.ts'

/** Work that ends when it is told to. */
function worker(turns: Turns) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (key: string, name: string) =>
    turns.of(key, () => {
      begun.push(name)
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise(setImmediate)
  }
  return { begun, work, end }
}

test('so many work at a time, and who has few waits behind no crowd', async () => {
  const { begun, work, end } = worker(new Turns({ most: 2, patience: 60_000 }))
  const crowd = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => work('a', name))
  const one = work('b', 'b1')
  expect(begun).toEqual(['a1', 'a2'])
  await end('a2')
  expect(begun).toEqual(['a1', 'a2', 'a3'])
  await end('a1')
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1'])
  for (const name of ['a3', 'b1', 'a4', 'a5']) await end(name)
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'a5'])
  expect(await Promise.all([...crowd, one])).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'b1'])
  // All turns were given back.
  const later = ['c1', 'c2', 'c3'].map((name) => work('c', name))
  expect(begun.slice(6)).toEqual(['c1', 'c2'])
  for (const name of ['c1', 'c2', 'c3']) await end(name)
  expect(await Promise.all(later)).toEqual(['c1', 'c2', 'c3'])
})

test('work that fails gives its turn back', async () => {
  const turns = new Turns({ most: 1, patience: 60_000 })
  const failing = turns.of('a', async () => {
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await turns.of('a', async () => 'done')).toBe('done')
})

test('who has no turn in time is told, and takes none later', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { begun, work, end } = worker(new Turns({ most: 1, patience: 1_000 }))
    const first = work('a', 'a1')
    const late = work('b', 'b1')
    vi.advanceTimersByTime(1_000)
    expect(await late).toBeNull()
    await end('a1')
    expect(await first).toBe('a1')
    const next = work('b', 'b2')
    await end('b2')
    expect(await next).toBe('b2')
    expect(begun).toEqual(['a1', 'b2'])
  } finally {
    vi.useRealTimers()
  }
})
