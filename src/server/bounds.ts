import type { Caller, Credential } from './authenticate.ts'

/** What one process bears of its clients, so that none of them takes it from the others. Times are in milliseconds. */
export type Bounds = {
  /** Connections of any kind; what comes beyond is closed. */
  connections: number
  /** Sockets that have not proven a token yet, of all clients together. */
  unprovenSockets: number
  /** Requests whose token is being looked up, of all clients together: a connection may send any number at once. */
  unprovenRequests: number
  /** Sockets of one caller. */
  socketsOfCaller: number
  /** Operations that one socket may have open at a time. */
  operationsOfSocket: number
  /** Operations that all sockets of one caller may have open at a time. */
  operationsOfCaller: number
  /** Requests of one caller that are being answered, event streams among them; one that was given up, too, until its work is done. */
  requestsOfCaller: number
  /** The same of all who have no token. */
  anonymousRequests: number
  /** Calendar feeds that are being made with one secret: each is a long list. */
  feedsOfSecret: number
  /** How long a socket has to send `connection_init`. */
  init: number
  /** A ping goes out this often and has as long to be answered: a dead peer is gone within a minute. */
  ping: number
  /** How long the headers of a request may take, and all of it. */
  headers: number
  request: number
  /** How often it is looked for requests that take too long. */
  check: number
  /** How long nothing may move on a connection that a request or answer is on. */
  silence: number
}

/** Chosen to be far above what people and game servers need, and far below what a process of some 500 MB bears. */
export const BOUNDS: Bounds = {
  connections: 10_000,
  unprovenSockets: 1_000,
  unprovenRequests: 1_000,
  socketsOfCaller: 2_000,
  operationsOfSocket: 100,
  operationsOfCaller: 10_000,
  requestsOfCaller: 1_000,
  anonymousRequests: 50,
  feedsOfSecret: 4,
  init: 10_000,
  ping: 30_000,
  headers: 10_000,
  request: 30_000,
  check: 2_000,
  silence: 120_000,
}

/** Who a bound is counted for: a stored token, or whom something else proves. */
export const keyOf = (caller: Caller, credential: Credential | undefined): string =>
  credential?.tokenId ?? `${caller.actor.kind} ${caller.actor.name}`

/** Counts what is going on by key, up to a most for each. */
export class Slots<Key = string> {
  readonly #most: number
  readonly #taken = new Map<Key, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Takes one: call what it answers when that is over, once or more. Null: there are as many as there may be. */
  take(key: Key): (() => void) | null {
    const taken = this.#countOf(key)
    if (taken >= this.#most) return null
    this.#taken.set(key, taken + 1)
    let over = false
    return () => {
      if (over) return
      over = true
      const left = this.#countOf(key) - 1
      if (left > 0) this.#taken.set(key, left)
      else this.#taken.delete(key)
    }
  }

  #countOf(key: Key): number {
    return this.#taken.get(key) ?? 0
  }
}
