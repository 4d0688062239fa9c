import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SharedSubscriptions } from '../../src/graphql/subscriptions/shared.ts'
import { Silence } from '../../src/store/pool.ts'
import { eventually } from '../support/eventually.ts'
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
  /** How often it was asked how far it is. */
  askedFor = 0
  readonly #events: AsyncIterableIterator<never>

  constructor(table: FakeTable, shared: SharedSubscriptions, { returns = false, isFull = false, fullAfter = 0 } = {}) {
    this.tap = new Tap((payload) => {
      const { told }: { told: Told } = Object(payload).data
      if (this.told.push(told) === fullAfter) this.tap.isFull = true
      const problem = this.#problemOf(told, returns)
      if (problem !== null) this.problems.push(`${problem}: ${JSON.stringify([this.#last.get(told.id), told])}`)
      // What has gone is shown as what it was, with what became of it.
      if (returns || told.as !== 'GONE') this.#last.set(told.id, told)
      if (told.as === 'GONE') this.has.delete(told.id)
      else this.has.set(told.id, told)
    })
    this.tap.isFull = isFull
    this.#events = shared.joinBoard(table.board, { sameness, execute: table.execute, outlet: this.tap })
    this.#countAskings()
    this.ended = this.#events.next()
    this.ended.catch(() => {})
  }

  #countAskings(): void {
    let { cursor }: { cursor?: unknown } = this.#events as object
    Object.defineProperty(this.#events, 'cursor', {
      get: () => {
        this.askedFor += 1
        return cursor
      },
      set: (value) => {
        cursor = value
      },
    })
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
      await eventually(() => {
        for (const watcher of staying) expect([round, differences(table, watcher)]).toEqual([round, []])
      })
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

const told = ({ told: all }: Watcher) => all.map(({ id, as, value }) => `${as} ${id} ${value}`)
/** As long as something that was about to happen would have taken to happen. */
const turns = async () => {
  for (let times = 0; times < 50; times++) await turn()
}

test('all who ask the same cost one look, one execution and one read, whether they come before or after', async () => {
  const table = new FakeTable({ returns: false })
  for (const id of ['b', 'a']) table.put(id, id === 'a' ? 1 : 2)
  const shared = new SharedSubscriptions()
  const watch = () => Array.from({ length: 25 }, () => new Watcher(table, shared))
  const early = watch()
  await eventually(() => expect(early.map(({ has }) => has.size)).toEqual(early.map(() => 2)))
  expect([table.listeners, table.executions, table.reads]).toEqual([1, 2, 0])
  const late = watch()
  await eventually(() => expect(late.map(({ has }) => has.size)).toEqual(late.map(() => 2)))
  expect([table.listeners, table.executions, table.reads]).toEqual([1, 4, 1])
  // Looks besides are the poll's.
  table.put('a', 1)
  table.tell()
  const all = [...early, ...late]
  await eventually(() => expect(all.map((watcher) => told(watcher).at(-1))).toEqual(all.map(() => 'CHANGED a 3')))
  expect([table.executions, table.reads]).toEqual([5, 1])
  // Those who come are told in the order of the places, whatever the order in which the things came.
  expect(told(all.at(-1) ?? expect.fail())).toEqual(['NEW a 2', 'NEW b 1', 'CHANGED a 3'])
  for (const watcher of all) watcher.leave()
  expect(table.listeners).toBe(0)
})

test('a crowd that comes and leaves costs as much for each of it as a few do', async () => {
  const table = new FakeTable({ returns: false })
  table.put('a')
  const shared = new SharedSubscriptions()
  const first = new Watcher(table, shared)
  await eventually(() => expect(first.has.size).toBe(1))
  const crowd = Array.from({ length: 500 }, () => new Watcher(table, shared))
  await eventually(() => expect(crowd.every(({ has }) => has.size === 1)).toBe(true))
  for (const watcher of crowd) watcher.leave()
  await turns()
  const asked = crowd.reduce((sum, { askedFor }) => sum + askedFor, 0)
  expect(asked).toBeGreaterThan(crowd.length)
  expect(asked / crowd.length).toBeLessThan(100)
  first.leave()
})

test('a reader that is full holds nothing and is told how it ended, each thing once, and of what came and went nothing', async () => {
  const table = new FakeTable({ returns: false })
  for (const id of ['stays', 'changes', 'goes']) table.put(id)
  const shared = new SharedSubscriptions()
  const [live, slow] = [new Watcher(table, shared), new Watcher(table, shared)]
  await eventually(() => expect([live.has.size, slow.has.size]).toEqual([3, 3]))
  slow.tap.isFull = true
  const happen = async (change: () => void) => {
    change()
    table.tell()
    await eventually(() => expect(live.values).toEqual(table.there))
  }
  const executions = table.executions
  for (let times = 0; times < 3; times++) await happen(() => table.put('changes'))
  await happen(() => table.put('passes'))
  await happen(() => table.take('passes'))
  await happen(() => table.take('goes'))
  await happen(() => table.put('comes'))
  await happen(() => table.put('comes'))
  await turns()
  expect([slow.told.length, slow.tap.overfull, table.reads]).toEqual([3, 0, 0])
  expect(table.executions - executions).toBe(8)
  slow.tap.isFull = false
  await eventually(() => expect(slow.values).toEqual(table.there))
  await turns()
  expect(told(slow).slice(3)).toEqual(['CHANGED changes 6', 'GONE goes 9', 'NEW comes 11'])
  expect(slow.problems).toEqual([])
  await happen(() => table.put('stays'))
  await eventually(() => expect(slow.values).toEqual(table.there))
})

test('a change comes before the rest of what was there when a reader came', async () => {
  const table = new FakeTable({ returns: true })
  for (let place = 0; place < 300; place++) table.put(`thing ${place}`, place)
  const shared = new SharedSubscriptions()
  const first = new Watcher(table, shared)
  await eventually(() => expect(first.has.size).toBe(300))
  const late = new Watcher(table, shared, { fullAfter: 10 })
  await eventually(() => expect(late.told.length).toBe(10))
  table.put('thing 299', 299)
  table.tell()
  await eventually(() => expect(first.values).toEqual(table.there))
  late.tap.isFull = false
  await eventually(() => expect(late.values).toEqual(table.there))
  expect(late.told.length).toBe(300)
  expect(late.told[10]?.id).toBe('thing 299')
})

test('of what has no place whoever comes is told when it changes, and that it has gone if told that it was there', async () => {
  const table = new FakeTable({ returns: true })
  for (const id of ['one', 'other']) table.put(id)
  const shared = new SharedSubscriptions()
  const first = new Watcher(table, shared)
  await eventually(() => expect(first.has.size).toBe(2))
  for (const id of ['one', 'other']) table.put(id, null)
  table.tell()
  await eventually(() => expect(first.values).toEqual(table.there))
  const late = new Watcher(table, shared, { returns: true })
  await turns()
  expect(late.told).toEqual([])
  table.put('one', null)
  table.tell()
  await eventually(() => expect(told(late)).toEqual(['CHANGED one 5']))
  for (const id of ['other', 'one']) table.take(id)
  table.tell()
  await eventually(() => expect(first.has.size).toBe(0))
  await eventually(() => expect(late.told.length).toBe(2))
  expect(told(late)).toEqual(['CHANGED one 5', 'GONE one 7'])
})

test('a first look that fails ends all who wait for it, and whoever comes then begins anew', async () => {
  const table = new FakeTable({ returns: false })
  table.failing = new Error('no database')
  const shared = new SharedSubscriptions()
  const watchers = [new Watcher(table, shared), new Watcher(table, shared)]
  for (const { ended } of watchers) await expect(ended).rejects.toThrow('no database')
  expect([table.listeners, table.outages.length]).toEqual([0, 0])
  table.failing = null
  table.put('a')
  const later = new Watcher(table, shared)
  await eventually(() => expect(later.has.size).toBe(1))
  later.leave()
})

test('who comes while the database is away ends with it, and who has begun is told when it is back', async () => {
  const table = new FakeTable({ returns: false })
  for (const id of ['a', 'b']) table.put(id)
  const shared = new SharedSubscriptions()
  const [live, slow] = [new Watcher(table, shared), new Watcher(table, shared)]
  await eventually(() => expect([live.has.size, slow.has.size]).toEqual([2, 2]))
  slow.tap.isFull = true
  table.put('a')
  table.tell()
  await eventually(() => expect(live.values).toEqual(table.there))
  table.failing = new Silence()
  slow.tap.isFull = false
  await eventually(() => expect(table.outages.length).toBeGreaterThan(0))
  await expect(new Watcher(table, shared).ended).rejects.toThrow(Silence)
  table.failing = null
  await eventually(() => expect(slow.values).toEqual(table.there))
  live.leave()
  slow.leave()
  expect(table.listeners).toBe(0)
})

test('what cannot be shown while the database is away is shown when it is back, to those who were full too', async () => {
  const table = new FakeTable({ returns: false })
  const shared = new SharedSubscriptions()
  const [live, slow] = [new Watcher(table, shared), new Watcher(table, shared)]
  await turns()
  table.executing = new Silence()
  table.put('a')
  table.tell()
  await eventually(() => expect(table.outages).toEqual([new Silence()]))
  slow.tap.isFull = true
  table.executing = null
  await eventually(() => expect(live.values).toEqual(table.there))
  slow.tap.isFull = false
  await eventually(() => expect(slow.values).toEqual(table.there))
  expect([told(live), told(slow)]).toEqual([['NEW a 1'], ['NEW a 1']])
})

test('what cannot be shown at all ends those who asked for it', async () => {
  const table = new FakeTable({ returns: false })
  const shared = new SharedSubscriptions()
  const watchers = [new Watcher(table, shared), new Watcher(table, shared)]
  await turns()
  table.executing = new Error('a fault')
  table.put('a')
  table.tell()
  for (const { ended } of watchers) await expect(ended).rejects.toThrow('a fault')
  expect(table.listeners).toBe(0)
})

test('a reader for whom too much would have to be held is ended, and only that one', async () => {
  const table = new FakeTable({ returns: false })
  const shared = new SharedSubscriptions()
  const [live, slow] = [new Watcher(table, shared), new Watcher(table, shared, { isFull: true })]
  const later = new Watcher(table, shared)
  let slowEnded: unknown = null
  slow.ended.catch((error: unknown) => {
    slowEnded = error
  })
  const ids = Array.from({ length: 2_000 }, (_, index) => `thing ${index}`)
  const happen = async () => {
    table.tell()
    await eventually(() => expect(live.has.size).toBe(table.there.size))
  }
  for (let round = 0; round < 3; round++) {
    if (round === 2) later.tap.isFull = true
    for (const id of ids) table.put(`${id} of ${round}`)
    await happen()
    expect(slowEnded).toBeNull()
    for (const id of ids) table.take(`${id} of ${round}`)
    await happen()
  }
  expect(slowEnded).toMatchObject({ message: expect.stringContaining('subscribe again') })
  later.tap.isFull = false
  table.put('last')
  await happen()
  await eventually(() => expect(later.values).toEqual(table.there))
  expect([live.problems, later.problems]).toEqual([[], []])
  live.leave()
  later.leave()
  expect(table.listeners).toBe(0)
}, 60_000)
