import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  type Source,
  type ValidationRule,
} from 'graphql'
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga'
import type { Authenticate, Caller } from './authenticate.ts'

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
  /** Reads a document; throws a GraphQLError when it is none. The specification's parser when there is none. */
  parseDocument?(source: string | Source): DocumentNode
  /** Applied to every document besides the specification's rules. */
  validationRules?: readonly ValidationRule[]
  /** Turns an unexpected error into one that tells a client nothing but an id; others come back as they are. */
  maskError(error: unknown): GraphQLError
}

/** What a socket passes in place of a request: it was authenticated when it connected. */
type ServerContext = { caller?: Caller }
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
  const engine: Plugin = {
    onExecute({ setExecuteFn }) {
      if (api.execute !== undefined) setExecuteFn(api.execute)
    },
    onSubscribe({ setSubscribeFn }) {
      if (api.subscribe !== undefined) setSubscribeFn(api.subscribe)
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
      setResult({ ...result, errors: result.errors.map((error) => api.maskError(error)) })
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
    async context({ request, caller }) {
      if (caller !== undefined) return api.contextFor(caller)
      const authentication = await authenticate(request.headers.get('authorization'))
      if (authentication.kind === 'refused') throw wrongToken()
      return api.contextFor(authentication.kind === 'caller' ? authentication.caller : null)
    },
  })
}

function wrongToken(): GraphQLError {
  return new GraphQLError(
    'The Authorization header holds no valid token; it may be "Bearer <token>". Ask an admin of this server for one, or leave the header out to see what anyone may.',
    { extensions: { code: 'UNAUTHENTICATED', http: { status: 401, headers: { 'www-authenticate': 'Bearer' } } } },
  )
}
