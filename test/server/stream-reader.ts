import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { formatId } from '../../src/domain/ids.ts'
import { linesIn, RUN_LOG } from './log-reader.ts'

type Wanted = {
  /** Of the server, or a path of a local socket. */
  url: string
  runId: string
  after?: number
  /** Null: it sends none. */
  token?: string | null
  query?: string
  method?: 'GET' | 'POST'
  accept?: string
}

/** A client that reads one run's log as server-sent events over a connection of its own, event by event. */
export class StreamReader {
  readonly #request: ClientRequest
  /** The numbers of the lines that came, in the order in which they came. */
  readonly lines: number[] = []
  /** The data of the events with lines, as it came. */
  readonly payloads: string[] = []
  /** How it ended: `CUT` without its end having come. */
  readonly ended: Promise<'COMPLETE' | 'CUT'>
  /** Its head; rejects where there is none. */
  readonly answered: Promise<IncomingMessage>
  /** Comments that kept it alive. */
  pings = 0
  #rest = ''
  #isComplete = false
  #notify: () => void = () => {}

  private constructor({ url, runId, after = 0, token = 'admin', query = RUN_LOG, method = 'GET', accept }: Wanted) {
    const variables = { runId: formatId('Run', runId), after }
    const parameters = new URLSearchParams({ query, variables: JSON.stringify(variables) })
    const path = method === 'GET' ? `/graphql?${parameters}` : '/graphql'
    this.#request = request({
      ...(url.startsWith('/') ? { socketPath: url } : { host: '127.0.0.1', port: new URL(url).port }),
      agent: false,
      method,
      path,
      headers: {
        accept: accept ?? 'text/event-stream',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      },
    })
    this.#request.on('error', () => {})
    this.#request.end(method === 'POST' ? JSON.stringify({ query, variables }) : undefined)
    this.answered = once(this.#request, 'response').then(([answer]) => {
      answer.setEncoding('utf8').on('data', (text: string) => this.#read(text))
      answer.on('error', () => {})
      return answer
    })
    this.answered.catch(() => {})
    this.ended = new Promise((resolve) => {
      this.#request.on('close', () => resolve(this.#isComplete ? 'COMPLETE' : 'CUT'))
    })
  }

  /** Answers with its head. */
  static async open(wanted: Wanted): Promise<StreamReader> {
    const reader = StreamReader.ask(wanted)
    await reader.answered
    return reader
  }

  /** Answers before anything comes. */
  static ask(wanted: Wanted): StreamReader {
    return new StreamReader(wanted)
  }

  get last(): number {
    return this.lines.at(-1) ?? 0
  }

  #read(text: string): void {
    const events = (this.#rest + text).split('\n\n')
    this.#rest = events.pop() ?? ''
    for (const event of events) {
      if (this.#isComplete) throw new Error(`Behind the end of the stream came ${event}`)
      if (event === ':') this.pings += 1
      else if (event === 'event: complete\ndata:') this.#isComplete = true
      else if (event.startsWith('event: next\ndata: ')) {
        const payload = event.slice('event: next\ndata: '.length)
        this.payloads.push(payload)
        this.lines.push(...linesIn(JSON.parse(payload)))
      } else throw new Error(`This is no event: ${event}`)
    }
    this.#notify()
  }

  /** When this line is there. Asked by one at a time. */
  async until(line: number): Promise<void> {
    while (this.last < line)
      await new Promise<void>((resolve) => {
        this.#notify = resolve
      })
  }

  /** Reads no more, and what comes stays with the other end, until it reads again. */
  async pause(): Promise<void> {
    const answer = await this.answered
    answer.pause()
    answer.socket.pause()
  }

  async resume(): Promise<void> {
    const answer = await this.answered
    answer.socket.resume()
    answer.resume()
  }

  /** Cuts the connection off. */
  cut(): void {
    this.#request.destroy()
  }
}
