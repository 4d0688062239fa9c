import type { Wanted } from './board.ts'
import type { BoardState, Entry, Station } from './board-state.ts'
import type { Outlet } from './outlet.ts'
import { Reader } from './shared-reader.ts'

/** What to tell of an entry: its news of a version or, with a station, that it is one of those that come first. */
export type Due<Kept> = { entry: Entry<Kept>; as: Wanted<Kept>['as']; version: number; station: Station | null }

/**
 * A reader of a board. What it knows follows from three versions: when it came, when it last knew all, and up to which
 * it has been told since of what changed (`cursor`); and from a list of the things for which that is not so. So one that
 * knew all and stopped reading holds hardly more than a number, and will be told how it ended of all that happens
 * meanwhile; one that stopped before holds a reference to each thing that it was told of.
 */
export class BoardReader<Kept> extends Reader {
  readonly #joinedAt: number
  /** Null until it was told of all that come first: it knows nothing then but what it was told of. */
  #knewAllAt: number | null = null
  /** What it was told of, and would not know by the versions. */
  readonly #told = new Set<Entry<Kept>>()
  /** Where it is among those that come first. */
  #station: Station | null = null
  /** It was told of a change, and of one of those that come first next. */
  #isTurnOfFirst = false

  constructor({ version, ...parts }: Joining) {
    super({ after: version, ...parts })
    this.#joinedAt = version
  }

  /** It was told of something, or that there is nothing. */
  get hasBegun(): boolean {
    return this.#knewAllAt !== null || this.#told.size > 0
  }

  /** How many things it remembers by themselves. */
  get remembered(): number {
    return this.#told.size
  }

  /**
   * What it has to be told next: what has changed, in turns with the rest of what was there first, which would never come
   * where something changes all the time. Null: it knows all.
   */
  due(state: BoardState<Kept>): Due<Kept> | null {
    const first = this.#isTurnOfFirst ? this.#nextFirst(state) : null
    if (first !== null) return first
    for (const entry of state.after(this.cursor)) {
      const as = this.#news(entry)
      if (as !== null) return { entry, as, version: entry.version, station: null }
      if (entry.next !== null && this.#knows(entry)) this.#told.add(entry.next)
      this.#told.delete(entry)
      this.cursor = entry.version
    }
    this.cursor = state.version
    return this.#nextFirst(state)
  }

  /** About what comes next, for who reads ahead. */
  upcoming(state: BoardState<Kept>): Generator<Due<Kept>> {
    const [changes, firstOnes] = [this.#changes(state), this.#firstOnes(state)]
    return this.#isTurnOfFirst ? inTurns(firstOnes, changes) : inTurns(changes, firstOnes)
  }

  /** Takes what was due; null: there was nothing to tell of it. */
  tell({ entry, as, version, station }: Due<Kept>, bytes: Buffer | null): void {
    if (bytes !== null) this.outlet.send(bytes)
    if (as === 'GONE' || bytes === null || entry.isForgotten) this.#told.delete(entry)
    else if (!this.#knows(entry)) this.#told.add(entry)
    if (station === null) this.cursor = version
    else this.#station = station
    this.#isTurnOfFirst = station === null
  }

  /** Takes what has just happened, knowing all before it. */
  tellLive({ entry, as, version }: Due<Kept>, bytes: Buffer): void {
    if (as !== 'GONE' || this.#knows(entry)) this.outlet.send(bytes)
    if (as === 'GONE') this.#told.delete(entry)
    else if (this.#passedOver(entry)) this.#told.add(entry)
    this.cursor = version
    this.#knewAllAt = version
  }

  /** It knows all there is. */
  arrive(version: number): void {
    this.cursor = version
    this.#knewAllAt = version
    this.isBehind = false
    for (const entry of this.#told) if (!this.#passedOver(entry)) this.#told.delete(entry)
  }

  /** Nothing will be told of an entry any more, but for what is due. */
  forget(entry: Entry<Kept>): void {
    if (entry.version <= this.cursor) this.#told.delete(entry)
  }

  /** Null: nothing, as it was not told that it is there, or as there is newer news of the same. */
  #news(entry: Entry<Kept>): Due<Kept>['as'] | null {
    if (entry.next !== null) return null
    const knows = this.#knows(entry)
    if (entry.isGone) return knows ? 'GONE' : null
    return knows ? 'CHANGED' : 'NEW'
  }

  *#changes(state: BoardState<Kept>): Generator<Due<Kept>> {
    for (const entry of state.after(this.cursor)) {
      const as = this.#news(entry)
      if (as !== null) yield { entry, as, version: entry.version, station: null }
    }
  }

  #nextFirst(state: BoardState<Kept>): Due<Kept> | null {
    const { value } = this.#firstOnes(state).next()
    return value ?? null
  }

  *#firstOnes(state: BoardState<Kept>): Generator<Due<Kept>> {
    if (this.#knewAllAt !== null) return
    for (const entry of state.firstOnes(this.#station)) {
      const { id, place, version } = entry
      // Of what has changed since it is told as of a change.
      if (version <= this.cursor && !this.#knows(entry)) yield { entry, as: 'NEW', version, station: { id, place } }
    }
  }

  #knows(entry: Entry<Kept>): boolean {
    if (this.#told.has(entry)) return true
    return this.#knewAllAt !== null && entry.begun <= this.#knewAllAt && !this.#passedOver(entry)
  }

  /** It was there when the reader came, and none of those that come first. */
  #passedOver(entry: Entry<Kept>): boolean {
    return entry.begun <= this.#joinedAt && !entry.wasPlacedAt(this.#joinedAt)
  }
}

function* inTurns<T>(one: Iterator<T>, other: Iterator<T>): Generator<T> {
  for (let [now, then] = [one, other], isLast = false; ; [now, then] = [then, now]) {
    const { done, value } = now.next()
    if (done && isLast) return
    isLast = done === true
    if (!done) yield value
  }
}

type Joining = {
  /** The state's when it came. */
  version: number
  outlet: Outlet
  onGone: (reader: Reader) => void
}
