import { ServerResponse } from 'node:http'
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  type Source,
  type ValidationRule,
} from 'graphql'
import { createYoga, type GraphQLParams, type Plugin, type YogaServerInstance } from 'graphql-yoga'
import type { Outlet } from '../graphql/subscriptions/outlet.ts'
import { accepts, EVENT_STREAM } from './accept.ts'
import type { Authenticate, Caller, Credential } from './authenticate.ts'
import { EventStreamOutlet } from './event-stream-outlet.ts'

/** Where GraphQL answers: over HTTP, server-sent events and WebSocket. */
export const GRAPHQL_PATH = '/graphql'

/** Longest request body, and longest message of a socket. */
export const MAX_BODY_BYTES = 1024 * 1024

/** What the endpoint needs of the API. */
export type Api = {
  schema: GraphQLSchema
  /** The context that the API's resolvers see; `caller` is null for one without a token. */
  contextFor(caller: Caller | null): Record<string, unknown>
  /** Run an operation with the context that `contextFor` made; the specification's own when there are none. */
  execute?(args: ExecutionArgs): Promise<ExecutionResult>
  subscribe?(args: ExecutionArgs): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>>
  /** The same for who can take events as bytes: those that many ask for alike come there, and not from the iterator. */
  subscribeInto?(args: ExecutionArgs, outlet: Outlet): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>>
  /** Reads a document; throws a GraphQLError when it is none. The specification's parser when there is none. */
  parseDocument?(source: string | Source): DocumentNode
  /** Applied to every document besides the specification's rules. */
  validationRules?: readonly ValidationRule[]
  /** Turns an unexpected error into one that tells a client nothing but an id; others come back as they are. */
  maskError(error: unknown): GraphQLError
}

/** Who asks; null without a token. A socket passes it, having been authenticated when it connected; requests are before they are read. */
type ServerContext = {
  caller?: Caller | null
  /** Told who sends a request, null without a token, before the request is read. False: too many of theirs are being answered. */
  admit?(caller: Caller | null, credential: Credential | undefined): boolean
}
export type GraphqlEndpoint = YogaServerInstance<ServerContext, Record<string, unknown>>

/** The same parsing, validation, context, execution and masking for every transport. */
export function createGraphqlEndpoint({
  api,
  authenticate,
  allowedOrigins,
}: {
  api: Api
  authenticate: Authenticate
  allowedOrigins: readonly string[]
}): GraphqlEndpoint {
  const engine: Plugin<Record<string, unknown>, ServerContext> = {
    // Before anything else of a request is looked at: who has a wrong token learns that, and nothing more.
    async onRequestParse({ request, serverContext, setRequestParser }) {
      const authentication = await authenticate(request.headers.get('authorization'))
      if (authentication.kind === 'refused') throw wrongToken()
      if (authentication.kind === 'unknown') throw unknownToken()
      const { caller = null, credential } = authentication.kind === 'caller' ? authentication : {}
      serverContext.caller = caller
      if (serverContext.admit?.(caller, credential) === false) throw tooManyRequests(caller)
      if (request.method === 'GET') setRequestParser(paramsInAddress)
    },
    onExecute({ setExecuteFn }) {
      if (api.execute !== undefined) setExecuteFn(api.execute)
    },
    onSubscribe({ args, setSubscribeFn }) {
      // There for a request over HTTP.
      const { res: response } = args.contextValue
      if (response instanceof ServerResponse && !accepts(response.req.headers.accept, [EVENT_STREAM]))
        setSubscribeFn(async () => ({ errors: [needsStream()] }))
      else if (response instanceof ServerResponse && api.subscribeInto !== undefined)
        setSubscribeFn(intoEventStream(api.subscribeInto, response))
      else if (api.subscribe !== undefined) setSubscribeFn(api.subscribe)
    },
    onParse({ setParseFn }) {
      if (api.parseDocument !== undefined) setParseFn(api.parseDocument)
    },
    onValidate({ addValidationRule }) {
      for (const rule of api.validationRules ?? []) addValidationRule(rule)
    },
    // The endpoint gives what it refuses itself codes of its own; the API promises others.
    onResultProcess({ result, setResult }) {
      if (!('errors' in result) || result.errors === undefined) return
      const errors = result.errors.map((error) => api.maskError(error))
      setResult({ ...result, errors: result.data === undefined ? errors.map(withStatus) : errors })
    },
  }
  return createYoga<ServerContext, Record<string, unknown>>({
    schema: api.schema,
    graphqlEndpoint: GRAPHQL_PATH,
    landingPage: false,
    // What goes wrong is logged by maskError, with the id that the client sees.
    logging: false,
    multipart: false,
    // It would keep every document that anybody sends, refused ones too: a way to fill the memory without a token.
    parserAndValidationCache: false,
    maxRequestBodySize: MAX_BODY_BYTES,
    maskedErrors: { maskError: (error) => api.maskError(error) },
    cors:
      allowedOrigins.length === 0
        ? false
        : { origin: [...allowedOrigins], methods: ['GET', 'POST', 'OPTIONS'], credentials: false, maxAge: 600 },
    graphiql: { title: 'Cuelight', headers: '{\n  "authorization": "Bearer YOUR_TOKEN"\n}' },
    async renderGraphiQL(options) {
      // Several megabytes, and no part of it comes from the network: loaded when somebody looks.
      const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
      return renderGraphiQL(options)
    },
    plugins: [engine],
    context: ({ caller }) => api.contextFor(caller ?? null),
  })
}

/** A `subscribe` whose events go into the response itself where they can be shared, and which ends with it in any case. */
function intoEventStream(subscribeInto: NonNullable<Api['subscribeInto']>, response: ServerResponse) {
  return async (args: ExecutionArgs) => {
    const outlet = new EventStreamOutlet(response)
    const begun = await subscribeInto(args, outlet)
    return Symbol.asyncIterator in begun ? outlet.through(begun) : begun
  }
}

function needsStream(): GraphQLError {
  return new GraphQLError(
    `A subscription is answered with a stream of events: send "accept: ${EVENT_STREAM}", or subscribe over WebSocket.`,
    { extensions: { code: 'BAD_USER_INPUT', http: { status: 406 } } },
  )
}

function wrongToken(): GraphQLError {
  return new GraphQLError(
    'The Authorization header holds no valid token; it may be "Bearer <token>". Ask an admin of this server for one, or leave the header out to see what anyone may.',
    { extensions: { code: 'UNAUTHENTICATED' } },
  )
}

function unknownToken(): GraphQLError {
  return new GraphQLError(
    'Tokens of the identity provider cannot be checked at the moment, as its keys cannot be read; try again in a moment.',
    { extensions: { code: 'INTERNAL_SERVER_ERROR', http: { status: 503, headers: { 'retry-after': '5' } } } },
  )
}

function tooManyRequests(caller: Caller | null): GraphQLError {
  return new GraphQLError(
    caller === null
      ? 'Too many requests without a token are being answered; try again in a moment, or send a token.'
      : 'Too many requests with this token are being answered; wait for some, or use another token.',
    { extensions: { code: 'TOO_MANY_REQUESTS' } },
  )
}

/** What a GET asks for. Throws a GraphQLError where a part that has to be JSON is none. */
function paramsInAddress(request: Request): GraphQLParams {
  const params = new URL(request.url, 'http://localhost').searchParams
  const jsonOf = (name: string): unknown => {
    const text = params.get(name)
    if (text === null || text === '') return undefined
    try {
      return JSON.parse(text)
    } catch {
      throw new GraphQLError(
        `"${name}" in the address is no JSON; it may be an object, like {"id": "…"}, with its characters escaped as in any address.`,
        { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } },
      )
    }
  }
  return {
    query: params.get('query') || undefined,
    operationName: params.get('operationName') || undefined,
    // What is JSON and no object is refused by name like that of a POST.
    variables: jsonOf('variables') as GraphQLParams['variables'],
    extensions: jsonOf('extensions') as GraphQLParams['extensions'],
  }
}

/** `spec`: only for clients that ask for `application/graphql-response+json`; others get 200, as they always did. */
type Http = { status: number; spec?: boolean; headers?: Record<string, string> }

/** How HTTP says what a code says, where nothing was executed. */
const HTTP_OF: Readonly<Record<string, Http>> = {
  UNAUTHENTICATED: { status: 401, headers: { 'www-authenticate': 'Bearer' } },
  FORBIDDEN: { status: 403, spec: true },
  BAD_USER_INPUT: { status: 400, spec: true },
  TOO_COMPLEX: { status: 400, spec: true },
  TOO_MANY_REQUESTS: { status: 429, headers: { 'retry-after': '1' } },
  INTERNAL_SERVER_ERROR: { status: 500, spec: true },
}

function withStatus(error: GraphQLError): GraphQLError {
  const { nodes, source, positions, path, extensions } = error
  const http = extensions.http ?? HTTP_OF[String(extensions.code)]
  const tooLarge = typeof http === 'object' && http !== null && 'status' in http && http.status === 413
  const message = tooLarge
    ? `A request may have at most ${MAX_BODY_BYTES} bytes (1 MiB), and this one has more; send less, or send it in parts.`
    : error.message
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions: { ...extensions, http },
  })
}
