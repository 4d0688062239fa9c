import { expect, test } from 'vitest'
import { keptTexts } from '../../src/server/kept-texts.ts'

function maker() {
  let now = 0
  const made: string[] = []
  const textOf = keptTexts(() => now)
  const ends = new Map<string, (error?: Error) => void>()
  const ask = (key: string) =>
    textOf(key, () => {
      made.push(key)
      return new Promise((resolve, reject) => {
        ends.set(key, (error) => (error === undefined ? resolve(`${key} ${made.length}`) : reject(error)))
      })
    })
  /** Ends what is being made, once it is. */
  const end = async (key: string, error?: Error) => {
    for (let turns = 0; !ends.has(key) && turns < 100; turns += 1) await Promise.resolve()
    const finish = ends.get(key)
    if (finish === undefined) throw new Error(`${key} is not being made`)
    ends.delete(key)
    finish(error)
  }
  return {
    made,
    ask,
    end,
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('ten who ask for the same cost one, and so do those of the next five seconds', async () => {
  const { made, ask, end, pass } = maker()
  const all = Array.from({ length: 10 }, () => ask('all'))
  await end('all')
  expect(await Promise.all(all)).toEqual(Array(10).fill('all 1'))
  pass(4_999)
  expect(await ask('all')).toBe('all 1')
  expect(made).toEqual(['all'])
  pass(1)
  const anew = ask('all')
  await end('all')
  expect(await anew).toBe('all 2')
})

test('one is made at a time, in the order in which they were asked for', async () => {
  const { made, ask, end } = maker()
  const [one, two] = [ask('one'), ask('two')]
  await end('one')
  expect(await one).toBe('one 1')
  await expect(end('one')).rejects.toThrow('not being made')
  await end('two')
  expect(await two).toBe('two 2')
  expect(made).toEqual(['one', 'two'])
})

test('one that is waited for is not begun', async () => {
  const { made, ask, end } = maker()
  const [one] = [ask('one'), ask('two')]
  await expect(end('two')).rejects.toThrow('not being made')
  expect(made).toEqual(['one'])
  await end('one')
  await one
})

test('what could not be made is not kept, and keeps no other from being made', async () => {
  const { ask, end } = maker()
  const [bad, other] = [ask('bad'), ask('other')]
  const refused = expect(bad).rejects.toThrow('the database is away')
  await end('bad', new Error('the database is away'))
  await refused
  await end('other')
  expect(await other).toBe('other 2')
  const again = ask('bad')
  await end('bad')
  expect(await again).toBe('bad 3')
})
