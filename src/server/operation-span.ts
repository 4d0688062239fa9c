import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { type ExecutionArgs, getOperationAST } from 'graphql'

/** Longest name of an operation that a span tells: clients choose it. */
const NAME_MAX = 100

/** Runs what a request asks for under the trace that it came with, if any. */
export function underTraceOf<T>(headers: Record<string, unknown>, run: () => T): T {
  return context.with(propagation.extract(ROOT_CONTEXT, headers), run)
}

/**
 * Executes an operation within a span that says its type and name, and nothing of its document or variables. For a
 * subscription the span is of its beginning.
 */
export function inOperationSpan<T extends object>(
  { document, operationName }: Pick<ExecutionArgs, 'document' | 'operationName'>,
  execute: () => Promise<T>,
): Promise<T> {
  const operation = getOperationAST(document, operationName)
  const type = operation?.operation ?? 'operation'
  const name = operation?.name?.value.slice(0, NAME_MAX)
  const options: SpanOptions = {
    kind: SpanKind.SERVER,
    attributes: { 'graphql.operation.type': type, ...(name === undefined ? {} : { 'graphql.operation.name': name }) },
  }
  const title = name === undefined ? type : `${type} ${name}`
  return trace.getTracer('cuelight').startActiveSpan(title, options, async (span) => {
    try {
      const result = await execute()
      if ('errors' in result && result.errors !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
      return result
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}
