import { GraphQLError, GraphQLInt, GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql'
import { onTestFinished } from 'vitest'
import type { Authenticate } from '../../src/server/authenticate.ts'
import type { Bounds } from '../../src/server/bounds.ts'
import type { CalendarEndpoint } from '../../src/server/calendar-endpoint.ts'
import { type ConsoleFiles, openConsole } from '../../src/server/console-files.ts'
import type { Api } from '../../src/server/graphql-endpoint.ts'
import type { Readiness } from '../../src/server/health.ts'
import { createHttpServer, type HttpServer } from '../../src/server/http.ts'
import { createLogger, type Logger } from '../../src/server/logger.ts'
import type { OpenCredentials } from '../../src/server/open-credentials.ts'

/** The one token that the servers of these tests know. */
export const TOKEN = 'the-token-of-the-tests'
export const AUTHORIZATION = `Bearer ${TOKEN}`

export const authenticate: Authenticate = async (authorization) => {
  if (authorization === null) return { kind: 'anonymous' }
  if (authorization === 'Bearer database-is-away') throw new Error('connection refused')
  if (authorization === 'Bearer key-set-is-away') return { kind: 'unknown' }
  if (authorization !== AUTHORIZATION) return { kind: 'refused' }
  return { kind: 'caller', caller: { actor: { kind: 'TOKEN', name: 'admin' }, role: 'ADMIN' } }
}

/** Numbers that a test hands out by itself; it can tell when the reader asked, and when it went away. */
export class Numbers implements AsyncIterableIterator<{ number: number }> {
  readonly #ready: number[] = []
  #waiting: ((result: IteratorResult<{ number: number }>) => void) | null = null
  readonly returned: Promise<void>
  #markReturned: () => void = () => {}
  #failure: Error | null = null

  constructor() {
    this.returned = new Promise((resolve) => {
      this.#markReturned = resolve
    })
  }

  push(number: number): void {
    const waiting = this.#waiting
    this.#waiting = null
    if (waiting === null) this.#ready.push(number)
    else waiting({ done: false, value: { number } })
  }

  failAtNextRead(error: Error): void {
    this.#failure = error
  }

  next(): Promise<IteratorResult<{ number: number }>> {
    if (this.#failure !== null) return Promise.reject(this.#failure)
    const number = this.#ready.shift()
    if (number !== undefined) return Promise.resolve({ done: false, value: { number } })
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  return(): Promise<IteratorResult<{ number: number }>> {
    this.#markReturned()
    this.#waiting?.({ done: true, value: undefined })
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

/** An API of a few fields: `hello`, `caller`, `fail` (an internal fault) and the subscription `numbers`. */
export function smallApi(numbers: () => Numbers = () => new Numbers()): Api {
  const fail = () => {
    throw new Error('a secret of the database')
  }
  return {
    schema: new GraphQLSchema({
      query: new GraphQLObjectType({
        name: 'Query',
        fields: {
          hello: { type: GraphQLString, resolve: () => 'world' },
          caller: { type: GraphQLString, resolve: (_root, _args, context) => context.caller?.actor.name ?? null },
          fail: { type: GraphQLString, resolve: fail },
        },
      }),
      mutation: new GraphQLObjectType({
        name: 'Mutation',
        fields: { touch: { type: GraphQLString, resolve: () => 'touched' } },
      }),
      subscription: new GraphQLObjectType({
        name: 'Subscription',
        fields: {
          numbers: {
            type: new GraphQLNonNull(GraphQLInt),
            subscribe: () => numbers(),
            resolve: (event: { number: number }) => event.number,
          },
        },
      }),
    }),
    contextFor: (caller) => ({ caller }),
    maskError(error) {
      if (error instanceof GraphQLError && error.originalError === undefined) return error
      return new GraphQLError('Internal server error.', { extensions: { code: 'INTERNAL_SERVER_ERROR', id: 'e-1' } })
    },
  }
}

/** A listening server of these parts, closed when the test is over. */
export async function startServer({
  api = smallApi(),
  readiness = async () => ({ ready: true, reasons: [], warnings: [] }),
  authenticate: proof = authenticate,
  credentials = { hold: () => () => {} },
  calendar = async () => ({ kind: 'refused', status: 401, error: 'no secret' }),
  allowedOrigins = [],
  files = openConsole(),
  bounds = {},
  log = createLogger({ level: 'silent', format: 'json' }),
}: {
  api?: Api
  readiness?: () => Promise<Readiness>
  authenticate?: Authenticate
  credentials?: Pick<OpenCredentials, 'hold'>
  calendar?: CalendarEndpoint
  allowedOrigins?: string[]
  files?: ConsoleFiles
  bounds?: Partial<Bounds>
  log?: Logger
} = {}): Promise<{ url: string; server: HttpServer }> {
  const server = createHttpServer({
    api,
    authenticate: proof,
    credentials,
    readiness,
    calendar,
    metrics: async () => ({ kind: 'page', page: { type: 'text/plain', text: '' } }),
    zoneData: 'none',
    allowedOrigins,
    files,
    bounds,
    log,
  })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close())
  return { url, server }
}
