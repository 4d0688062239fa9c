import { setImmediate as turn } from 'node:timers/promises'
import { buildSchema, execute, parse } from 'graphql'
import { expect, test } from 'vitest'
import { follow, type Look } from '../../src/graphql/subscriptions/follow.ts'
import type { Log } from '../../src/graphql/subscriptions/replayable.ts'
import { SharedSubscriptions } from '../../src/graphql/subscriptions/shared.ts'
import { eventually } from '../support/eventually.ts'
import { newSeed, randomFrom } from '../support/random.ts'
import { Tap } from './tap.ts'

type Batch = { numbers: number[] }

const schema = buildSchema('type Query { numbers: [Int!]! } type Subscription { numbers(after: Int): [Int!]! }')
const sameness = { document: parse('{ numbers }'), variables: {}, role: 'VIEWER' as const }
const seed = newSeed()

/** A log of the numbers from 1, whose reads take as long as a test says. */
class Table {
  last = 0
  /** Numbers up to this were pruned. */
  pruned = 0
  ended = false
  executions = 0
  reads = 0
  delay: () => Promise<void> = async () => {}
  readonly outages: unknown[] = []
  failing = false
  readonly #listeners = new Set<() => void>()

  append(count: number): void {
    this.last += count
    this.tell()
  }

  tell(): void {
    for (const listener of this.#listeners) listener()
  }

  get listeners(): number {
    return this.#listeners.size
  }

  #between(after: number, upTo: number): Batch | null {
    const first = Math.max(after, this.pruned) + 1
    const numbers = Array.from({ length: Math.max(0, Math.min(upTo - first + 1, 5)) }, (_, index) => first + index)
    return numbers.length === 0 ? null : { numbers }
  }

  log(after: number): Log<Batch> {
    return {
      after,
      end: this.last,
      cursorVariable: null,
      follow: (from) => {
        let cursor = from
        const look = async (): Promise<Look<Batch>> => {
          await this.delay()
          if (this.failing) throw new Error('away')
          const batch = this.#between(cursor, this.last)
          if (batch === null) return this.ended ? 'END' : 'WAIT'
          cursor = batch.numbers.at(-1) ?? cursor
          return { value: batch }
        }
        const onChange = (listener: () => void) => {
          this.#listeners.add(listener)
          return () => this.#listeners.delete(listener)
        }
        return follow({ look, onChange, onOutage: (error) => this.outages.push(error), hasBegun: true, pollMs: 5 })
      },
      read: async ({ after: from, upTo }) => {
        this.reads += 1
        const batch = this.#between(from, upTo)
        await this.delay()
        if (this.failing) throw new Error('away')
        return batch
      },
      cursorOf: ({ numbers }) => numbers.at(-1) ?? 0,
      halves: ({ numbers }) =>
        numbers.length < 2 ? null : [{ numbers: numbers.slice(0, 1) }, { numbers: numbers.slice(1) }],
      onOutage: (error) => this.outages.push(error),
    }
  }

  readonly execute = async (rootValue: Batch) => {
    this.executions += 1
    await this.delay()
    return execute({ schema, document: sameness.document, rootValue })
  }
}

/** An outlet that is full when the test says so, and what came to it. */
class NumberTap extends Tap {
  readonly numbers: number[] = []

  constructor() {
    super((payload) => this.numbers.push(...Object(payload).data.numbers))
  }
}

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

test(`whatever comes between joining, reading, being full and being live, nobody misses or repeats a thing (seed ${seed})`, async () => {
  for (let round = 0; round < 40; round++) {
    const random = randomFrom(seed + round)
    const chance = (share: number) => random() < share
    const table = new Table()
    table.delay = async () => {
      for (let turns = Math.floor(random() * 6); turns > 0; turns--) await turn()
    }
    table.last = Math.floor(random() * 30)
    const shared = new SharedSubscriptions()
    const readers: { after: number; tap: NumberTap; over: Promise<unknown>; left: boolean; leave(): void }[] = []
    for (let step = 0; step < 60; step++) {
      if (chance(0.3)) table.append(Math.floor(random() * 8))
      if (chance(0.3)) {
        const after = Math.floor(random() * (table.last + 5))
        const tap = new NumberTap()
        tap.isFull = chance(0.3)
        const events = shared.join(table.log(after), { sameness, execute: table.execute, outlet: tap })
        const reader = { after, tap, over: events.next(), left: false, leave: () => void events.return?.() }
        readers.push(reader)
      }
      for (const reader of readers) {
        if (chance(0.2)) reader.tap.isFull = !reader.tap.isFull
        if (chance(0.02)) {
          reader.left = true
          reader.leave()
        }
      }
      for (let turns = Math.floor(random() * 8); turns > 0; turns--) await turn()
    }
    for (const { tap } of readers) tap.isFull = false
    table.ended = true
    table.tell()
    await Promise.all(readers.map(({ over }) => over))
    for (const { after, tap, left } of readers) {
      const expected = from(after + 1, table.last)
      expect(tap.numbers).toEqual(left ? expected.slice(0, tap.numbers.length) : expected)
    }
    expect(table.listeners).toBe(0)
  }
})

test('a reader that is full costs neither reads nor bytes until it has room', async () => {
  const table = new Table()
  table.last = 3
  const shared = new SharedSubscriptions()
  const [quick, slow] = [new NumberTap(), new NumberTap()]
  slow.isFull = true
  for (const tap of [quick, slow]) shared.join(table.log(3), { sameness, execute: table.execute, outlet: tap })
  for (let round = 0; round < 10; round++) {
    table.append(2)
    await eventually(() => expect(quick.numbers.at(-1)).toBe(table.last))
  }
  expect([slow.overfull, slow.numbers.length, table.reads, table.executions]).toEqual([0, 0, 0, 10])
  slow.isFull = false
  await eventually(() => expect(slow.numbers).toEqual(from(4, 23)))
  expect(quick.numbers).toEqual(from(4, 23))
  table.append(1)
  await eventually(() => expect([slow.numbers.at(-1), quick.numbers.at(-1)]).toEqual([24, 24]))
  expect(table.executions).toBe(10 + 4 + 1)
})

test('what was pruned before a reader came to it is passed over', async () => {
  const table = new Table()
  table.last = 12
  table.pruned = 12
  const tap = new NumberTap()
  new SharedSubscriptions().join(table.log(2), { sameness, execute: table.execute, outlet: tap })
  table.append(2)
  await eventually(() => expect(tap.numbers).toEqual([13, 14]))
})

test('a read that fails is made again, and its reader stays', async () => {
  const table = new Table()
  table.last = 3
  table.failing = true
  const tap = new NumberTap()
  const events = new SharedSubscriptions().join(table.log(0), { sameness, execute: table.execute, outlet: tap })
  await eventually(() => expect(table.reads).toBe(1))
  table.append(1)
  await turn()
  table.failing = false
  await eventually(() => expect(tap.numbers).toEqual([1, 2, 3, 4]))
  expect(table.outages).toEqual([new Error('away'), new Error('away')])
  table.ended = true
  table.tell()
  expect(await events.next()).toEqual({ done: true, value: undefined })
})

test('a connection that is gone ends the catching up', async () => {
  const table = new Table()
  table.last = 3
  const tap = new NumberTap()
  tap.isFull = true
  const events = new SharedSubscriptions().join(table.log(0), { sameness, execute: table.execute, outlet: tap })
  tap.isGone = true
  tap.isFull = false
  await events.return?.()
  await turn()
  expect([table.reads, tap.numbers.length, table.listeners]).toEqual([0, 0, 0])
})

test('an event that cannot be shown ends those who asked for it', async () => {
  const table = new Table()
  const shared = new SharedSubscriptions()
  const execute = () => Promise.reject(new Error('a fault'))
  const readers = [new NumberTap(), new NumberTap()].map((outlet) =>
    shared.join(table.log(0), { sameness, execute, outlet }),
  )
  table.append(1)
  for (const events of readers) await expect(events.next()).rejects.toThrow('a fault')
  expect(table.listeners).toBe(0)
})

test('who comes while the source finds the end is given a line that was written after it had looked', async () => {
  const table = new Table()
  table.append(1)
  table.ended = true
  const shared = new SharedSubscriptions()
  let answer: (found: 'END') => void = () => {}
  const found = new Promise<'END'>((resolve) => {
    answer = resolve
  })
  let follows = 0
  const join = (after: number) => {
    const log = table.log(after)
    const tap = new NumberTap()
    const first = () => follow<Batch>({ look: () => found, onChange: () => () => {}, onOutage: log.onOutage })
    const followed = { ...log, follow: (from: number) => (follows++ === 0 ? first() : log.follow(from)) }
    return { tap, ended: shared.join(followed, { sameness, execute: table.execute, outlet: tap }).next() }
  }
  const first = join(1)
  table.append(1)
  const late = join(1)
  answer('END')
  expect(await Promise.all([first.ended, late.ended])).toMatchObject([{ done: true }, { done: true }])
  expect([first.tap.numbers, late.tap.numbers, follows]).toEqual([[2], [2], 2])
})
