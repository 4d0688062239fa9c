import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type SubscriptionArgs,
  subscribe,
} from 'graphql'
import { operationRefusal } from './access.ts'
import type { GraphqlContext } from './context.ts'
import { maskError } from './request-errors.ts'
import { rowRefusal } from './row-limit.ts'

type ApiExecutionArgs = ExecutionArgs & { contextValue: GraphqlContext }
type ApiSubscriptionArgs = SubscriptionArgs & { contextValue: GraphqlContext }

/**
 * Executes a query or mutation as graphql-js does, after checking that the caller may and does not ask for too much, and with
 * faults masked. Give it
 * to every transport as its `execute`.
 */
export async function executeOperation(args: ApiExecutionArgs): Promise<ExecutionResult> {
  const refusal = refusalOf(args)
  if (refusal !== null) return { errors: [refusal] }
  return masked(await execute(args), args.contextValue)
}

/** The same for a subscription: a transport's `subscribe`. Its events have their faults masked too. */
export async function subscribeOperation(
  args: ApiSubscriptionArgs,
): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>> {
  const refusal = refusalOf(args)
  if (refusal !== null) return { errors: [refusal] }
  const started = await subscribe(args)
  if (!(Symbol.asyncIterator in started)) return masked(started, args.contextValue)
  const { contextValue } = args
  const events: AsyncIterableIterator<ExecutionResult> = {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      const { done, value } = await started.next()
      return done ? { done: true, value: undefined } : { done: false, value: masked(value, contextValue) }
    },
    return: async () => (await started.return?.()) ?? { done: true, value: undefined },
  }
  return events
}

function refusalOf({
  schema,
  document,
  operationName = null,
  variableValues,
  contextValue,
}: ApiExecutionArgs): GraphQLError | null {
  return (
    operationRefusal(schema, { document, operationName, role: contextValue.role }) ??
    rowRefusal(schema, { document, operationName, variables: variableValues ?? {} })
  )
}

function masked(result: ExecutionResult, { onFault }: GraphqlContext): ExecutionResult {
  if (result.errors === undefined) return result
  return { ...result, errors: result.errors.map((error) => maskError(error, onFault)) }
}
