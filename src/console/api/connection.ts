import { Client, type CombinedError, fetchExchange, mapExchange, subscriptionExchange } from '@urql/core'
import { createClient, type Client as SocketClient } from 'graphql-ws'
import { READING, retryMs } from './retry.ts'
import { measureClock } from './server-clock.ts'
import { Signal } from './signal.ts'
import { StaleReadings } from './stale-readings.ts'

/** How often a silent connection is asked whether it lives, and how late its answer means that it does not. */
const PING_MS = 10_000
const PONG_MS = 5_000
/** An answer that is later than that is not waited for; a verification may take half of it. */
const ANSWER_MS = 60_000

/** A page that nobody has looked at for so long may have been asleep, and its connection gone without a word. */
const ASLEEP_MS = 15_000

const UNAUTHORIZED = 4401

export type ConnectionState =
  | { kind: 'connecting' }
  | { kind: 'open' }
  /** Since when, in milliseconds; it is tried again and again. */
  | { kind: 'lost'; since: number }
  /** Only loading the page anew helps: the server does not understand this console. */
  | { kind: 'broken' }

/** The console's way to the server: GraphQL over HTTP, and what is followed live over one WebSocket. */
export type Connection = {
  client: Client
  /** For what has to say anew, whenever the socket comes back, from where it goes on. */
  socket: SocketClient
  state: Signal<ConnectionState>
  stale: StaleReadings
  /** Told each time the socket is there, and whether it was there before: what was missed has to be read. The answer ends it. */
  onOpen(listener: (isAgain: boolean) => void): () => void
  close(): void
}

/** Opens a connection with a token; `onRefused` is told once, when the server does not take it or takes it no more. */
export function openConnection(token: string, onRefused: () => void): Connection {
  const state = new Signal<ConnectionState>({ kind: 'connecting' })
  const opened = new Set<(isAgain: boolean) => void>()
  let wasOpen = false
  let refused = false
  /** It is given up for a new one, which is no loss to tell of unless that one fails too. */
  let isRenewing = false
  const refuse = () => {
    if (!refused) onRefused()
    refused = true
  }
  const lose = () => {
    const now = state.value
    if (isRenewing) state.set({ kind: 'connecting' })
    else if (now.kind !== 'lost' && now.kind !== 'broken') state.set({ kind: 'lost', since: Date.now() })
    isRenewing = false
  }

  /** The requests of this network; a dead one answers none of them, and says so of none. */
  let requests = new AbortController()
  const cutOff = () => {
    socket.terminate()
    requests.abort()
    requests = new AbortController()
  }
  window.addEventListener('offline', cutOff)
  let hiddenAt = Number.POSITIVE_INFINITY
  const watchSleep = () => {
    const isAwake = document.visibilityState === 'visible'
    if (isAwake && state.value.kind === 'open' && Date.now() - hiddenAt > ASLEEP_MS) {
      isRenewing = true
      cutOff()
    }
    hiddenAt = isAwake ? Number.POSITIVE_INFINITY : Date.now()
  }
  document.addEventListener('visibilitychange', watchSleep)

  let unanswered: ReturnType<typeof setTimeout> | undefined
  const socket = createClient({
    url: new URL('/graphql', location.href.replace(/^http/, 'ws')).href,
    connectionParams: { authorization: `Bearer ${token}` },
    lazy: false,
    keepAlive: PING_MS,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    retryWait: (retries) => pause(retryMs(retries, READING)),
    // What trying again would not change.
    onNonLazyError: () => refused || state.set({ kind: 'broken' }),
    on: {
      connected() {
        state.set({ kind: 'open' })
        for (const listener of opened) listener(wasOpen)
        wasOpen = true
      },
      ping(received) {
        if (!received) unanswered = setTimeout(cutOff, PONG_MS)
      },
      pong(received) {
        if (received) clearTimeout(unanswered)
      },
      closed(event) {
        clearTimeout(unanswered)
        const code = event instanceof CloseEvent ? event.code : 0
        if (code === UNAUTHORIZED) refuse()
        lose()
      },
    },
  })

  const client = new Client({
    url: '/graphql',
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
    fetch: (input, init) => {
      const signals = [AbortSignal.timeout(ANSWER_MS), requests.signal, ...(init?.signal == null ? [] : [init.signal])]
      return measureClock(() => fetch(input, { ...init, signal: AbortSignal.any(signals) }))
    },
    exchanges: [
      mapExchange({
        onError(error) {
          if (isUnauthenticated(error)) refuse()
        },
      }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: socket.subscribe({ query, ...(variables === undefined ? {} : { variables }) }, sink),
          }),
        }),
      }),
    ],
  })
  return {
    client,
    socket,
    state,
    stale: new StaleReadings(),
    onOpen(listener) {
      opened.add(listener)
      return () => opened.delete(listener)
    },
    close() {
      refused = true
      window.removeEventListener('offline', cutOff)
      document.removeEventListener('visibilitychange', watchSleep)
      // It rejects where the socket never opened, which is as good as closed.
      Promise.resolve(socket.dispose()).catch(() => {})
    },
  }
}

/** Waits, or less where the browser says that the network is back or somebody looks at the page again. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      window.removeEventListener('online', done)
      document.removeEventListener('visibilitychange', whenSeen)
      resolve()
    }
    const whenSeen = () => document.visibilityState === 'visible' && done()
    // By chance a little more or less: a server that comes back is not met by all of its consoles at once.
    const timer = setTimeout(done, ms * (0.75 + Math.random() / 2))
    window.addEventListener('online', done)
    document.addEventListener('visibilitychange', whenSeen)
  })
}

function isUnauthenticated(error: CombinedError): boolean {
  return (
    error.response?.status === 401 ||
    error.graphQLErrors.some(({ extensions }) => extensions.code === 'UNAUTHENTICATED')
  )
}
