// A server of one log, as a process that measures what it costs: `fan-out-server.ts cuelight | broadcast | yoga`.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parse, validate } from 'graphql'
import { useServer } from 'graphql-ws/use/ws'
import { createPubSub, createSchema, createYoga } from 'graphql-yoga'
import { WebSocketServer } from 'ws'
import { Registry } from '../../src/modules/registry.ts'
import { systemClock } from '../../src/runner/clock.ts'
import { createApi } from '../../src/server/api.ts'
import { createHttpServer } from '../../src/server/http.ts'
import { createLogger } from '../../src/server/logger.ts'
import { Changes } from '../../src/store/changes.ts'
import { openDatabase } from '../../src/store/database.ts'
import { controlContext } from '../support/context.ts'

/** What the process is told: that lines of a run were committed; to send lines itself; what to answer. */
export type Order =
  | { kind: 'committed'; runId: string; line: number }
  | { kind: 'send'; text: string; lines: number; everyMs: number; perFrame: number }
  | { kind: 'subscribers' }
  | { kind: 'cpu' }

const answer = (value: number) => process.send?.(value)
const [, , variant, databaseUrl = ''] = process.argv
const handle = variant === 'cuelight' ? await cuelight() : variant === 'broadcast' ? await broadcast() : await yoga()
process.on('message', (order: Order) => {
  if (order.kind === 'cpu') {
    const { user, system } = process.cpuUsage()
    answer(user + system)
  } else handle(order)
})

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  answer((server.address() as AddressInfo).port)
}

/** The product, without its runner: another process writes the log, and says so as the runner in this one would. */
async function cuelight() {
  const db = await openDatabase({ url: databaseUrl, poolSize: 5, runnerPoolSize: 1 })
  const changes = new Changes()
  const registry = new Registry()
  const log = createLogger({ level: 'warn', format: 'json' })
  const server = createHttpServer({
    api: createApi({
      control: controlContext({ db, changes, clock: systemClock, catalog: registry }),
      registry,
      log,
    }),
    authenticate: async () => ({
      kind: 'caller',
      caller: { actor: { kind: 'TOKEN', name: 'bench' }, role: 'VIEWER' },
    }),
    credentials: { hold: () => () => {} },
    readiness: async () => ({ ready: true, reasons: [], warnings: [] }),
    zoneData: 'none',
    allowedOrigins: [],
    log,
  })
  answer(Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port))
  return (order: Order) => {
    if (order.kind === 'committed') changes.publish({ runId: order.runId, line: order.line, cues: false })
    if (order.kind === 'subscribers') answer(server.socketStats().subscribers)
  }
}

/** Sockets that all get the same bytes: the least that a broadcast can cost. */
async function broadcast() {
  const server = createServer()
  const sockets = new WebSocketServer({ server, path: '/graphql' })
  let subscribers = 0
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => {
      if (String(data).includes('connection_init')) socket.send('{"type":"connection_ack"}')
      else subscribers += 1
    })
  })
  await listen(server)
  return (order: Order) => {
    if (order.kind === 'subscribers') answer(subscribers)
    if (order.kind !== 'send') return
    const { text, lines, everyMs, perFrame } = order
    let line = 0
    const timer = setInterval(() => {
      const count = Math.min(perFrame, lines - line)
      const entries = Array.from({ length: count }, (_, index) => ({ line: line + index + 1, text }))
      line += count
      const payload = { data: { runLog: { cursor: line, entries } } }
      const frame = Buffer.from(JSON.stringify({ id: 'log', type: 'next', payload }))
      for (const socket of sockets.clients) socket.send(frame, { binary: false })
      if (line === lines) clearInterval(timer)
    }, everyMs)
  }
}

/** graphql-yoga with its own pub/sub, and graphql-ws beside it, as their documentation puts them together. */
async function yoga() {
  const pubSub = createPubSub<{ line: [runId: string, line: { line: number; text: string }] }>()
  const endpoint = createYoga({
    logging: false,
    schema: createSchema({
      typeDefs: `type Query { ok: Boolean } type Line { line: Int! text: String! }
        type Subscription { runLog(runId: ID!): Line! }`,
      resolvers: {
        Subscription: {
          runLog: {
            subscribe: (_root, { runId }) => pubSub.subscribe('line', runId),
            resolve: (line: unknown) => line,
          },
        },
      },
    }),
  })
  const server = createServer(endpoint)
  let subscribers = 0
  useServer(
    {
      execute: (args) => (args.rootValue as ReturnType<typeof endpoint.getEnveloped>).execute(args),
      subscribe: (args) => (args.rootValue as ReturnType<typeof endpoint.getEnveloped>).subscribe(args),
      async onSubscribe(_context, _id, params) {
        const enveloped = endpoint.getEnveloped({ params })
        const args = {
          schema: enveloped.schema,
          operationName: params.operationName,
          document: parse(params.query),
          variableValues: params.variables,
          contextValue: await enveloped.contextFactory(),
          rootValue: enveloped,
        }
        const problems = validate(args.schema, args.document)
        if (problems.length > 0) return problems
        subscribers += 1
        return args
      },
    },
    new WebSocketServer({ server, path: '/graphql' }),
  )
  await listen(server)
  return (order: Order) => {
    if (order.kind === 'subscribers') answer(subscribers)
    if (order.kind !== 'send') return
    for (let line = 1; line <= order.lines; line++) pubSub.publish('line', 'run', { line, text: order.text })
  }
}
