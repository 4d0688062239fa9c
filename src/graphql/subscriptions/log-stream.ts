import { setTimeout as sleep } from 'node:timers/promises'
import type { ExecutionResult } from 'graphql'
import { type Shown, shown } from './events.ts'
import { RETRY_MS } from './once-back.ts'
import { endOfMessage, type Outlet } from './outlet.ts'
import type { Log } from './replayable.ts'
import { Reader } from './shared-reader.ts'

/**
 * After an event is shown the next is looked for no sooner than this, so that what is written meanwhile goes together;
 * with the time that a look takes, 12 to 16 ms lie between two events.
 */
const WINDOW_MS = 12
/** Most bytes of the last live events that are kept for those who are catching up. */
const MAX_RECENT_BYTES = 256 * 1024

/** A log whose events are shown by one document. */
export type ShownLog = {
  end: number
  follow(after: number): AsyncIterableIterator<AsyncIterable<Shown>>
  /** The first event behind `after`, or a part of it; null: nothing is there. */
  read(range: { after: number; upTo: number }): Promise<AsyncGenerator<Shown, void, undefined> | null>
  onOutage(error: unknown): void
}

export function shownLog<Event>(log: Log<Event>, execute: (event: Event) => Promise<ExecutionResult>): ShownLog {
  const show = (event: Event) => shown(event, log, execute)
  return {
    end: log.end,
    onOutage: log.onOutage,
    follow(after) {
      const events = log.follow(after)
      return {
        [Symbol.asyncIterator]() {
          return this
        },
        async next() {
          const { done, value } = await events.next()
          return done ? { done: true, value: undefined } : { done: false, value: show(value) }
        },
        async return() {
          await events.return?.()
          return { done: true, value: undefined }
        },
      }
    },
    async read(range) {
      const event = await log.read(range)
      return event === null ? null : show(event)
    },
  }
}

/** What of the log lies between two positions, as readers get it; null: nothing, since pruning has deleted it. */
type Stretch = { from: number; to: number; bytes: Buffer | null }

/**
 * One live source and its readers. A reader whose cursor is the stream's gets what comes, as the same bytes as all
 * others. Any other reads the log from the database by its own cursor, at the pace of its connection, until its cursor
 * is the stream's: so it has neither a gap nor a repeat, and waiting costs it nothing.
 */
export class LogStream {
  readonly #log: ShownLog
  readonly #onOver: () => void
  readonly #readers = new Set<Reader>()
  #source: AsyncIterableIterator<AsyncIterable<Shown>>
  /** Where the live events have got to. */
  #cursor: number
  /** The furthest that a reader saw the log to go when it came. */
  #end: number
  #ended = false
  /** How many readers are reading from the database now; while some are, the last events are kept for them. */
  #reading = 0
  #recent: (Stretch & { bytes: Buffer })[] = []
  /** What is being read now, by where it begins: those who come together read together. */
  readonly #reads = new Map<number, Promise<Stretch | null>>()
  #readsWork = true

  constructor(log: ShownLog, onOver: () => void) {
    this.#log = log
    this.#onOver = onOver
    this.#cursor = log.end
    this.#end = log.end
    this.#source = log.follow(log.end)
    void this.#live()
  }

  add({ after, end }: { after: number; end: number }, outlet: Outlet): AsyncIterableIterator<never> {
    this.#end = Math.max(this.#end, end)
    const reader = new Reader({ after, outlet, onGone: (gone) => this.#leave(gone) })
    this.#readers.add(reader)
    if (after < this.#cursor) this.#catchUp(reader)
    return reader
  }

  #leave(reader: Reader): void {
    this.#readers.delete(reader)
    if (this.#readers.size > 0) return
    this.#onOver()
    void this.#source.return?.()
  }

  async #live(): Promise<void> {
    try {
      for (;;) {
        const end = this.#end
        await this.#follow()
        // Who came in the end may have seen a line that was written after the source found that there is none.
        if (this.#end === end || this.#readers.size === 0) break
        this.#source = this.#log.follow(this.#cursor)
      }
      this.#ended = true
      this.#onOver()
      for (const reader of this.#readers) if (!reader.isBehind) reader.end()
    } catch (error) {
      this.#onOver()
      for (const reader of this.#readers) reader.fail(error)
    }
  }

  async #follow(): Promise<void> {
    for await (const parts of this.#source) {
      const begun = performance.now()
      for await (const part of parts) this.#deliver(part)
      const left = WINDOW_MS - (performance.now() - begun)
      if (left > 0) await sleep(left)
    }
  }

  #deliver({ text, cursor }: Shown): void {
    const from = this.#cursor
    const bytes = endOfMessage(text)
    this.#cursor = cursor
    if (this.#reading > 0) this.#keep({ from, to: cursor, bytes })
    for (const reader of this.#readers) {
      if (reader.isBehind) continue
      if (reader.cursor === from && !reader.outlet.isFull) reader.take(bytes, cursor)
      // Its connection is full; or it began behind a line that was to come, which came in the middle of this.
      else if (reader.cursor < cursor) this.#catchUp(reader)
    }
  }

  #keep(recent: Stretch & { bytes: Buffer }): void {
    this.#recent.push(recent)
    let size = this.#recent.reduce((sum, { bytes }) => sum + bytes.length, 0)
    while (size > MAX_RECENT_BYTES) size -= this.#recent.shift()?.bytes.length ?? size
  }

  #catchUp(reader: Reader): void {
    void reader.catchUp(async () => {
      if (!(await this.#replay(reader))) return RETRY_MS
      if (reader.cursor < this.#cursor) return 0
      reader.isBehind = false
      if (this.#ended) reader.end()
      return 'CAUGHT_UP'
    })
  }

  /** Gives a reader that is behind the next that it has not. False: the database could not be read. */
  async #replay(reader: Reader): Promise<boolean> {
    this.#reading += 1
    try {
      const next = await this.#nextBehind(reader.cursor)
      if (next === null) return false
      for (const { from, to, bytes } of [next, ...this.#recent]) {
        if (reader.isGone || reader.outlet.isFull) break
        if (from !== reader.cursor) continue
        if (bytes === null) reader.cursor = to
        else reader.take(bytes, to)
      }
      return true
    } finally {
      this.#reading -= 1
      if (this.#reading === 0) this.#recent = []
    }
  }

  /** Null: the database could not be read. */
  #nextBehind(from: number): Promise<Stretch | null> {
    const begun = this.#reads.get(from)
    if (begun !== undefined) return begun
    const read = this.#read(from).finally(() => this.#reads.delete(from))
    this.#reads.set(from, read)
    return read
  }

  async #read(from: number): Promise<Stretch | null> {
    const upTo = this.#cursor
    const parts = await this.#log.read({ after: from, upTo }).then(
      (found) => {
        this.#readsWork = true
        return found
      },
      (error: unknown) => {
        if (this.#readsWork) this.#log.onOutage(error)
        this.#readsWork = false
        return 'FAILED' as const
      },
    )
    if (parts === 'FAILED') return null
    const first = await parts?.next()
    if (first === undefined || first.done === true) return { from, to: upTo, bytes: null }
    return { from, to: first.value.cursor, bytes: endOfMessage(first.value.text) }
  }
}
