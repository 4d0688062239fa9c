import { randomUUID } from 'node:crypto'
import { GraphQLError } from 'graphql'

/** The request itself is wrong, in a way that a correct client never sends. */
export const badUserInput = (message: string) => new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })

/** A subscription is about something that is not there. */
export const nothingToFollow = (message: string) => new GraphQLError(message, { extensions: { code: 'NOT_FOUND' } })

/**
 * An error as a client may see it. What the client did wrong stays as it is and has a code; a fault becomes
 * INTERNAL_SERVER_ERROR with an id, under which `onFault` gets the whole of it for the log.
 */
export function maskError(error: GraphQLError, onFault: (fault: { id: string; error: unknown }) => void): GraphQLError {
  const cause = error.originalError
  if (cause instanceof GraphQLError && typeof cause.extensions.code === 'string') return error
  if (typeof error.extensions.code === 'string' && (cause === undefined || cause instanceof GraphQLError)) return error
  // Without a path nothing was resolved yet: it is the document or its variables; so are arguments of a field.
  if (cause === undefined) {
    return new GraphQLError(error.message, {
      nodes: error.nodes ?? null,
      source: error.source ?? null,
      positions: error.positions ?? null,
      path: error.path ?? null,
      extensions: { ...error.extensions, code: 'BAD_USER_INPUT' },
    })
  }
  const id = randomUUID()
  onFault({ id, error: cause })
  return new GraphQLError(`Something went wrong in the server; its log has it under ${id}.`, {
    nodes: error.nodes ?? null,
    path: error.path ?? null,
    extensions: { code: 'INTERNAL_SERVER_ERROR', id },
  })
}
