import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type SubscriptionArgs,
  subscribe,
} from 'graphql'
import { operationRefusal } from './access.ts'
import { answerRefusal, beginAnswer } from './answer-size.ts'
import type { GraphqlContext } from './context.ts'
import { badUserInput, maskError } from './request-errors.ts'
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
  beginAnswer(args.contextValue)
  const result = await execute(args)
  const tooLarge = answerRefusal(args.contextValue)
  return tooLarge === null ? masked(result, args.contextValue) : { errors: [tooLarge] }
}

/** The same for a subscription: a transport's `subscribe`. Its events have their faults masked too. */
export async function subscribeOperation(
  args: ApiSubscriptionArgs,
): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>> {
  const refusal = refusalOf(args)
  if (refusal !== null) return { errors: [refusal] }
  const started = await begin(args)
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

/** graphql-js throws where no field of the subscription is left, which would end the whole socket. */
async function begin(args: ApiSubscriptionArgs): ReturnType<typeof subscribe> {
  try {
    return await subscribe(args)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return {
      errors: [badUserInput('The subscription selects no field: name the one to follow, and skip it in no case.')],
    }
  }
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
    rowRefusal(schema, {
      document,
      operationName,
      variables: withDefaults(schema, { document, operationName, variableValues }),
    })
  )
}

/** The variables as execution will see them, defaults included; as given where they do not fit, which execution refuses. */
function withDefaults(
  schema: GraphQLSchema,
  { document, operationName, variableValues }: Pick<ApiExecutionArgs, 'document' | 'operationName' | 'variableValues'>,
): { readonly [name: string]: unknown } {
  const given = variableValues ?? {}
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? []
  return getVariableValues(schema, definitions, given).coerced ?? given
}

function masked(result: ExecutionResult, { onFault }: GraphqlContext): ExecutionResult {
  if (result.errors === undefined) return result
  return { ...result, errors: result.errors.map((error) => maskError(error, onFault)) }
}
