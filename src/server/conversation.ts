import { CloseCode, MessageType, parseMessage, type Server } from 'graphql-ws'
import type { WebSocket } from 'ws'
import { MAX_UNSENT_BYTES } from './unsent.ts'

/** Beyond what subscriptions leave unsent: a peer that makes us answer this much and reads none of it is not heard on. */
const MAX_UNREAD_BYTES = 2 * MAX_UNSENT_BYTES

/**
 * Speaks the protocol with the peer of a socket, from its first message to its close. It is pinged every `pingMs` and
 * has as long to answer, or it is cut off. `onFault` is told what goes wrong here; the socket is closed with 4500 then.
 */
export function converse<Extra extends Record<PropertyKey, unknown>>(
  protocol: Server<Extra>,
  socket: WebSocket,
  { extra, pingMs, onFault }: { extra: Extra; pingMs: number; onFault: (error: unknown) => void },
): void {
  const operations = new Operations((id) =>
    socket.close(CloseCode.SubscriberAlreadyExists, `Subscriber for ${id.slice(0, 60)} already exists`),
  )
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (data) => new Promise((resolve) => socket.send(data, () => resolve())),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (handle) =>
        socket.on('message', (data) => {
          operations.take(String(data), handle).catch((error: unknown) => {
            onFault(error)
            socket.close(CloseCode.InternalServerError, 'Internal server error')
          })
        }),
    },
    extra,
  )
  socket.on('message', () => holdBack(socket))
  socket.on('ping', () => holdBack(socket))
  const stopPinging = keepAsking(socket, pingMs)
  socket.once('close', (code, reason) => {
    stopPinging()
    Promise.resolve(closed(code, String(reason))).catch(onFault)
  })
}

/** Reads nothing more from a peer that does not read what it was answered, until it has. */
function holdBack(socket: WebSocket): void {
  if (socket.isPaused || socket.bufferedAmount <= MAX_UNREAD_BYTES) return
  socket.pause()
  // Behind all that is unsent now: when this is sent, the peer has read.
  socket.pong(Buffer.alloc(0), false, () => socket.resume())
}

function keepAsking(socket: WebSocket, pingMs: number): () => void {
  let patience: NodeJS.Timeout | undefined
  const asking = setInterval(() => {
    if (socket.readyState !== socket.OPEN) return
    patience ??= setTimeout(() => socket.terminate(), pingMs)
    socket.ping()
  }, pingMs)
  socket.on('pong', () => {
    clearTimeout(patience)
    patience = undefined
  })
  return () => {
    clearInterval(asking)
    clearTimeout(patience)
  }
}

type Handle = (message: string) => Promise<void>
/** `next`: an operation that is to begin with the same id when this one, which its client has completed, is over. */
type Operation = { isCompleted: boolean; next: string | null }

/**
 * Operations by their ids, which a client may use again as soon as it has completed one: what was before is over then
 * for the client alone, and would take the events, the id and the end of the new one for its own.
 */
class Operations {
  readonly #operations = new Map<string, Operation>()
  readonly #onDuplicate: (id: string) => void

  constructor(onDuplicate: (id: string) => void) {
    this.#onDuplicate = onDuplicate
  }

  async take(text: string, handle: Handle): Promise<void> {
    const message = parsed(text)
    if (message?.type === MessageType.Subscribe) return this.#subscribe(message.id, { text, handle })
    if (message?.type !== MessageType.Complete) return handle(text)
    const operation = this.#operations.get(message.id)
    if (operation !== undefined && operation.next !== null) {
      operation.next = null
      return
    }
    if (operation !== undefined) operation.isCompleted = true
    return handle(text)
  }

  async #subscribe(id: string, { text, handle }: { text: string; handle: Handle }): Promise<void> {
    const before = this.#operations.get(id)
    if (before?.isCompleted) {
      if (before.next !== null) this.#onDuplicate(id)
      else before.next = text
      return
    }
    // One too many with this id is for the protocol to refuse.
    if (before !== undefined) return handle(text)
    const operation: Operation = { isCompleted: false, next: null }
    this.#operations.set(id, operation)
    try {
      await handle(text)
    } finally {
      this.#operations.delete(id)
    }
    if (operation.next !== null) return this.#subscribe(id, { text: operation.next, handle })
  }
}

/** Null where it is no message, which the protocol refuses. */
function parsed(text: string): ReturnType<typeof parseMessage> | null {
  try {
    return parseMessage(text)
  } catch {
    return null
  }
}
