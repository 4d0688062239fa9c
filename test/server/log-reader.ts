import { once } from 'node:events'
import { WebSocket } from 'ws'
import { formatId } from '../../src/domain/ids.ts'
import { isObject } from '../../src/domain/plain-object.ts'

export const RUN_LOG =
  'subscription ($runId: ID!, $after: Int) { runLog(runId: $runId, after: $after) { cursor entries { line text } } }'

type Wanted = {
  /** Of the server, or `ws+unix:` with a socket's path. */
  url: string
  runId: string
  after?: number
  token?: string
  query?: string
  variables?: { [name: string]: unknown }
  /** Takes messages in place of the reader's own reading. */
  onNext?: (message: Buffer) => void
}

/** A client that reads one run's log over a socket of its own, message by message. */
export class LogReader {
  readonly socket: WebSocket
  /** The numbers of the lines that came, in the order in which they came. */
  readonly lines: number[] = []
  /** Payloads of the messages with events, and their sizes in bytes. */
  readonly payloads: unknown[] = []
  readonly sizes: number[] = []
  /** What the subscription ended with. */
  readonly ended: Promise<{ type: string; payload?: unknown }>
  /** The code that the socket was closed with. */
  readonly closed: Promise<number>
  #notify: () => void = () => {}
  #acknowledge: () => void = () => {}
  readonly #acknowledged: Promise<void>

  private constructor({ url, runId, after = 0, token = 'admin', query = RUN_LOG, variables = {}, onNext }: Wanted) {
    this.socket = new WebSocket(url, 'graphql-transport-ws')
    this.socket.on('error', () => {})
    this.closed = once(this.socket, 'close').then(([code]) => code)
    this.#acknowledged = new Promise((resolve) => {
      this.#acknowledge = resolve
    })
    const send = (message: object) => this.socket.send(JSON.stringify(message))
    this.socket.on('open', () => send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }))
    this.ended = new Promise((resolve) => {
      this.socket.on('message', (data: Buffer) => {
        const start = data.toString('latin1', 0, 40)
        if (start.includes('"type":"next"')) {
          if (onNext === undefined) this.#read(data)
          else onNext(data)
          return
        }
        const message: { type: string; payload?: unknown } = JSON.parse(String(data))
        if (message.type === 'connection_ack') {
          const payload = { query, variables: { runId: formatId('Run', runId), after, ...variables } }
          send({ id: 'log', type: 'subscribe', payload })
          this.#acknowledge()
        }
        if (message.type === 'complete' || message.type === 'error') resolve(message)
      })
    })
  }

  /** Answers once the socket is acknowledged and the subscription asked for. */
  static async open(wanted: Wanted): Promise<LogReader> {
    const url = wanted.url.startsWith('ws') ? wanted.url : `${wanted.url.replace('http', 'ws')}/graphql`
    const reader = new LogReader({ ...wanted, url })
    await Promise.race([reader.#acknowledged, reader.closed])
    return reader
  }

  get last(): number {
    return this.lines.at(-1) ?? 0
  }

  #read(data: Buffer): void {
    const { payload }: { payload: unknown } = JSON.parse(String(data))
    this.sizes.push(data.length)
    this.payloads.push(payload)
    this.lines.push(...linesIn(payload))
    this.#notify()
  }

  /** When this line is there. Asked by one at a time. */
  async until(line: number): Promise<void> {
    while (this.last < line)
      await new Promise<void>((resolve) => {
        this.#notify = resolve
      })
  }

  /** Ends the subscription, and keeps the socket. */
  leave(): void {
    this.socket.send(JSON.stringify({ id: 'log', type: 'complete' }))
  }

  /** Cuts the connection off. */
  cut(): void {
    this.socket.terminate()
  }
}

/** The numbers in `entries { line }`, whatever the root field is called. */
export function linesIn(payload: unknown): number[] {
  const data = isObject(payload) ? payload.data : null
  const [batch] = isObject(data) ? Object.values(data) : []
  const entries = isObject(batch) ? batch.entries : []
  return Array.isArray(entries) ? entries.map((entry) => Number(isObject(entry) ? entry.line : Number.NaN)) : []
}

/** The numbers from 1 to `last`. */
export const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)
