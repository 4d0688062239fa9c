import { expect, onTestFinished, test, vi } from 'vitest'
import { follow, type Look } from '../../src/graphql/subscriptions/follow.ts'

/** Where no look may fail. */
const onOutage = (error: unknown) => {
  throw error
}

/** A table of numbers that a follower reads one by one, and that tells of changes when it is asked to. */
function table() {
  const listeners = new Set<() => void>()
  const state = { rows: [] as number[], ended: false, looks: 0, listeners }
  let cursor = 0
  const look = async (): Promise<Look<number>> => {
    state.looks++
    const value = state.rows[cursor]
    if (value === undefined) return state.ended ? 'END' : 'WAIT'
    cursor++
    return { value }
  }
  const onChange = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const tell = () => {
    for (const listener of listeners) listener()
  }
  return { state, look, onChange, tell }
}

const NEVER = 2 ** 30

test('what is there comes at once, in order, and the end ends it', async () => {
  const { state, look, onChange } = table()
  state.rows.push(1, 2, 3)
  state.ended = true
  const seen: number[] = []
  for await (const value of follow({ look, onChange, onOutage, pollMs: NEVER })) seen.push(value)
  expect(seen).toEqual([1, 2, 3])
  expect(state.listeners.size).toBe(0)
})

test('a change wakes a wait', async () => {
  const { state, look, onChange, tell } = table()
  const source = follow({ look, onChange, onOutage, pollMs: NEVER })
  const next = source.next()
  await Promise.resolve()
  state.rows.push(1)
  tell()
  expect(await next).toEqual({ done: false, value: 1 })
  await source.return?.()
})

test('a change between a look and the wait behind it is not lost', async () => {
  const { state, look, onChange, tell } = table()
  let first = true
  const source = follow({
    onChange,
    onOutage,
    pollMs: NEVER,
    look: async () => {
      const found = await look()
      if (first) {
        first = false
        state.rows.push(7)
        tell()
      }
      return found
    },
  })
  expect(await source.next()).toEqual({ done: false, value: 7 })
  await source.return?.()
})

test('a change that nobody tells of is found by the poll', async () => {
  const { state, look, onChange } = table()
  const source = follow({ look, onChange, onOutage, pollMs: 5 })
  const next = source.next()
  state.rows.push(1)
  expect(await next).toEqual({ done: false, value: 1 })
  await source.return?.()
})

test('return ends a wait that is going on and stops listening', async () => {
  const { state, look, onChange } = table()
  const source = follow({ look, onChange, onOutage, pollMs: NEVER })
  const next = source.next()
  await Promise.resolve()
  expect(state.listeners.size).toBe(1)
  expect(await source.return?.()).toEqual({ done: true, value: undefined })
  expect(await next).toEqual({ done: true, value: undefined })
  expect(await source.next()).toEqual({ done: true, value: undefined })
  expect(state.listeners.size).toBe(0)
})

test('nothing is read ahead of the reader', async () => {
  const { state, look, onChange, tell } = table()
  state.rows.push(1, 2, 3, 4, 5)
  const source = follow({ look, onChange, onOutage, pollMs: NEVER })
  await source.next()
  for (let times = 0; times < 100; times++) tell()
  await new Promise((resolve) => setImmediate(resolve))
  expect(state.looks).toBe(1)
  await source.return?.()
})

test('readers that ask again before they were answered get each value once, in order', async () => {
  const { state, look, onChange } = table()
  state.rows.push(1, 2, 3)
  const source = follow({ look, onChange, onOutage, pollMs: NEVER })
  const answers = await Promise.all([source.next(), source.next(), source.next()])
  expect(answers.map(({ value }) => value)).toEqual([1, 2, 3])
  await source.return?.()
})

test('a first look that fails is the end: the reader gets the error, and nothing goes on behind it', async () => {
  const { state, onChange } = table()
  const source = follow<number>({
    look: () => Promise.reject(new Error('no database')),
    onChange,
    onOutage,
    pollMs: NEVER,
  })
  await expect(source.next()).rejects.toThrow('no database')
  expect(await source.next()).toEqual({ done: true, value: undefined })
  expect(state.listeners.size).toBe(0)
})

test('a database that is away for a while is outlasted, nothing is missed, and it is told once each time', async () => {
  const { state, look, onChange } = table()
  let failures = 0
  const outages: unknown[] = []
  const source = follow({
    look: () => (failures-- > 0 ? Promise.reject(new Error(`away ${failures}`)) : look()),
    onChange,
    onOutage: (error) => outages.push(error),
    pollMs: 1,
  })
  state.rows.push(1)
  expect(await source.next()).toEqual({ done: false, value: 1 })
  for (const value of [2, 3]) {
    failures = 3
    state.rows.push(value)
    expect(await source.next()).toEqual({ done: false, value })
  }
  expect(outages).toEqual([new Error('away 2'), new Error('away 2')])
  await source.return?.()
})

test('while looks fail, changes that are told of cause none, and return ends the wait', async () => {
  const { state, look, onChange, tell } = table()
  state.rows.push(1)
  let failed = 0
  let away = false
  let markOutage = () => {}
  const outage = new Promise<void>((resolve) => {
    markOutage = resolve
  })
  const source = follow({
    look: () => (away ? Promise.reject(new Error(`away ${failed++}`)) : look()),
    onChange,
    onOutage: () => markOutage(),
    pollMs: NEVER,
  })
  await source.next()
  away = true
  const next = source.next()
  await outage
  for (let times = 0; times < 100; times++) {
    tell()
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(failed).toBe(1)
  await source.return?.()
  expect(await next).toEqual({ done: true, value: undefined })
})

test('the first change in a while is looked for at once, and of those that come in the rest after it one look finds all', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { state, look, onChange, tell } = table()
  const source = follow({ look, onChange, onOutage, pollMs: NEVER, restMs: 100 })
  const values: number[] = []
  const reading = (async () => {
    for await (const value of source) values.push(value)
  })()
  await vi.advanceTimersByTimeAsync(1_000)
  const add = (value: number) => {
    state.rows.push(value)
    tell()
  }
  add(1)
  await vi.advanceTimersByTimeAsync(0)
  expect(values).toEqual([1])
  const before = state.looks
  for (const value of [2, 3, 4]) {
    add(value)
    await vi.advanceTimersByTimeAsync(30)
  }
  expect(state.looks).toBe(before)
  expect(values).toEqual([1])
  await vi.advanceTimersByTimeAsync(10)
  expect(values).toEqual([1, 2, 3, 4])
  await source.return?.()
  await reading
})

test('a look that asks for a rest is followed by another after it, though nobody tells of a change', async () => {
  const found: Look<number>[] = ['REST', { value: 1 }]
  const source = follow({
    look: async () => found.shift() ?? 'END',
    onChange: () => () => {},
    onOutage,
    pollMs: NEVER,
    restMs: 5,
  })
  expect(await source.next()).toEqual({ done: false, value: 1 })
  expect(await source.next()).toEqual({ done: true, value: undefined })
})
