import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type SubscriptionArgs,
} from 'graphql'
import { isDatabaseAway } from '../store/faults.ts'
import { operationRefusal } from './access.ts'
import { answerRefusal, beginAnswer } from './answer-size.ts'
import type { GraphqlContext } from './context.ts'
import { badUserInput, maskError } from './request-errors.ts'
import { rowRefusal } from './row-limit.ts'
import { BoardSource } from './subscriptions/board.ts'
import { shown } from './subscriptions/events.ts'
import { onceBack } from './subscriptions/once-back.ts'
import type { Outlet } from './subscriptions/outlet.ts'
import { Replayable } from './subscriptions/replayable.ts'
import type { SharedSubscriptions } from './subscriptions/shared.ts'

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

/** What connects a subscription to others like it. */
type Sharing = { shared: SharedSubscriptions; outlet: Outlet }

/**
 * The same for a subscription: a transport's `subscribe`. Its events have their faults masked too. Where the transport
 * can share, a subscription puts its events into the outlet, and the iterator tells of its end alone.
 */
export async function subscribeOperation(
  args: ApiSubscriptionArgs,
  sharing?: Sharing,
): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>> {
  const { contextValue } = args
  const refusal = refusalOf(args)
  if (refusal !== null) return { errors: [refusal] }
  const source = await sourceOf(args)
  if (!(Symbol.asyncIterator in source)) return masked(source, contextValue)
  return (sharing === undefined ? null : join(source, args, sharing)) ?? resultsOf(source, args)
}

/** graphql-js throws where no field of the subscription is left, which would end the whole socket. */
async function sourceOf(args: ApiSubscriptionArgs): Promise<AsyncIterable<unknown> | ExecutionResult> {
  try {
    return await createSourceEventStream(args)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return {
      errors: [badUserInput('The subscription selects no field: name the one to follow, and skip it in no case.')],
    }
  }
}

const show = async (event: unknown, args: ApiSubscriptionArgs): Promise<ExecutionResult> =>
  masked(await execute({ ...args, rootValue: event }), args.contextValue)

/** The same; throws what kept it from being shown where that is a database that is away. */
async function showOrThrow(event: unknown, args: ApiSubscriptionArgs): Promise<ExecutionResult> {
  const result = await execute({ ...args, rootValue: event })
  const away = result.errors?.find(({ originalError }) => isDatabaseAway(originalError))?.originalError
  if (away !== undefined) throw away
  return masked(result, args.contextValue)
}

/** Null: it is a source that cannot be shared. */
function join(source: AsyncIterable<unknown>, args: ApiSubscriptionArgs, { shared, outlet }: Sharing) {
  const { document, operationName, variableValues, contextValue } = args
  const { role } = contextValue
  // What is shown to all is shown to nobody in particular: what depends on who asks would be wrong, and so it fails.
  const forAll: ApiSubscriptionArgs = {
    ...args,
    contextValue: { ...contextValue, actor: null },
  }
  const sameness = { document, operationName, variables: variableValues ?? {}, role }
  if (source instanceof Replayable)
    return shared.join(source.log, { sameness, execute: (event) => show(event, forAll), outlet })
  if (!(source instanceof BoardSource)) return null
  return shared.joinBoard(source.board, { sameness, execute: (event) => showOrThrow(event, forAll), outlet })
}

/**
 * A source's events as results, each made when it is asked for, and one at a time. A source tells of a change once: where
 * the database is away when an event is shown, it is shown when the database is back, and no error in its place.
 */
function resultsOf(source: AsyncIterable<unknown>, args: ApiSubscriptionArgs): AsyncIterableIterator<ExecutionResult> {
  const events = source[Symbol.asyncIterator]()
  let parts: AsyncGenerator<{ result: ExecutionResult }, void, undefined> | null = null
  let isOver = false
  const shownInTime = async (event: unknown): Promise<ExecutionResult> => {
    let isTold = false
    const result = await onceBack(() => showOrThrow(event, args), {
      isWanted: () => !isOver,
      onAway(error) {
        if (!isTold) args.contextValue.onOutage(error)
        isTold = true
      },
    })
    // Without one nobody takes it any more.
    return result ?? { data: null }
  }
  const advance = async (): Promise<IteratorResult<ExecutionResult, undefined>> => {
    for (;;) {
      const part = await parts?.next()
      if (part?.done === false) return { done: false, value: part.value.result }
      const { done, value } = await events.next()
      if (done) return { done: true, value: undefined }
      if (source instanceof Replayable) {
        parts = shown(value, source.log, shownInTime)
        continue
      }
      const result = await shownInTime(value)
      return isOver ? { done: true, value: undefined } : { done: false, value: result }
    }
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next() {
      const result = last.then(advance).catch(async (error: unknown) => {
        await events.return?.()
        throw error
      })
      last = result.catch(() => {})
      return result
    },
    async return() {
      isOver = true
      await events.return?.()
      return { done: true, value: undefined }
    },
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
  const known = new Map<string, string>()
  return { ...result, errors: result.errors.map((error) => maskError(error, onFault, known)) }
}
