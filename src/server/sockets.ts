import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { GraphQLError, type GraphQLFormattedError, getOperationAST } from 'graphql'
import { handleProtocols, makeServer } from 'graphql-ws'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Authenticate, Caller, Credential } from './authenticate.ts'
import { type Bounds, keyOf, Slots } from './bounds.ts'
import { converse } from './conversation.ts'
import { type Api, GRAPHQL_PATH, type GraphqlEndpoint, MAX_BODY_BYTES } from './graphql-endpoint.ts'
import type { Logger } from './logger.ts'
import type { SocketStats } from './metrics.ts'
import type { OpenCredentials } from './open-credentials.ts'
import { PeerSocket } from './peer-socket.ts'
import { type Operation, SocketOperations } from './socket-operations.ts'
import { SocketOutlet } from './socket-outlet.ts'

/** Close codes of graphql-transport-ws: clients do not retry after Unauthorized, and do after the others. */
const UNAUTHORIZED = 4401
const TRY_AGAIN_LATER = 1013
const GOING_AWAY = 1001

/** A reason has 123 bytes at most. */
const TOO_MANY_SOCKETS = 'Too many sockets are open with this token; close some, or use another token.'

/** How long a closing handshake may take when the server stops, or a token is over. */
const CLOSE_MS = 1000

type Extra = { socket: WebSocket; request: IncomingMessage; caller?: Caller | undefined; key?: string }
type Enveloped = ReturnType<GraphqlEndpoint['getEnveloped']>
/** An operation that may be begun: how, and where its events go. */
type Prepared = { enveloped: Enveloped; operation: Operation; outlet: SocketOutlet; id: string }

/**
 * GraphQL over WebSocket (graphql-transport-ws) on the endpoint's path. A browser page of another origin is refused
 * unless it is one of `allowedOrigins`; `connection_init` needs a valid token, in `connectionParams.authorization` or
 * the header, else the socket is closed with 4401, and so it is when the token is over; one too many with 1013. `close`
 * closes every socket with 1001 and takes no more.
 */
export function attachSockets(
  server: Server,
  {
    endpoint,
    api,
    authenticate,
    credentials,
    allowedOrigins,
    bounds,
    log,
  }: {
    endpoint: GraphqlEndpoint
    api: Pick<Api, 'maskError' | 'subscribeInto'>
    authenticate: Authenticate
    credentials: Pick<OpenCredentials, 'hold'>
    allowedOrigins: readonly string[]
    bounds: Bounds
    log: Logger
  },
): { close(): Promise<void>; stats(): SocketStats } {
  const sockets = new WebSocketServer({
    noServer: true,
    // What is sent through a socket must not wait for a compressor while events pass by it: see SocketOutlet.
    perMessageDeflate: false,
    maxPayload: MAX_BODY_BYTES,
    WebSocket: PeerSocket,
    handleProtocols,
  })
  const unproven = new Slots(bounds.unprovenSockets)
  /** Call one when its socket is proven. */
  const provers = new WeakMap<WebSocket, () => void>()
  const proven = new Slots(bounds.socketsOfCaller)
  const operations = new SocketOperations(bounds)
  const preparations = new WeakMap<object, Prepared>()
  const preparationOf = (args: object): Prepared => {
    const prepared = preparations.get(args)
    if (prepared === undefined) throw new Error('An operation that onSubscribe did not prepare.')
    return prepared
  }
  const outlets = new WeakMap<WebSocket, SocketOutlet>()

  const endWith = (credential: Credential, extra: Extra): void => {
    const { socket } = extra
    if (socket.readyState !== socket.OPEN) return
    const release = credentials.hold(credential, () => {
      // What still comes in is nobody's; a peer that does not answer the close is cut off.
      extra.caller = undefined
      socket.close(UNAUTHORIZED, 'The token was revoked or has expired')
      setTimeout(() => socket.terminate(), CLOSE_MS).unref()
    })
    socket.once('close', release)
  }

  const protocol = makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: bounds.init,
    async onConnect({ connectionParams, extra }) {
      try {
        const authentication = await authenticate(authorizationOf(connectionParams, extra.request))
        if (authentication.kind === 'caller') {
          extra.key = keyOf(authentication.caller, authentication.credential)
          const leave = proven.take(extra.key)
          if (leave === null) {
            extra.socket.close(TRY_AGAIN_LATER, TOO_MANY_SOCKETS)
            return false
          }
          extra.socket.once('close', leave)
          if (extra.socket.readyState !== extra.socket.OPEN) leave()
          provers.get(extra.socket)?.()
          extra.caller = authentication.caller
          if (authentication.credential !== undefined) endWith(authentication.credential, extra)
          return extra.caller !== undefined
        }
        if (authentication.kind === 'unknown') extra.socket.close(TRY_AGAIN_LATER, 'Try again later')
        else extra.socket.close(UNAUTHORIZED, 'Unauthorized')
      } catch (error) {
        log.error({ err: error }, 'a socket could not be authenticated')
        extra.socket.close(TRY_AGAIN_LATER, 'Try again later')
      }
      // The socket is closing with a code that says more; false keeps it from being acknowledged.
      return false
    },
    // Whatever is thrown from here would close the socket with 4500, and all other operations on it with it.
    async onSubscribe({ extra }, id, payload) {
      const operation = operations.begin(extra.socket, extra.key ?? '')
      if (typeof operation === 'string') return [tooManyOperations(operation)]
      try {
        const enveloped = endpoint.getEnveloped({ caller: extra.caller, params: payload })
        const args = {
          schema: enveloped.schema,
          document: enveloped.parse(payload.query),
          operationName: payload.operationName,
          variableValues: payload.variables,
        }
        const problems = enveloped.validate(args.schema, args.document)
        if (problems.length === 0 && !getOperationAST(args.document, args.operationName)) problems.push(NO_OPERATION)
        if (problems.length > 0) {
          operation.end()
          return problems
        }
        const prepared = { ...args, contextValue: await enveloped.contextFactory() }
        const outlet = outlets.get(extra.socket) ?? new SocketOutlet(extra.socket, extra.request.socket)
        outlets.set(extra.socket, outlet)
        preparations.set(prepared, { enveloped, operation, outlet, id })
        return prepared
      } catch (error) {
        operation.end()
        return [api.maskError(error)]
      }
    },
    execute(args) {
      const { enveloped, operation } = preparationOf(args)
      return operation.until(Promise.resolve(enveloped.execute(args)))
    },
    async subscribe(args) {
      const { enveloped, operation, outlet, id } = preparationOf(args)
      try {
        const into = outlet.operation(id)
        const begun = await (api.subscribeInto?.(args, into) ?? enveloped.subscribe(args))
        if (Symbol.asyncIterator in begun) return operation.through(outlet.paced(begun))
        operation.end()
        return begun
      } catch (error) {
        operation.end()
        throw error
      }
    },
    onError: (_context, _id, _payload, errors) => errors.map((error) => overSocket(api.maskError(error))),
  })
  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    // A peer that breaks the protocol is no fault of ours.
    socket.on('error', (error) => log.debug({ err: error }, 'a socket failed'))
    converse(protocol, socket, {
      extra: { socket, request },
      pingMs: bounds.ping,
      onFault: (error) => log.error({ err: error }, 'a message of a socket met a fault'),
    })
  })

  let closing = false
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const path = (request.url ?? '').split('?', 1)[0]
    if (closing) return refuse(socket, '503 Service Unavailable', 'The server is stopping.')
    if (path !== GRAPHQL_PATH) return refuse(socket, '404 Not Found', `WebSockets are at ${GRAPHQL_PATH}.`)
    if (!mayConnect(request, allowedOrigins)) {
      return refuse(
        socket,
        '403 Forbidden',
        'Pages of this origin may not connect; CUELIGHT_ALLOWED_ORIGINS names those that may.',
      )
    }
    const prove = unproven.take('')
    if (prove === null) {
      return refuse(
        socket,
        '503 Service Unavailable',
        'Too many sockets wait to prove their token; try again in a moment.',
      )
    }
    socket.once('close', prove)
    sockets.handleUpgrade(request, socket, head, (client) => {
      provers.set(client, prove)
      sockets.emit('connection', client, request)
    })
  })
  return {
    stats() {
      let subscribers = 0
      let unsentBytes = 0
      for (const socket of sockets.clients) {
        subscribers += outlets.get(socket)?.subscribers ?? 0
        unsentBytes += socket.bufferedAmount
      }
      return { subscribers, unsentBytes }
    },
    async close() {
      if (closing) return
      closing = true
      const impatience = setTimeout(() => {
        for (const client of sockets.clients) client.terminate()
      }, CLOSE_MS)
      for (const client of sockets.clients) client.close(GOING_AWAY, 'Going away')
      await new Promise<void>((resolve) => sockets.close(() => resolve()))
      clearTimeout(impatience)
    },
  }
}

const NO_OPERATION = new GraphQLError(
  'The document has no operation of this name, or has several and none is named: give its name in operationName.',
  { extensions: { code: 'BAD_USER_INPUT' } },
)

function authorizationOf(params: Record<string, unknown> | undefined, request: IncomingMessage): string | null {
  const given = params?.authorization ?? params?.Authorization ?? request.headers.authorization
  return typeof given === 'string' ? given : null
}

/** Programs send no Origin; a browser's is its page's, and it is ours when it is where the page came from. */
function mayConnect(request: IncomingMessage, allowedOrigins: readonly string[]): boolean {
  const { origin, host } = request.headers
  if (origin === undefined || allowedOrigins.includes(origin)) return true
  return URL.canParse(origin) && new URL(origin).host === host
}

function refuse(socket: Duplex, status: string, message: string): void {
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(message)}\r\n\r\n${message}`,
  )
}

/** Without what an error would say to HTTP. */
function overSocket(error: GraphQLError): GraphQLFormattedError {
  const { extensions: { http: _, ...extensions } = {}, ...told } = error.toJSON()
  return { ...told, extensions }
}

const tooManyOperations = (message: string) => new GraphQLError(message, { extensions: { code: 'TOO_MANY_REQUESTS' } })
