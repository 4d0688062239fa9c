import { setImmediate as turn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { SharedSubscriptions } from '../../src/graphql/subscriptions/shared.ts'
import { newSeed, randomFrom } from '../support/random.ts'
import { FakeTable, sameness, type Told } from './fake-board.ts'
import { Tap } from './tap.ts'

const seed = newSeed()

/** A reader, and what it has on its own board by what it was told. */
class Watcher {
  readonly told: Told[] = []
  readonly has = new Map<string, Told>()
  /** What cannot come after what came before. */
  readonly problems: string[] = []
  readonly #last = new Map<string, Told>()
  readonly tap: Tap
  readonly ended: Promise<unknown>
  left = false
  readonly #events: AsyncIterableIterator<never>

  constructor(table: FakeTable, shared: SharedSubscriptions, { returns = false, isFull = false } = {}) {
    this.tap = new Tap((payload) => {
      const { told }: { told: Told } = Object(payload).data
      this.told.push(told)
      const problem = this.#problemOf(told, returns)
      if (problem !== null) this.problems.push(`${problem}: ${JSON.stringify([this.#last.get(told.id), told])}`)
      // What has gone is shown as what it was, with what became of it.
      if (returns || told.as !== 'GONE') this.#last.set(told.id, told)
      if (told.as === 'GONE') this.has.delete(told.id)
      else this.has.set(told.id, told)
    })
    this.tap.isFull = isFull
    this.#events = shared.joinBoard(table.board, { sameness, execute: table.execute, outlet: this.tap })
    this.ended = this.#events.next()
    this.ended.catch(() => {})
  }

  #problemOf({ id, as, value, life }: Told, returns: boolean): string | null {
    const [has, last] = [this.has.get(id), this.#last.get(id)]
    if (as === 'GONE' && has === undefined) return 'what it was not told of has gone'
    if (last !== undefined && value < last.value) return 'it went back'
    if (as !== 'GONE' && has !== undefined && value === has.value && !has.isEarly) return 'it was told twice'
    if (returns) return null
    if (as === 'NEW' && has !== undefined) return 'what it was told of is new'
    if (as === 'CHANGED' && has === undefined) return 'what it was not told of has changed'
    if (as !== 'NEW' && has?.life !== life) return 'another thing changed or has gone'
    return null
  }

  get values(): Map<string, number> {
    return new Map([...this.has].map(([id, { value }]) => [id, value]))
  }

  leave(): void {
    this.left = true
    void this.#events.return?.()
  }
}

/** What a reader has that it should not, or has not that it should. */
function differences(table: FakeTable, watcher: Watcher): unknown[] {
  const wrong: unknown[] = []
  for (const [id, { value, place, isThere }] of table.things) {
    const has = watcher.has.get(id)
    if (isThere && place !== null && has === undefined) wrong.push(`${id} is missing`)
    if (isThere && has !== undefined && has.value !== value) wrong.push(`${id} is ${has.value} and not ${value}`)
    if (!isThere && has !== undefined && !table.lost.has(id)) wrong.push(`${id} has gone`)
  }
  return wrong
}

async function history(table: FakeTable, { returns, random }: { returns: boolean; random: () => number }) {
  const chance = (share: number) => random() < share
  const pause = async (most: number) => {
    for (let turns = Math.floor(random() * most); turns > 0; turns--) await turn()
  }
  const anyId = () => `thing ${Math.floor(random() * 12)}`
  const anyPlace = () => (returns && chance(0.4) ? null : Math.floor(random() * 5))
  table.delay = () => pause(4)
  if (returns) table.forgets = () => chance(0.3)
  const shared = new SharedSubscriptions()
  const watchers: Watcher[] = []
  for (let step = 0; step < 80; step++) {
    while (chance(0.5)) {
      if (chance(0.3)) table.take(anyId())
      else table.put(anyId(), anyPlace())
      if (chance(0.8)) table.tell()
    }
    if (chance(0.2)) watchers.push(new Watcher(table, shared, { returns, isFull: chance(0.3) }))
    for (const watcher of watchers) {
      if (chance(0.15)) watcher.tap.isFull = !watcher.tap.isFull
      if (chance(0.01)) watcher.leave()
    }
    await pause(8)
  }
  return watchers
}

test.each([
  ['come again as others', false],
  ['come again as the same', true],
])(
  `whatever happens while readers of things that %s come, stall and go, each is told what is right (seed ${seed})`,
  async (_case, returns) => {
    let stalls = 0
    for (let round = 0; round < 60; round++) {
      const table = new FakeTable({ returns })
      const watchers = await history(table, { returns, random: randomFrom(seed + round) })
      for (const { tap } of watchers) {
        if (tap.isFull) stalls += 1
        tap.isFull = false
      }
      table.tell()
      const staying = watchers.filter(({ left }) => !left)
      await vi.waitFor(
        () => {
          for (const watcher of staying) expect([round, differences(table, watcher)]).toEqual([round, []])
        },
        { timeout: 5_000, interval: 2 },
      )
      for (let turns = 0; turns < 20; turns++) await turn()
      for (const { problems, tap } of watchers)
        expect({ round, problems, overfull: tap.overfull }).toEqual({ round, problems: [], overfull: 0 })
      for (const watcher of staying) watcher.leave()
      expect(table.listeners).toBe(0)
    }
    expect(stalls).toBeGreaterThan(20)
  },
  120_000,
)
