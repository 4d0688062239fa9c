import { type ExecutionArgs, GraphQLError, getOperationAST } from 'graphql'
import type { ControlContext } from '../controls/context.ts'
import type { GraphqlContext } from '../graphql/context.ts'
import { executeOperation, subscribeOperation } from '../graphql/execute.ts'
import { complexityRule, parseDocument } from '../graphql/limits.ts'
import { maskError, tooMuchAsked } from '../graphql/request-errors.ts'
import { schema } from '../graphql/schema.ts'
import { SharedSubscriptions } from '../graphql/subscriptions/shared.ts'
import type { Registry } from '../modules/registry.ts'
import { NoTurn, Turns } from '../store/turns.ts'
import type { Api } from './graphql-endpoint.ts'
import type { Logger } from './logger.ts'
import { inOperationSpan } from './operation-span.ts'

/**
 * Queries go on two at a time, which keeps the one thread busy: more would keep each other, what controls, and the starts
 * of runs waiting for it. One that takes long waits for PostgreSQL, and lets others begin, fewer than the API has
 * connections. A query waits for its turn for half a minute at most.
 */
const QUERIES = { atOnce: 2, slow: { after: 500, most: 8 }, patience: 30_000 }

/** The API on top of this server's parts; faults go to the log, under the id that the client gets. */
export function createApi({
  control,
  registry,
  publicUrl,
  log,
}: {
  control: ControlContext
  registry: Registry
  publicUrl: string | null
  log: Logger
}): Api {
  const onFault = ({ id, error }: { id: string; error: unknown }) => {
    log.error({ err: error, id }, 'an operation met a fault; the client was told this id')
  }
  const onOutage = (error: unknown) => {
    log.error({ err: error }, 'a subscription cannot look for changes; it goes on trying')
  }
  const shared = new SharedSubscriptions()
  const queries = new Turns(QUERIES)
  return {
    schema,
    contextFor: (caller) => ({
      actor: caller?.actor ?? null,
      role: caller?.role ?? null,
      control,
      registry,
      publicUrl,
      onFault,
      onOutage,
    }),
    execute: (args) =>
      inOperationSpan(args, async () => {
        const contextValue = contextOf(args.contextValue)
        const work = () => executeOperation({ ...args, contextValue })
        if (!isQuery(args)) return work()
        const { actor } = contextValue
        try {
          return await queries.take(`${actor?.kind} ${actor?.name}`, work)
        } catch (error) {
          if (error instanceof NoTurn) return { errors: [tooMuchAsked()] }
          throw error
        }
      }),
    subscribe: (args) =>
      inOperationSpan(args, () => subscribeOperation({ ...args, contextValue: contextOf(args.contextValue) })),
    subscribeInto: (args, outlet) =>
      inOperationSpan(args, () =>
        subscribeOperation({ ...args, contextValue: contextOf(args.contextValue) }, { shared, outlet }),
      ),
    parseDocument,
    validationRules: [complexityRule],
    maskError: (error) => maskError(error instanceof GraphQLError ? error : wrapped(error), onFault),
  }
}

const isQuery = ({ document, operationName }: ExecutionArgs) =>
  getOperationAST(document, operationName)?.operation === 'query'

/** The transports hand on what `contextFor` made, with parts of their own beside it. */
function contextOf(value: unknown): GraphqlContext {
  if (!isGraphqlContext(value)) throw new Error('An operation came without the context that was made for it.')
  return value
}

const isGraphqlContext = (value: unknown): value is GraphqlContext =>
  typeof value === 'object' && value !== null && 'control' in value && 'registry' in value && 'onFault' in value

function wrapped(error: unknown): GraphQLError {
  return new GraphQLError('A fault.', { originalError: error instanceof Error ? error : new Error(String(error)) })
}
