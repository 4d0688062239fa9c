import type { News, Place } from './board.ts'

/** A thing from its first news until it has gone; the versions are the board's. */
export class Entry<Kept> {
  readonly id: string
  /** The version that its first news made. */
  readonly begun: number
  /** The version that its last news made. */
  version: number
  kept: Kept
  place: Place | null
  isGone = false
  isForgotten = false
  /** The same thing come again, of which there is newer news. */
  next: Entry<Kept> | null = null
  /** The versions at which it got a place, and lost it, in turn: whoever came in between was told of it first. */
  #turns: readonly number[]

  constructor({ id, place, kept }: News<Kept>, version: number) {
    this.id = id
    this.begun = version
    this.version = version
    this.kept = kept
    this.place = place
    this.#turns = place === null ? [] : [version]
  }

  change({ place, kept }: News<Kept>, version: number): void {
    // Made anew, since what can grow has room for more.
    if ((this.place === null) !== (place === null)) this.#turns = [...this.#turns, version]
    this.version = version
    this.kept = kept
    this.place = place
  }

  /** Whether it was among those that a subscription begun at this version began with. */
  wasPlacedAt(version: number): boolean {
    let isPlaced = false
    for (const turn of this.#turns) if (turn <= version) isPlaced = !isPlaced
    return isPlaced
  }
}

/** Where a walk along those that come first has got to. */
export type Station = { id: string; place: Place }

/** Fewer outdated items than this are left where they are. */
const FEW = 64
/** Most that is held of what happened, besides twice as much as there is; some 350 bytes each. */
const MAX_HELD = 10_000

/**
 * What is there as the news have it; each makes a new version of it. Of what has gone, and of what happened when, it
 * holds what somebody may not know yet: `trim` says what all do.
 */
export class BoardState<Kept> {
  version = 0
  readonly #returns: boolean
  readonly #entries = new Map<string, Entry<Kept>>()
  /** Those that come first, in their order. */
  #placed: Entry<Kept>[] = []
  /** What made which version, oldest first. An entry with another version has changed since, and stands there too. */
  #happened: { version: number; entry: Entry<Kept> }[] = []
  #outdated = 0
  /** Of what has gone or is forgotten, the last that somebody may not know yet. */
  readonly #former = new Map<string, Entry<Kept>>()

  /** `returns`: see `Board`. */
  constructor({ returns }: { returns: boolean }) {
    this.#returns = returns
  }

  /** What is held, for what has gone too. */
  get size(): number {
    return this.#entries.size + this.#happened.length
  }

  /** So much happened that the slowest reader does not know that its place can be kept no longer. */
  get isTooMuch(): boolean {
    return this.#happened.length > MAX_HELD + 2 * this.#entries.size
  }

  get hasFirstOnes(): boolean {
    return this.#placed.length > 0
  }

  /** The entry that the news are of; null where what has gone was not there. */
  apply(news: News<Kept>): Entry<Kept> | null {
    const before = this.#entries.get(news.id)
    if (before === undefined && !news.isThere) return null
    this.version += 1
    const entry = before ?? new Entry(news, this.version)
    if (before !== undefined) this.#outdate(before.version)
    if (before !== undefined) this.#unplace(before)
    if (news.isThere) {
      if (before !== undefined) before.change(news, this.version)
      else this.#begin(entry)
      this.#insert(entry)
    } else {
      entry.version = this.version
      entry.isGone = true
      this.#end(entry)
    }
    this.#happened.push({ version: this.version, entry })
    return entry
  }

  /** There will be no more news of it, and nobody who comes is told of it. */
  forget(id: string): Entry<Kept> | null {
    const entry = this.#entries.get(id)
    if (entry === undefined) return null
    entry.isForgotten = true
    this.#end(entry)
    this.#unplace(entry)
    return entry
  }

  /** What has changed after a version, each once, in the order of its last change. */
  *after(version: number): Generator<Entry<Kept>> {
    for (let index = this.#indexAfter(version); index < this.#happened.length; index++) {
      const item = this.#happened[index]
      if (item !== undefined && item.entry.version === item.version) yield item.entry
    }
  }

  /** Those that come first, from behind a station; null: all. */
  *firstOnes(after: Station | null): Generator<Entry<Kept> & Station> {
    for (
      let index = after === null ? 0 : this.#indexOf(after, { behind: true });
      index < this.#placed.length;
      index++
    ) {
      const entry = this.#placed[index]
      if (isPlaced(entry)) yield entry
    }
  }

  /** Everybody knows all up to this version. */
  trim(version: number): void {
    const known = this.#indexAfter(version)
    if (known === 0) return
    for (const { version: itsVersion, entry } of this.#happened.splice(0, known)) {
      if (entry.version !== itsVersion) this.#outdated -= 1
      else if (this.#former.get(entry.id) === entry) this.#former.delete(entry.id)
    }
  }

  #begin(entry: Entry<Kept>): void {
    this.#entries.set(entry.id, entry)
    const former = this.#former.get(entry.id)
    if (former !== undefined) former.next = entry
    this.#former.delete(entry.id)
  }

  #end(entry: Entry<Kept>): void {
    this.#entries.delete(entry.id)
    const first = this.#happened[0]?.version ?? this.version + 1
    if (this.#returns && (entry.isGone || first <= entry.version)) this.#former.set(entry.id, entry)
  }

  #outdate(version: number): void {
    const first = this.#happened[0]
    if (first === undefined || version < first.version) return
    this.#outdated += 1
    if (this.#outdated < FEW || this.#outdated < this.#happened.length / 2) return
    this.#happened = this.#happened.filter((item) => item.entry.version === item.version && item.version !== version)
    this.#outdated = 0
  }

  /** The first that happened after a version. */
  #indexAfter(version: number): number {
    return lowest(this.#happened.length, (index) => (this.#happened[index]?.version ?? 0) > version)
  }

  #indexOf(station: Station, { behind = false } = {}): number {
    return lowest(this.#placed.length, (index) => {
      const entry = this.#placed[index]
      const order = isPlaced(entry) ? compare(entry, station) : 0
      return behind ? order > 0 : order >= 0
    })
  }

  #insert(entry: Entry<Kept>): void {
    if (isPlaced(entry)) this.#placed.splice(this.#indexOf(entry), 0, entry)
  }

  #unplace(entry: Entry<Kept>): void {
    if (isPlaced(entry)) this.#placed.splice(this.#indexOf(entry), 1)
  }
}

const isPlaced = <Kept>(entry: Entry<Kept> | undefined): entry is Entry<Kept> & Station =>
  entry !== undefined && entry.place !== null

function compare(one: Station, other: Station): number {
  if (one.place.rank !== other.place.rank) return one.place.rank - other.place.rank
  if (one.place.at !== other.place.at) return one.place.at - other.place.at
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0
}

/** The lowest of `count` indices that passes, where all behind one that passes do; `count`: none. */
function lowest(count: number, passes: (index: number) => boolean): number {
  let [from, to] = [0, count]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (passes(middle)) to = middle
    else from = middle + 1
  }
  return from
}
