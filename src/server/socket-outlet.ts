import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Outlet } from '../graphql/subscriptions/outlet.ts'
import { messageFrames } from './message-frames.ts'
import { isTooMuch } from './unsent.ts'

/** A task of an operation that waits for room. */
type Turn = {
  operation: object
  task: () => Promise<void>
  done: (begun: boolean) => void
  failed: (error: unknown) => void
}

/** What one socket takes: as much as its peer reads, and at most MAX_UNSENT_BYTES and an event more. */
export class SocketOutlet {
  readonly #socket: WebSocket
  readonly #stream: Socket
  /** Events sent since nothing was unsent. */
  #events = 0
  #drained: Promise<void> | null = null
  /** Tasks that wait for room, in their order. */
  readonly #turns = new Set<Turn>()
  #isTaking = false
  /** How many subscriptions are open. */
  subscribers = 0

  /** `stream`: the connection that the socket writes to. */
  constructor(socket: WebSocket, stream: Socket) {
    this.#socket = socket
    this.#stream = stream
  }

  /** Where the events of an operation of this socket go. */
  operation(id: string): Outlet {
    return new OperationOutlet(this, id)
  }

  /** The same events, of which none is asked for while there is no room. Counted among the subscribers until it ends. */
  paced<T>(events: AsyncIterable<T>): AsyncIterableIterator<T> {
    const iterator = events[Symbol.asyncIterator]()
    this.subscribers += 1
    let isOpen = true
    const end = (): void => {
      if (isOpen) this.subscribers -= 1
      isOpen = false
      this.giveUp(iterator)
    }
    return {
      [Symbol.asyncIterator]() {
        return this
      },
      next: async () => {
        try {
          if (this.#isOpen() && this.isFull) await this.whenRoom(iterator, async () => {})
          const result: IteratorResult<T, undefined> = isOpen ? await iterator.next() : { done: true, value: undefined }
          if (result.done) end()
          return result
        } catch (error) {
          end()
          throw error
        }
      },
      return: async () => {
        end()
        await iterator.return?.()
        return { done: true, value: undefined }
      },
    }
  }

  #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  get isFull(): boolean {
    const bytes = this.#socket.bufferedAmount
    if (bytes === 0) this.#events = 0
    return isTooMuch({ bytes, events: this.#events })
  }

  /**
   * One message in two frames, so that all sockets send the same bytes of the event and none has a copy. They are put on
   * the wire here, where what the socket itself sends goes uncompressed and at once: it would make four parts of them and
   * two callbacks for each reader, a fifth of what a broadcast costs.
   */
  send(first: Buffer, rest: Buffer): void {
    if (!this.#isOpen()) return
    this.#events += 1
    this.#stream.cork()
    this.#stream.write(first)
    this.#stream.write(rest)
    this.#stream.uncork()
  }

  /** See `Outlet`. */
  whenRoom(operation: object, task: () => Promise<void>): Promise<boolean> {
    return new Promise((done, failed) => {
      this.#turns.add({ operation, task, done, failed })
      void this.#takeTurns()
    })
  }

  /** What waits of an operation is not begun: who follows and leaves over and over leaves nothing behind. */
  giveUp(operation: object): void {
    for (const turn of this.#turns) {
      if (turn.operation !== operation) continue
      this.#turns.delete(turn)
      turn.done(false)
    }
  }

  async #takeTurns(): Promise<void> {
    if (this.#isTaking) return
    this.#isTaking = true
    while (this.#turns.size > 0) {
      while (this.#isOpen() && this.isFull) await this.#drain()
      const [turn] = this.#turns
      if (turn === undefined) break
      this.#turns.delete(turn)
      if (this.#isOpen()) await turn.task().then(() => turn.done(true), turn.failed)
      else turn.done(false)
    }
    this.#isTaking = false
  }

  /** When all was sent, or the connection is gone. */
  #drain(): Promise<void> {
    this.#drained ??= new Promise<void>((resolve) => {
      const settle = (): void => {
        this.#stream.off('drain', settle)
        this.#stream.off('close', settle)
        this.#drained = null
        resolve()
      }
      this.#stream.on('drain', settle)
      this.#stream.on('close', settle)
    })
    return this.#drained
  }
}

/** A class, and no object of closures, because all that a broadcast touches for each reader is most of what it costs. */
class OperationOutlet implements Outlet {
  readonly #socket: SocketOutlet
  readonly #first: Buffer

  constructor(socket: SocketOutlet, id: string) {
    this.#socket = socket
    this.#first = messageFrames.first(`{"id":${JSON.stringify(id)},"type":"next","payload":`)
  }

  get isFull(): boolean {
    return this.#socket.isFull
  }

  send(end: Buffer): void {
    this.#socket.send(this.#first, messageFrames.rest(end))
  }

  whenRoom(task: () => Promise<void>): Promise<boolean> {
    return this.#socket.whenRoom(this, task)
  }

  end(): void {
    this.#socket.giveUp(this)
  }
}
