import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { z } from 'zod'

const Result = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ message: z.string() })).optional(),
})
const Closed = z.object({ reason: z.string() })
const Refusal = z.object({ code: z.string(), message: z.string() })

type Variables = Record<string, unknown>
type Data = Record<string, unknown>

/** The API of a server as any client would use it: HTTP for queries and mutations, a WebSocket for subscriptions. */
export type Connection = {
  /** The data; rejects with what the server says is wrong. */
  query(document: string, variables: Variables): Promise<Data>
  /** The same without a token. */
  queryAsAnyone(document: string, variables: Variables): Promise<Data>
  /** Like `query`; an expected error, which a mutation answers as data, rejects too. */
  mutate(document: string, variables: Variables): Promise<Data>
  subscribe(document: string, variables: Variables): AsyncIterableIterator<Data>
  close(): Promise<void>
}

/**
 * Resolves once the socket is open, so that nothing of what follows is missed by seconds. Rejects when it cannot be
 * opened, or when `signal` ends the wait.
 */
export async function connect({
  url,
  token,
  signal,
}: {
  url: string
  token: string
  signal: AbortSignal
}): Promise<Connection> {
  const authorization = `Bearer ${token}`
  const socket = createClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization },
    lazy: false,
    retryAttempts: 0,
    // A socket that does not open is told by `opened`, one that closes by the subscriptions on it.
    onNonLazyError: () => {},
  })
  const opened = new Promise<void>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`The socket at ${url} did not open: ${why}.`))
    socket.on('connected', () => resolve())
    socket.on('error', (error) => fail(error instanceof Error ? error.message : String(error)))
    socket.on('closed', (event) => fail(Closed.safeParse(event).data?.reason || 'it was closed'))
    if (signal.aborted) fail('it was ended')
    else signal.addEventListener('abort', () => fail('it was ended'), { once: true })
  })
  await opened

  const query = (document: string, variables: Variables) => post(url, { query: document, variables }, { authorization })

  return {
    query,
    queryAsAnyone: (document, variables) => post(url, { query: document, variables }),
    async mutate(document, variables) {
      const data = await query(document, variables)
      for (const [mutation, answer] of Object.entries(data)) {
        const refusal = Refusal.safeParse(answer)
        if (refusal.success) throw new Error(`${mutation}: ${refusal.data.code}, ${refusal.data.message}`)
      }
      return data
    },
    subscribe(document, variables) {
      const results = socket.iterate({ query: document, variables })
      return {
        async next() {
          const result = await results.next()
          return result.done === true ? { done: true, value: undefined } : { value: dataOf(result.value) }
        },
        async return() {
          await results.return?.()
          return { done: true, value: undefined }
        },
        [Symbol.asyncIterator]() {
          return this
        },
      }
    },
    close: async () => socket.dispose(),
  }
}

async function post(url: string, body: { query: string; variables: Variables }, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return dataOf(await response.json())
}

function dataOf(answer: unknown): Data {
  const { data, errors } = Result.parse(answer)
  if (errors !== undefined) throw new Error(errors.map((error) => error.message).join(' '))
  return data ?? {}
}
