import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ANSWERS, accepts } from './accept.ts'
import type { Authenticate } from './authenticate.ts'
import { BOUNDS, type Bounds, keyOf, Slots } from './bounds.ts'
import { CALENDAR_PATH, type CalendarEndpoint } from './calendar-endpoint.ts'
import { type ConsoleFiles, openConsole } from './console-files.ts'
import { isKnown } from './entity-tag.ts'
import { type Api, createGraphqlEndpoint, GRAPHQL_PATH } from './graphql-endpoint.ts'
import type { Readiness } from './health.ts'
import type { Logger } from './logger.ts'
import type { SocketStats } from './metrics.ts'
import type { MetricsEndpoint } from './metrics-endpoint.ts'
import type { OpenCredentials } from './open-credentials.ts'
import { underTraceOf } from './operation-span.ts'
import { attachSockets } from './sockets.ts'

/** Longer than the idle time of the usual load balancers, which must not use a connection that we just closed. */
const KEEP_ALIVE_MS = 65_000
/** How long answers that are being made may take when the server stops. */
const DRAIN_MS = 1000

/** Those that answer reading, besides the files of the console. */
const OWN_PATHS: ReadonlySet<string> = new Set(['/', '/healthz', '/readyz', '/metrics', CALENDAR_PATH])

const RETRY = { 'retry-after': '1' }
const TOO_MANY_UNPROVEN = 'Too many requests wait for their token to be checked; try again in a moment.'

export type HttpServer = {
  /** Starts to listen; the address that clients use, without a trailing slash. Rejects when it cannot. */
  listen(at: { host: string; port: number }): Promise<string>
  /** What its sockets and event streams hold. */
  stats(): SocketStats
  /** Closes the sockets with 1001, ends event streams, lets other requests finish and stops listening. Idempotent. */
  close(): Promise<void>
}

export type HttpServerOptions = {
  api: Api
  authenticate: Authenticate
  /** Ends sockets and event streams whose token is over. */
  credentials: Pick<OpenCredentials, 'hold'>
  readiness(): Promise<Readiness>
  metrics: MetricsEndpoint
  calendar: CalendarEndpoint
  /** Which zone data schedules are computed with, for `/readyz`. */
  zoneData: string
  /** Origins of browser pages, besides our own, that may use the API. */
  allowedOrigins: readonly string[]
  /** The console's files, where they are not those of this build. */
  files?: ConsoleFiles
  /** Other ones than `BOUNDS` have, for tests. */
  bounds?: Partial<Bounds>
  log: Logger
}

/** The HTTP server: `/graphql` on all transports, `/healthz`, `/readyz`, `/metrics`, `/calendar.ics`, and the console at `/` and its own addresses. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { allowedOrigins, api, authenticate, credentials, log, files = openConsole() } = options
  const endpoint = createGraphqlEndpoint({ api, authenticate, allowedOrigins })
  const bounds = { ...BOUNDS, ...options.bounds }
  const requests = new Slots(bounds.requestsOfCaller)
  const anonymous = new Slots(bounds.anonymousRequests)
  const unproven = new Slots(bounds.unprovenRequests)
  const feeds = new Slots(bounds.feedsOfSecret)
  const inFlight = new Set<ServerResponse>()

  // A peer that is gone without a word is asked for by the network's own means.
  const network = { keepAlive: true, keepAliveInitialDelay: bounds.ping, connectionsCheckingInterval: bounds.check }
  const server = createServer(network, (request, response) => {
    response.setHeader('x-content-type-options', 'nosniff')
    response.setHeader('x-frame-options', 'DENY')
    response.setHeader('referrer-policy', 'no-referrer')
    inFlight.add(response)
    response.once('close', () => inFlight.delete(response))
    if (response.socket === null) closeWith(request.socket, response)
    // The endpoint takes this bound away from what it streams; its pings keep a stream that is read within it.
    response.once('pipe', () => request.socket.setTimeout(bounds.silence))
    underTraceOf(request.headers, () => route(request, response)).catch((error: unknown) => {
      log.error({ err: error }, 'a request failed')
      if (response.headersSent) response.destroy()
      else send(response, 500, json({ error: 'The server failed to answer; its log says why.' }))
    })
  })
  server.maxConnections = bounds.connections
  server.requestTimeout = bounds.request
  server.headersTimeout = bounds.headers
  server.timeout = bounds.silence
  server.keepAliveTimeout = KEEP_ALIVE_MS
  const sockets = attachSockets(server, { endpoint, api, authenticate, credentials, allowedOrigins, bounds, log })

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '/').split('?', 1)[0]
    if (path === GRAPHQL_PATH) return graphql(request, response)
    const reads = request.method === 'GET' || request.method === 'HEAD'
    if (path === undefined || !OWN_PATHS.has(path)) {
      if (reads && path !== undefined && files.answer(request, response, path)) return
      return send(response, 404, json({ error: `There is nothing at ${path}; the API is at ${GRAPHQL_PATH}.` }))
    }
    if (!reads) {
      response.setHeader('allow', 'GET, HEAD')
      return send(response, 405, json({ error: `${path} answers GET and HEAD only.` }))
    }
    if (path === '/') return void files.answer(request, response, path)
    if (path === '/metrics') return metrics(request, response)
    if (path === CALENDAR_PATH) return calendar(request, response)
    if (path === '/healthz') return send(response, 200, json({ status: 'ok' }))
    const { ready, reasons, warnings } = await options.readiness()
    const { zoneData } = options
    send(response, ready ? 200 : 503, json({ status: ready ? 'ready' : 'not ready', reasons, warnings, zoneData }))
  }

  const metrics = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const prove = unproven.take('')
    if (prove === null) return send(response, 503, { ...json({ error: TOO_MANY_UNPROVEN }), headers: RETRY })
    const answer = await options.metrics(request.headers.authorization ?? null).finally(prove)
    if (answer.kind === 'page') return send(response, 200, answer.page)
    if (answer.status === 401) response.setHeader('www-authenticate', 'Bearer')
    send(response, answer.status, json({ error: answer.error }))
  }

  const calendar = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const prove = unproven.take('')
    if (prove === null) return send(response, 503, { ...json({ error: TOO_MANY_UNPROVEN }), headers: RETRY })
    let leave = (): void => {}
    const query = new URLSearchParams((request.url ?? '').split('?').slice(1).join('?'))
    const answering = options.calendar(query, (tokenId) => {
      prove()
      const taken = feeds.take(tokenId)
      leave = taken ?? leave
      return taken !== null
    })
    const answer = await answering.finally(() => {
      prove()
      leave()
    })
    if (answer.kind === 'refused') {
      if (answer.status === 401) response.setHeader('www-authenticate', 'Secret')
      const headers = answer.status === 429 || answer.status === 503 ? RETRY : {}
      return send(response, answer.status, { ...json({ error: answer.error }), headers })
    }
    // To be asked for each time, for a revoked secret and a cancelled event to count at once.
    const headers = { etag: answer.etag, 'cache-control': 'private, no-cache' }
    if (isKnown(request.headers['if-none-match'], answer.etag)) return void response.writeHead(304, headers).end()
    send(response, 200, { type: 'text/calendar; charset=utf-8', text: answer.text, headers })
  }

  const graphql = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isHost(request.headers.host)) {
      return send(
        response,
        400,
        graphqlError('The Host header names no host; it may be a name or address, with a port.'),
      )
    }
    // A page of another origin can send these without asking first, so none of them is a way in.
    if (request.method === 'POST' && !isJson(request.headers['content-type'])) {
      return send(
        response,
        415,
        graphqlError('content-type may be application/json; send {"query", "variables"} as JSON.'),
      )
    }
    const page = request.method === 'GET' ? ['text/html'] : []
    if (
      (request.method === 'GET' || request.method === 'POST') &&
      !accepts(request.headers.accept, [...ANSWERS, ...page])
    ) {
      const message = `accept may be one of ${[...ANSWERS, ...page].join(', ')}; nothing was done, as the answer could not be sent.`
      return send(response, 406, graphqlError(message))
    }
    // Types are the same in any case; the endpoint knows one.
    if (request.method === 'POST') request.headers['content-type'] = request.headers['content-type']?.toLowerCase()
    const prove = unproven.take('')
    if (prove === null) {
      return send(response, 503, { ...graphqlError(TOO_MANY_UNPROVEN, 'TOO_MANY_REQUESTS'), headers: RETRY })
    }
    let leave = (): void => {}
    const answering = endpoint(request, response, {
      admit(caller, credential) {
        prove()
        const taken = caller === null ? anonymous.take('') : requests.take(keyOf(caller, credential))
        if (taken === null) return false
        leave = taken
        if (response.destroyed) return true
        if (credential === undefined) return true
        // An answer that is being made is finished; a stream has no end of its own, and may be about to begin.
        const cut = (): void => {
          if (isStream(response)) response.destroy()
        }
        const release = credentials.hold(credential, () => {
          cut()
          response.once('pipe', cut)
        })
        response.once('close', release)
        return true
      },
    })
    // A stream is over with its connection. Anything else is worked on until it is answered, whoever has left meanwhile.
    response.once('close', () => {
      if (isStream(response)) leave()
    })
    await answering.finally(() => {
      prove()
      if (response.destroyed) leave()
      else response.once('close', leave)
    })
  }

  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    const stopped = new Promise<void>((resolve) => server.close(() => resolve()))
    await sockets.close()
    for (const response of inFlight) {
      if (isStream(response)) response.destroy()
    }
    const answered = Promise.all([...inFlight].map((response) => once(response, 'close')))
    await Promise.race([answered, sleep(DRAIN_MS, undefined, { ref: false })])
    // What is left is idle, too slow, or a connection that a browser opened in advance.
    server.closeAllConnections()
    await stopped
  }

  return {
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen({ host, port }, () => {
          server.off('error', reject)
          server.on('error', (error) => log.error({ err: error }, 'the HTTP server failed'))
          resolve(urlOf(host, (server.address() as AddressInfo).port))
        })
      }),
    stats() {
      const streams = [...inFlight].filter(isStream)
      const { subscribers, unsentBytes } = sockets.stats()
      return {
        subscribers: subscribers + streams.length,
        unsentBytes: streams.reduce((total, stream) => total + stream.writableLength, unsentBytes),
      }
    },
    close() {
      closed ??= close()
      return closed
    },
  }
}

const isStream = (response: ServerResponse): boolean =>
  String(response.getHeader('content-type')).startsWith('text/event-stream')

/** A response that waits behind others on its connection is told by nobody that the connection is gone. */
function closeWith(connection: Socket, response: ServerResponse): void {
  const close = (): void => {
    response.destroy()
    response.emit('close')
  }
  connection.setMaxListeners(0).once('close', close)
  response.once('socket', () => connection.off('close', close))
}

type Body = { type: string; text: string; headers?: Record<string, string> }

function send(response: ServerResponse, status: number, body: Body): void {
  response.writeHead(status, {
    'content-type': body.type,
    'content-length': Buffer.byteLength(body.text),
    'cache-control': 'no-store',
    ...body.headers,
  })
  response.end(response.req.method === 'HEAD' ? undefined : body.text)
}

function json(value: unknown): Body {
  return { type: 'application/json; charset=utf-8', text: `${JSON.stringify(value)}\n` }
}

function graphqlError(message: string, code = 'BAD_USER_INPUT'): Body {
  return json({ errors: [{ message, extensions: { code } }] })
}

/** Without one, or with an empty one, a request is for whoever it was sent to. */
function isHost(host: string | undefined): boolean {
  return host === undefined || host === '' || (!/[/?#@\\\s]/.test(host) && URL.canParse(`http://${host}`))
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/(graphql\+)?json\s*(;|$)/i.test(contentType ?? '')
}

/** As a browser on this machine would write it: an address that means "all of them" is no place to go to. */
function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
