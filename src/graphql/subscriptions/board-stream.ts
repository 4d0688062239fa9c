import type { ExecutionResult } from 'graphql'
import { isDatabaseAway } from '../../store/faults.ts'
import { tooFarBehind } from '../request-errors.ts'
import type { Board, Found, OpenBoard } from './board.ts'
import { BoardReader, type Due } from './board-reader.ts'
import { BoardState, type Entry } from './board-state.ts'
import { onceBack, RETRY_MS } from './once-back.ts'
import { endOfMessage, type Outlet } from './outlet.ts'
import { Recent } from './recent.ts'

/** Things read at a time, and told at a time to a reader that is behind before others of its connection have a turn. */
const BATCH = 100

/**
 * One look at a board and its readers. A reader that knows all gets what happens, as the same bytes as all others. Any
 * other is told of one thing after another as it is at its turn, at the pace of its connection: first of what changed
 * since it knew all, then of what was there when it came. Who wants the same at about the same time gets the same bytes.
 */
export class BoardStream<Event, Kept> {
  readonly #board: Board<Event, Kept>
  readonly #execute: (event: Event) => Promise<ExecutionResult>
  readonly #onOver: () => void
  readonly #open: OpenBoard<Event, Kept>
  readonly #state: BoardState<Kept>
  readonly #readers = new Set<BoardReader<Kept>>()
  /** What the next event is of. */
  #news: Entry<Kept> | null = null
  readonly #found: Recent<Found<Event>>
  readonly #shown: Recent<Buffer>
  #works = true
  #isToTrim = false

  constructor(
    board: Board<Event, Kept>,
    { execute, onOver }: { execute: (event: Event) => Promise<ExecutionResult>; onOver: () => void },
  ) {
    this.#board = board
    this.#execute = execute
    this.#onOver = onOver
    this.#found = new Recent(board.restMs)
    this.#shown = new Recent(board.restMs)
    this.#state = new BoardState(board)
    this.#open = board.open({
      onNews: (event) => {
        this.#news = this.#state.apply(board.newsOf(event))
      },
      onForgotten: (id) => this.#forget(id),
    })
    void this.#live()
  }

  add(outlet: Outlet): AsyncIterableIterator<never> {
    const { version } = this.#state
    const reader: BoardReader<Kept> = new BoardReader<Kept>({
      version,
      outlet,
      onGone: () => this.#leave(reader),
    })
    this.#readers.add(reader)
    if (this.#state.hasFirstOnes) this.#catchUp(reader)
    else reader.arrive(version)
    return reader
  }

  #leave(reader: BoardReader<Kept>): void {
    this.#readers.delete(reader)
    if (this.#readers.size === 0) {
      this.#onOver()
      void this.#open.events.return?.()
    } else this.#trimSoon()
  }

  async #live(): Promise<void> {
    try {
      for await (const event of this.#open.events) {
        if (this.#news !== null) await this.#deliver(event, this.#news)
        this.#trim()
      }
    } catch (error) {
      this.#onOver()
      for (const reader of this.#readers) reader.fail(error)
    }
  }

  async #deliver(event: Event, entry: Entry<Kept>): Promise<void> {
    const { version } = entry
    const due: Due<Kept> = { entry, as: asOf(entry), version, station: null }
    if (this.#takers(version).length === 0) return
    const bytes = await this.#showInTime(event)
    if (bytes === null) return
    // Others may have become full meanwhile; who came or caught up meanwhile knows it.
    for (const reader of this.#takers(version)) reader.tellLive(due, bytes)
  }

  /** Who knows all but this version, and has room for it. The others get what they miss when they have. */
  #takers(version: number): BoardReader<Kept>[] {
    const takers: BoardReader<Kept>[] = []
    for (const reader of this.#readers) {
      if (reader.isBehind || reader.cursor >= version) continue
      if (reader.outlet.isFull) this.#catchUp(reader)
      else takers.push(reader)
    }
    return takers
  }

  /** Where the database is away: when it is back. Null: nobody waits for it any more. */
  async #showInTime(event: Event): Promise<Buffer | null> {
    // Of no use to those who catch up, who may have seen a newer state.
    const bytes = await onceBack(() => this.#shownOf(event), {
      isWanted: () => this.#readers.size > 0,
      onAway: (error) => this.#tellOutage(error),
    })
    if (bytes !== null) this.#works = true
    return bytes
  }

  #catchUp(reader: BoardReader<Kept>): void {
    void reader.catchUp(() => this.#serve(reader))
  }

  async #serve(reader: BoardReader<Kept>): Promise<number | 'CAUGHT_UP'> {
    for (let told = 0; told < BATCH && !reader.outlet.isFull; told++) {
      const due = reader.due(this.#state)
      if (due === null) {
        reader.arrive(this.#state.version)
        this.#trimSoon()
        return 'CAUGHT_UP'
      }
      const shown = await this.#showNow(reader, due)
      if (typeof shown === 'number') return shown
      if (reader.isGone || reader.outlet.isFull) return 0
      reader.tell(due, shown)
    }
    return 0
  }

  /** Null: there is nothing to tell. A number: how long to wait until it may be shown. */
  async #showNow(reader: BoardReader<Kept>, due: Due<Kept>): Promise<Buffer | null | number> {
    let event: Found<Event> | null = null
    try {
      event = await this.#read(reader, due)
      const bytes = typeof event === 'string' ? null : await this.#show(due, event.event)
      this.#works = true
      return event === 'LATER' ? this.#board.restMs : bytes
    } catch (error) {
      const isOver = event === null ? !reader.hasBegun : !isDatabaseAway(error)
      if (isOver) throw error
      this.#tellOutage(error)
      return RETRY_MS
    }
  }

  #read(reader: BoardReader<Kept>, due: Due<Kept>): Promise<Found<Event>> {
    return this.#found.get(keyOf(due), () => this.#readWithNext(reader, due))
  }

  /** Reads what is due in one go with what comes next for the same reader. */
  async #readWithNext(reader: BoardReader<Kept>, due: Due<Kept>): Promise<Found<Event>> {
    const next: Due<Kept>[] = []
    for (const later of reader.upcoming(this.#state)) {
      if (next.length === BATCH - 1) break
      if (keyOf(later) !== keyOf(due) && !this.#found.has(keyOf(later))) next.push(later)
    }
    const all = this.#open.read([due, ...next].map(wantedOf))
    for (const [index, later] of next.entries())
      void this.#found.get(keyOf(later), () => all.then((found) => found[index + 1] ?? 'NOTHING'))
    const [found = 'NOTHING'] = await all
    return found
  }

  #show(due: Due<Kept>, event: Event): Promise<Buffer> {
    return this.#shown.get(keyOf(due), () => this.#shownOf(event))
  }

  async #shownOf(event: Event): Promise<Buffer> {
    return endOfMessage(JSON.stringify(await this.#execute(event)))
  }

  #tellOutage(error: unknown): void {
    if (this.#works) this.#board.onOutage(error)
    this.#works = false
  }

  #forget(id: string): void {
    const entry = this.#state.forget(id)
    if (entry !== null) for (const reader of this.#readers) reader.forget(entry)
  }

  /** Once for all who come or leave at about the same time, since it looks at every reader. */
  #trimSoon(): void {
    if (this.#isToTrim) return
    this.#isToTrim = true
    setTimeout(() => {
      this.#isToTrim = false
      this.#trim()
    }, this.#board.restMs).unref()
  }

  #trim(): void {
    this.#state.trim(this.#knownToAll())
    while (this.#state.isTooMuch) {
      const known = this.#knownToAll()
      for (const reader of this.#readers) if (reader.cursor === known) reader.fail(tooFarBehind())
      this.#state.trim(this.#knownToAll())
    }
  }

  #knownToAll(): number {
    let known = this.#state.version
    for (const { cursor } of this.#readers) if (cursor < known) known = cursor
    return known
  }
}

const asOf = ({ isGone, begun, version }: Entry<unknown>): Due<unknown>['as'] =>
  isGone ? 'GONE' : begun === version ? 'NEW' : 'CHANGED'

const wantedOf = <Kept>({ entry: { id, kept, isForgotten }, as }: Due<Kept>) => ({ id, kept, as, isForgotten })

/** The same thing in the same state, told in the same way. */
const keyOf = ({ entry, version, as }: Due<unknown>): string => `${entry.begun} ${version} ${as}`
