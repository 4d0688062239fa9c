import { buildSchema, type ExecutionResult, execute, parse } from 'graphql'
import type { Board, Found, OpenBoard, Wanted, Watch } from '../../src/graphql/subscriptions/board.ts'
import { follow, type Look } from '../../src/graphql/subscriptions/follow.ts'

/**
 * `value`: which state of the thing it shows; a later one has a higher. `life`: how often the thing had come before.
 * `isEarly`: it shows a state that was not told as news yet.
 */
export type Told = { id: string; as: Wanted<unknown>['as']; value: number; life: number; isEarly: boolean }
type Kept = { value: number; life: number }
type Thing = Kept & { place: number | null; isThere: boolean }

const schema = buildSchema(`
  type Query { told: Told! }
  type Told { id: ID! as: String! value: Int! life: Int! isEarly: Boolean! }`)
export const sameness = {
  document: parse('{ told { id as value life isEarly } }'),
  variables: {},
  role: 'VIEWER' as const,
}

/**
 * A table of things that come, change and go, and a board of it, of which a test says how long things take, and which
 * it may break. Of things without a place those are told of that change. `returns` is the board's; where it is false
 * nothing is read that is newer than the news.
 */
export class FakeTable {
  readonly #returns: boolean
  readonly things = new Map<string, Thing>()
  /** What was told last of each that is there. */
  readonly #known = new Map<string, Kept>()
  /** As they were when they were looked at. */
  readonly #seen = new Map<string, Thing>()
  /** Where things stood, by value. */
  readonly #places = new Map<number, number | null>()
  /** What left without news, as nothing was told of it, or as it was forgotten. */
  readonly lost = new Set<string>()
  readonly #listeners = new Set<() => void>()
  readonly outages: unknown[] = []
  delay: () => Promise<void> = async () => {}
  /** Whether a look forgets a thing without a place, of which all was told. */
  forgets: () => boolean = () => false
  failing: Error | null = null
  executing: Error | null = null
  looks = 0
  reads = 0
  executions = 0
  #values = 0
  #opened = 0

  constructor({ returns }: { returns: boolean }) {
    this.#returns = returns
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** It comes, changes, or comes again. */
  put(id: string, place: number | null = 0): void {
    const before = this.things.get(id)
    const life = before === undefined ? 0 : before.life + (before.isThere ? 0 : 1)
    this.#set(id, { value: ++this.#values, life, place, isThere: true })
  }

  take(id: string): void {
    const before = this.things.get(id)
    if (before?.isThere) this.#set(id, { ...before, value: ++this.#values, isThere: false })
  }

  #set(id: string, thing: Thing): void {
    this.things.set(id, thing)
    this.#places.set(thing.value, thing.place)
  }

  /** The values of what is there: what a reader has that was told all. */
  get there(): Map<string, number> {
    return new Map([...this.things].flatMap(([id, { isThere, value }]) => (isThere ? [[id, value] as const] : [])))
  }

  tell(): void {
    for (const listener of this.#listeners) listener()
  }

  get board(): Board<Told, Kept> {
    return {
      returns: this.#returns,
      restMs: 1,
      onOutage: (error) => this.outages.push(error),
      newsOf: ({ id, as, value, life }) => {
        const at = this.#places.get(value) ?? null
        return { id, isThere: as !== 'GONE', place: at === null ? null : { rank: 0, at }, kept: { value, life } }
      },
      open: (watch) => this.#open(watch),
    }
  }

  #open({ onNews, onForgotten }: Watch<Told>): OpenBoard<Told, Kept> {
    this.#known.clear()
    this.#seen.clear()
    const doubted = new Set<string>()
    this.#opened += 1
    const opened = this.#opened
    let found: Told[] | null = null
    const look = async (): Promise<Look<Told>> => {
      await this.#happens()
      // All have left, and what is known now is known to others.
      if (opened !== this.#opened) return 'END'
      if (found === null) {
        this.looks += 1
        doubted.clear()
        this.#forget(onForgotten)
        found = this.#difference()
      }
      for (let event = found.shift(); event !== undefined; event = found.shift()) {
        if (doubted.has(event.id)) {
          this.#seen.delete(event.id)
          continue
        }
        if (event.as === 'GONE') this.#known.delete(event.id)
        else this.#known.set(event.id, event)
        onNews(event)
        return { value: event }
      }
      found = null
      return doubted.size > 0 ? 'REST' : 'WAIT'
    }
    const onChange = (listener: () => void) => {
      this.#listeners.add(listener)
      return () => this.#listeners.delete(listener)
    }
    return {
      events: follow({ look, onChange, onOutage: (error) => this.outages.push(error), pollMs: 5 }),
      read: async (wanted) => {
        this.reads += 1
        const now = new Map(wanted.map(({ id }) => [id, this.things.get(id)]))
        await this.#happens()
        for (const [id, thing] of now) {
          const news = found?.find((event) => event.id === id) ?? this.#known.get(id)
          if (this.#returns && news !== undefined && news.value !== thing?.value) doubted.add(id)
        }
        return wanted.map((thing) => this.#asFound(thing, now.get(thing.id)))
      },
    }
  }

  async #happens(): Promise<void> {
    await this.delay()
    if (this.failing !== null) throw this.failing
  }

  #isNews(id: string, now: Thing | undefined): boolean {
    return this.#known.get(id)?.value !== now?.value
  }

  #forget(onForgotten: (id: string) => void): void {
    for (const id of this.#known.keys()) {
      const now = this.things.get(id)
      if (now?.place !== null || this.#isNews(id, now) || !this.forgets()) continue
      this.#known.delete(id)
      onForgotten(id)
    }
  }

  #difference(): Told[] {
    const [gone, here]: [Told[], Told[]] = [[], []]
    const isFirst = this.#seen.size === 0
    for (const [id, now] of this.things) {
      const { value, life, place, isThere } = now
      const before = this.#known.get(id)
      const isSame = before !== undefined && (this.#returns || before.life === life)
      const isSeen = this.#seen.get(id)?.value === value
      this.#seen.set(id, now)
      if (before === undefined && !isThere) this.lost.add(id)
      if (before !== undefined && !(isThere && isSame))
        gone.push({ id, as: 'GONE', value, life: before.life, isEarly: false })
      if (isThere && isSame && before.value !== value) here.push({ id, as: 'CHANGED', value, life, isEarly: false })
      if (isThere && !isSame && (place !== null || !(isFirst || isSeen)))
        here.push({ id, as: 'NEW', value, life, isEarly: false })
    }
    return [...gone, ...here]
  }

  #asFound({ id, as, kept, isForgotten }: Wanted<Kept>, now: Thing | undefined): Found<Told> {
    const { value = 0, life = 0, isThere = false } = now ?? {}
    const isEarly = value !== kept.value
    if (as === 'GONE') return { event: { id, as, value, life: kept.life, isEarly } }
    if (isThere && (this.#returns || value === kept.value)) return { event: { id, as, value, life, isEarly } }
    if (!isForgotten) return 'LATER'
    return as === 'NEW' ? 'NOTHING' : { event: { id, as: 'GONE', value, life, isEarly } }
  }

  readonly execute = async (told: Told): Promise<ExecutionResult> => {
    this.executions += 1
    await this.delay()
    if (this.executing !== null) throw this.executing
    return execute({ schema, document: sameness.document, rootValue: { told } })
  }
}
