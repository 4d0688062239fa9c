// A server of one log, as a process that measures what it costs: `fan-out-server.mjs cuelight | broadcast | yoga`.
import { setMaxListeners } from 'node:events'
import { createServer } from 'node:http'
import { parse, validate } from 'graphql'
import { useServer } from 'graphql-ws/use/ws'
import { createPubSub, createSchema, createYoga } from 'graphql-yoga'
import { WebSocketServer } from 'ws'

// The product is run as it is built.
const built = (file) => import(new URL(`../../dist/${file}.js`, import.meta.url).href)

const answer = (value) => process.send(value)
const [, , variant, databaseUrl = ''] = process.argv
const handle = variant === 'cuelight' ? await cuelight() : variant === 'broadcast' ? await broadcast() : await yoga()
process.on('message', (order) => {
  if (order.kind === 'cpu') {
    const { user, system } = process.cpuUsage()
    answer(user + system)
  } else if (order.kind === 'memory') answer(process.memoryUsage.rss())
  else handle(order)
})

async function listen(server) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  answer(server.address().port)
}

/** The product as it is built, without its runner: another process writes the log, and says so as a runner here would. */
async function cuelight() {
  const [{ Registry }, { createApi }, { createHttpServer }, { createLogger }, { Changes }, { openDatabase }] =
    await Promise.all(
      ['modules/registry', 'server/api', 'server/http', 'server/logger', 'store/changes', 'store/database'].map(built),
    )
  const [{ systemClock }, { censorOf }, { IntlZones }, { Timetables }] = await Promise.all(
    ['runner/clock', 'domain/censor', 'domain/recurrence/intl-zones', 'domain/timetable'].map(built),
  )
  const db = await openDatabase({ url: databaseUrl, poolSize: 5, runnerPoolSize: 1 })
  const changes = new Changes()
  const registry = new Registry()
  const zones = new IntlZones()
  const log = createLogger({ level: 'warn', format: 'json' })
  const server = createHttpServer({
    api: createApi({
      control: {
        db,
        changes,
        clock: systemClock,
        catalog: registry,
        censor: censorOf([]),
        zones,
        timetables: new Timetables(zones),
        horizonDays: 14,
      },
      registry,
      log,
    }),
    authenticate: async (authorization) => ({
      kind: 'caller',
      caller: { actor: { kind: 'TOKEN', name: authorization }, role: 'VIEWER' },
    }),
    credentials: { hold: () => () => {} },
    readiness: async () => ({ ready: true, reasons: [], warnings: [] }),
    zoneData: 'none',
    allowedOrigins: [],
    log,
  })
  answer(Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port))
  return (order) => {
    if (order.kind === 'committed') changes.publish({ runId: order.runId, line: order.line, cues: false })
    if (order.kind === 'subscribers') answer(server.stats().subscribers)
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
  return (order) => {
    if (order.kind === 'subscribers') answer(subscribers)
    if (order.kind !== 'send') return
    const { text, lines, everyMs, perFrame } = order
    let line = 0
    const timer = setInterval(() => {
      const count = Math.min(perFrame, lines - line)
      const entries = Array.from({ length: count }, (_, index) => ({ line: line + index + 1, text }))
      line += count
      const payload = { data: { runLog: { cursor: line, entries } }, sentAt: Number(process.hrtime.bigint() / 1000n) }
      const frame = Buffer.from(JSON.stringify({ id: 'log', type: 'next', payload }))
      for (const socket of sockets.clients) socket.send(frame, { binary: false })
      if (line === lines) clearInterval(timer)
    }, everyMs)
  }
}

/** graphql-yoga with its own pub/sub, and graphql-ws beside it, as their documentation puts them together. */
async function yoga() {
  // A thousand listen on purpose; Node.js would warn of the eleventh.
  setMaxListeners(0)
  const pubSub = createPubSub()
  const endpoint = createYoga({
    logging: false,
    schema: createSchema({
      typeDefs: `type Query { ok: Boolean } type Line { line: Int! text: String! }
        type Subscription { runLog(runId: ID!): Line! }`,
      resolvers: {
        Subscription: {
          runLog: {
            subscribe: (_root, { runId }) => pubSub.subscribe('line', runId),
            resolve: (line) => line,
          },
        },
      },
    }),
  })
  const server = createServer(endpoint)
  let subscribers = 0
  useServer(
    {
      execute: (args) => args.rootValue.execute(args),
      subscribe: (args) => args.rootValue.subscribe(args),
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
  return (order) => {
    if (order.kind === 'subscribers') answer(subscribers)
    if (order.kind !== 'send') return
    for (let line = 1; line <= order.lines; line++) pubSub.publish('line', 'run', { line, text: order.text })
  }
}
