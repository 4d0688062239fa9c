import { randomUUID } from 'node:crypto'
import { GraphQLError } from 'graphql'
import { isDatabaseAway } from '../store/faults.ts'

/** The request itself is wrong, in a way that a correct client never sends. */
export const badUserInput = (message: string) => new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })

/** A subscription is about something that is not there. */
export const nothingToFollow = (message: string) => new GraphQLError(message, { extensions: { code: 'NOT_FOUND' } })

/** A subscriber reads so slowly that what it has yet to be told cannot be held any longer. */
export const tooFarBehind = () =>
  new GraphQLError(
    'Too much has changed since you last read; subscribe again to begin with what there is now, and read faster, or ask for less.',
    { extensions: { code: 'TOO_MANY_REQUESTS' } },
  )

/** So many queries wait that this one had no turn. */
export const tooMuchAsked = () =>
  new GraphQLError('The server has more queries to answer than it gets to; ask again in a moment, and fewer at once.', {
    extensions: { code: 'TOO_MANY_REQUESTS' },
  })

/** The codes of top-level errors that the API promises; what a transport adds of its own is not among them. */
const OUR_CODES: ReadonlySet<unknown> = new Set([
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'BAD_USER_INPUT',
  'NOT_FOUND',
  'TOO_COMPLEX',
  'TOO_MANY_REQUESTS',
  'INTERNAL_SERVER_ERROR',
])

/** All that graphql-js says where comparing the fields of one name with each other would take too long. */
const GAVE_UP = 'Validation aborted.'

/**
 * An error as a client may see it. What the client did wrong stays as it is and has a code; a fault becomes
 * INTERNAL_SERVER_ERROR with an id, under which `onFault` gets the whole of it for the log. `known`: the ids of faults that
 * were told of already, by what they say, for an answer whose fields all meet the same one.
 */
export function maskError(
  error: GraphQLError,
  onFault: (fault: { id: string; error: unknown }) => void,
  known = new Map<string, string>(),
): GraphQLError {
  const { nodes = null, source = null, positions = null, path } = error
  const cause = error.originalError
  const ofOurs = cause === undefined || cause instanceof GraphQLError
  if (ofOurs && OUR_CODES.has(error.extensions.code)) return error
  // What graphql-js itself throws blames the request: before anything is resolved, or at an argument in the document.
  // Where it cannot put a value into the answer, which is our fault, it throws without a place in the document.
  const blamesRequest = cause instanceof GraphQLError && (path === undefined || cause.nodes !== undefined)
  if (cause === undefined || blamesRequest) {
    const gaveUp = error.message === GAVE_UP
    const message = gaveUp
      ? 'The operation has too many fields of the same name in one place to be checked; split it.'
      : error.message
    const extensions = { ...error.extensions, code: gaveUp ? 'TOO_COMPLEX' : 'BAD_USER_INPUT' }
    return new GraphQLError(message, { nodes, source, positions, path: path ?? null, extensions })
  }
  const what = `${cause.name}: ${cause.message}`
  const id = known.get(what) ?? randomUUID()
  if (!known.has(what)) onFault({ id, error: cause })
  known.set(what, id)
  const message = isDatabaseAway(cause)
    ? `The server's database does not answer, or not in time. Try again in a moment; if you asked for a change, look first whether it was made. The server's log has it under ${id}.`
    : `Something went wrong in the server; its log has it under ${id}.`
  return new GraphQLError(message, {
    nodes,
    path: path ?? null,
    extensions: { code: 'INTERNAL_SERVER_ERROR', id },
  })
}
