import type { WebSocket } from 'ws'
import { type Bounds, Slots } from './bounds.ts'

/** What is worked on for one operation of a socket. */
export type Operation = {
  /** It is over: no more work is done for it. Idempotent. */
  end(): void
  /** Ends it with the work. */
  until<T>(work: Promise<T>): Promise<T>
  /** Ends it with the events, and the events with the socket. */
  through<T>(events: AsyncIterableIterator<T>): AsyncIterableIterator<T>
}

/**
 * The operations of sockets, up to a most for each socket and caller. They count while they are worked on: the protocol
 * forgets one when its client completes it, and a query is not broken off then.
 */
export class SocketOperations {
  readonly #bounds: Pick<Bounds, 'operationsOfSocket' | 'operationsOfCaller'>
  readonly #ofSocket: Slots<WebSocket>
  readonly #ofCaller: Slots<string>

  constructor(bounds: Pick<Bounds, 'operationsOfSocket' | 'operationsOfCaller'>) {
    this.#bounds = bounds
    this.#ofSocket = new Slots(bounds.operationsOfSocket)
    this.#ofCaller = new Slots(bounds.operationsOfCaller)
  }

  /** Begins one; the sentence that says why not, where there are too many. */
  begin(socket: WebSocket, caller: string): Operation | string {
    const { operationsOfSocket, operationsOfCaller } = this.#bounds
    const leaveSocket = this.#ofSocket.take(socket)
    if (leaveSocket === null)
      return `A socket may have ${operationsOfSocket} operations open at a time; end some or open another.`
    const leaveCaller = this.#ofCaller.take(caller)
    if (leaveCaller === null) {
      leaveSocket()
      return `All sockets of one token together may have ${operationsOfCaller} operations open at a time; end some, or use another token.`
    }
    const end = () => {
      leaveSocket()
      leaveCaller()
    }
    return { end, until: (work) => work.finally(end), through: (events) => through(socket, events, end) }
  }
}

// The protocol returns those that it knows when a socket closes; one whose id was used again it may know no more.
function through<T>(socket: WebSocket, events: AsyncIterableIterator<T>, end: () => void): AsyncIterableIterator<T> {
  const over = () => {
    socket.off('close', cut)
    end()
  }
  const cut = () => {
    over()
    void events.return?.().catch(() => {})
  }
  // Each that is open listens.
  socket.setMaxListeners(0)
  if (socket.readyState === socket.OPEN) socket.on('close', cut)
  else cut()
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      try {
        const event = await events.next()
        if (event.done) over()
        return event
      } catch (error) {
        over()
        throw error
      }
    },
    async return() {
      over()
      return (await events.return?.()) ?? { done: true, value: undefined }
    },
  }
}
