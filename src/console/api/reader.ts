import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { AnyVariables, Client, CombinedError, OperationResult } from '@urql/core'
import { Signal } from './signal.ts'

/** Between two readings. */
const REST_MS = 250

export type Read<Data> = {
  /** As it was read last; undefined before that. It stays while reading it again fails. */
  data: Data | undefined
  /** Why it could not be read last; null: it could. */
  error: CombinedError | null
}

/** Reads one query again and again, whenever it is told to, and never twice at a time. */
export class Reader<Data, Variables extends AnyVariables> {
  readonly state = new Signal<Read<Data>>({ data: undefined, error: null })
  readonly #ask: (answered: (result: OperationResult<Data, Variables>) => void) => { unsubscribe(): void }
  /** Gives up what is being read, or ends the rest after it; null: it is idle. */
  #giveUp: (() => void) | null = null
  #isDue = false

  constructor(
    client: Client,
    { query, variables }: { query: TypedDocumentNode<Data, Variables>; variables: Variables },
  ) {
    this.#ask = (answered) => client.query(query, variables, { requestPolicy: 'network-only' }).subscribe(answered)
  }

  /** Now; where it is being read, once more after that: the answer may be from before the change. A field, so that it can be handed on as it is. */
  readonly refresh = (): void => {
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
  }

  #read(): void {
    this.#isDue = false
    const { unsubscribe } = this.#ask(({ data, error, stale }) => {
      // What the client has from before comes first.
      if (stale) return
      this.#giveUp?.()
      this.#rest()
      this.state.set({ data: data ?? this.state.value.data, error: error ?? null })
    })
    this.#giveUp = unsubscribe
  }

  #rest(): void {
    const resting = setTimeout(() => {
      this.#giveUp = null
      if (this.#isDue) this.#read()
    }, REST_MS)
    this.#giveUp = () => clearTimeout(resting)
  }
}
