import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { AnyVariables, Client, CombinedError } from '@urql/core'
import type { RefusalFragment } from '../../generated/console/documents.ts'
import { type InputProblem, inputProblem } from '../../graphql/input-problem.ts'

/** What became of something that a person wanted done. */
export type Outcome<Payload> =
  | { kind: 'done'; payload: Payload }
  /** The server changed nothing, and says why. */
  | { kind: 'refused'; refusal: RefusalFragment }
  /**
   * No answer came: it may or may not have been done. `isPassing`: the same may be answered another time. `misfits`: what
   * of the input the API's types do not take, by its path; none where it is something else.
   */
  | { kind: 'unknown'; message: string; isPassing: boolean; misfits: readonly InputProblem[] }

type Answer = { __typename: string }
type PayloadOf<Result> = Exclude<Result, { __typename: RefusalFragment['__typename'] }>

/** Does one mutation. Its document has one field, which answers a payload or one of the expected errors. */
export async function act<Data extends Record<string, Answer>, Variables extends AnyVariables>(
  client: Client,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Outcome<PayloadOf<Data[keyof Data]>>> {
  const { data, error } = await client.mutation(document, variables).toPromise()
  // Whatever the document asks for, the client has the type's name answered too.
  const answer = Object.entries(data ?? {}).find(([field]) => field !== '__typename')?.[1] as
    | Data[keyof Data]
    | undefined
  if (answer === undefined) {
    const misfits = (error?.graphQLErrors ?? []).flatMap(({ message }) => inputProblem(message) ?? [])
    return { kind: 'unknown', message: sentenceOf(error), isPassing: isPassing(error), misfits }
  }
  return isRefusal(answer) ? { kind: 'refused', refusal: answer } : { kind: 'done', payload: answer as never }
}

const REFUSALS: ReadonlySet<string> = new Set(['ConflictError', 'InvalidInputError', 'NotFoundError'])

const isRefusal = (answer: Answer): answer is RefusalFragment => REFUSALS.has(answer.__typename)

/** What the server has trouble with itself, where the same request may be answered later. */
const TROUBLE: ReadonlySet<unknown> = new Set(['INTERNAL_SERVER_ERROR', 'TOO_MANY_REQUESTS'])

const isPassing = (error: CombinedError | undefined): boolean =>
  (error?.graphQLErrors ?? []).every(({ extensions }) => TROUBLE.has(extensions.code))

/** Whether whoever is signed in may not have the answer: asking again in the same session changes nothing. */
export const isForbidden = (error: CombinedError): boolean =>
  error.graphQLErrors.some(({ extensions }) => extensions.code === 'FORBIDDEN')

/** Why the server gave no answer that can be used, for people. */
export function sentenceOf(error: CombinedError | null | undefined): string {
  if (error?.networkError !== undefined && error.networkError !== null) {
    return 'The server could not be reached. Look at the connection, and try again when it is back.'
  }
  return (
    error?.graphQLErrors.map(({ message }) => forPeople(message)).join(' ') || 'The server gave no answer; try again.'
  )
}

function forPeople(message: string): string {
  const misfit = inputProblem(message)
  return misfit === null ? message : [misfit.path, misfit.message].filter((part) => part !== '').join(': ')
}

/** A refusal for people: the sentence, or each problem where there are several. */
export function messageOf(refusal: RefusalFragment): string {
  if (refusal.__typename !== 'InvalidInputError' || refusal.issues.length === 0) return refusal.message
  return refusal.issues.map(({ message }) => message).join(' ')
}
