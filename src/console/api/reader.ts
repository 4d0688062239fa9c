import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { AnyVariables, Client, CombinedError, OperationResult } from '@urql/core'
import { isForbidden } from './act.ts'
import { READING, retryMs } from './retry.ts'
import { serverNow } from './server-clock.ts'
import { Signal } from './signal.ts'

/** Between two readings. */
const REST_MS = 250

export type Read<Data> = {
  /** As it was read last; undefined before that. It stays while reading it again fails. */
  data: Data | undefined
  /** Why it could not be read last; null: it could. */
  error: CombinedError | null
  /** When it was read last without an error: the server's time in milliseconds; null before that. */
  readAt: number | null
}

/**
 * Reads one query again and again, whenever it is told to and, where that failed, by itself; never twice at a time. What
 * is forbidden is asked for once, and no more on the same connection.
 */
export class Reader<Data, Variables extends AnyVariables> {
  readonly state = new Signal<Read<Data>>({ data: undefined, error: null, readAt: null })
  readonly #ask: (answered: (result: OperationResult<Data, Variables>) => void) => { unsubscribe(): void }
  /** Gives up what is being read, or ends the rest after it; null: it is idle. */
  #giveUp: (() => void) | null = null
  #isDue = false
  #isForbidden = false
  /** Readings that failed since one did not. */
  #failures = 0

  constructor(
    client: Client,
    { query, variables }: { query: TypedDocumentNode<Data, Variables>; variables: Variables },
  ) {
    this.#ask = (answered) => client.query(query, variables, { requestPolicy: 'network-only' }).subscribe(answered)
  }

  /** Now; where it is being read, once more after that: the answer may be from before the change. A field, so that it can be handed on as it is. */
  readonly refresh = (): void => {
    if (this.#isForbidden) return
    if (this.#giveUp === null) this.#read()
    else this.#isDue = true
  }

  /** Now, also where it is being read: on a connection that is gone no answer may ever come. */
  restart(): void {
    this.#giveUp?.()
    this.#read()
  }

  /** Gives up what is being read. It may be started again. */
  stop(): void {
    this.#giveUp?.()
    this.#giveUp = null
    this.#isDue = false
    this.#failures = 0
  }

  #read(): void {
    this.#isDue = false
    this.#isForbidden = false
    const { unsubscribe } = this.#ask(({ data, error, stale }) => {
      // What the client has from before comes first.
      if (stale) return
      this.#giveUp?.()
      const before = this.state.value
      if (error === undefined) {
        this.#failures = 0
        this.#rest(REST_MS)
        this.state.set({ data: data ?? before.data, error: null, readAt: serverNow() })
      } else {
        this.#isForbidden = isForbidden(error)
        this.#isDue = !this.#isForbidden
        this.#rest(retryMs(this.#failures++, READING))
        this.state.set({ data: data ?? before.data, error, readAt: before.readAt })
      }
    })
    this.#giveUp = unsubscribe
  }

  #rest(ms: number): void {
    const resting = setTimeout(() => {
      this.#giveUp = null
      if (this.#isDue) this.#read()
    }, ms)
    this.#giveUp = () => clearTimeout(resting)
  }
}
