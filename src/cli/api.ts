import { z } from 'zod'
import { isObject } from '../domain/plain-object.ts'
import { inputProblem } from '../graphql/input-problem.ts'
import type { ClientConfig } from './config.ts'
import { CommandFailure, EXIT, wrongUsage } from './failure.ts'

/** Longest that a command waits for an answer; publishing verifies, which may take half of it. */
const ANSWER_MS = 60_000

type Variables = Record<string, unknown>
type Question<T> = { document: string; variables?: Variables; shape: z.ZodType<T> }

/**
 * Sends an operation to a server and answers its data. Throws a CommandFailure for whoever typed the command: that there
 * is no server, that the token is not taken, or what the server said.
 */
export async function askApi<T>(config: ClientConfig, { document, variables = {}, shape }: Question<T>): Promise<T> {
  const { url } = config
  const response = await fetch(new URL('graphql', url.endsWith('/') ? url : `${url}/`), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokenOf(config)}` },
    body: JSON.stringify({ query: document, variables }),
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'TimeoutError') throw unreachable(url, causeOf(error))
    throw failed(
      `The server at ${url} did not answer within ${ANSWER_MS / 1000} s; it may have done it all the same: look before you try again.`,
    )
  })
  const answer: unknown = await response.json().catch(() => null)
  if (!isObject(answer) || (answer.data === undefined && answer.errors === undefined)) {
    throw failed(`What answers at ${url} is no Cuelight (status ${response.status}); correct --url or CUELIGHT_URL.`)
  }
  if (answer.errors !== undefined) throw refusalOf(answer.errors)
  return understood(config, shape, answer.data)
}

type Mutation<T> = {
  /** The field: `startRun`. */
  name: string
  input: Variables
  /** Where the input's type is not called like the field. */
  inputType?: string
  /** What to select of the payload, and its shape. */
  payload: string
  shape: z.ZodType<T>
}

/**
 * Does one mutation and answers its payload. Throws a CommandFailure where the server answers one of the expected
 * errors, with what it said.
 */
export async function mutate<T>(config: ClientConfig, mutation: Mutation<T>): Promise<T> {
  const { name, input, payload, shape } = mutation
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  const document = `mutation ($input: ${mutation.inputType ?? `${type}Input`}!) { ${name}(input: $input) {
    __typename
    ... on ${type}Payload ${payload}
    ... on ConflictError {
      currentRun { id status allowedControls } currentStep { id status } currentDefinition { id slug state updatedAt }
      lastControl { action at actor { name } }
    }
    ... on InvalidInputError { issues { path message } }
    ... on Error { code message }
  } }`
  const answer = await askApi(config, { document, variables: { input }, shape: z.record(z.string(), z.unknown()) })
  const refused = Expected.safeParse(answer[name])
  if (!refused.success) return understood(config, shape, answer[name])
  const { code, __typename: _typename, message: _message, ...detail } = refused.data
  const exit = code === 'NOT_FOUND' ? EXIT.NOT_FOUND : EXIT.REFUSED
  throw new CommandFailure(messageOf(refused.data), { exit, code, detail })
}

function understood<T>({ url }: ClientConfig, shape: z.ZodType<T>, answer: unknown): T {
  const parsed = shape.safeParse(answer)
  if (parsed.success) return parsed.data
  throw failed(
    `The server at ${url} does not answer as this command expects; use the command line of the server's version.`,
  )
}

const Issues = z.array(z.object({ path: z.string(), message: z.string() }))
const Expected = z.looseObject({
  __typename: z.enum(['ConflictError', 'InvalidInputError', 'NotFoundError']),
  code: z.string(),
  message: z.string(),
  issues: Issues.optional(),
})

function messageOf({ message, issues = [] }: z.infer<typeof Expected>): string {
  if (issues.length === 0) return message
  return issues.map((issue) => (issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`)).join('\n')
}

/** The token that was given; throws the sentence that asks for one. */
export function tokenOf({ token }: ClientConfig): string {
  if (token !== null) return token
  throw wrongUsage(
    'A token is needed: give it as --token or in CUELIGHT_TOKEN. The first start of a server prints one.',
  )
}

export function unreachable(url: string, why: string): CommandFailure {
  return new CommandFailure(
    `The server at ${url} cannot be reached (${why}). Start it, or give its address as --url or in CUELIGHT_URL.`,
    { exit: EXIT.UNEXPECTED, code: 'UNREACHABLE' },
  )
}

export function wrongToken(): CommandFailure {
  const message = 'The server does not take this token; give another as --token or in CUELIGHT_TOKEN.'
  return new CommandFailure(message, { exit: EXIT.REFUSED, code: 'UNAUTHENTICATED' })
}

/** What the server says in `errors`: over HTTP, and in a subscription. */
export function refusalOf(errors: unknown): CommandFailure {
  const [first, ...others] = Errors.safeParse(errors).data ?? []
  if (first === undefined) return failed('The server refused without saying why; look into its log.')
  const code = first.extensions?.code ?? 'UNEXPECTED'
  if (code === 'UNAUTHENTICATED') return wrongToken()
  const messages = [first, ...others].map((error) => error.message)
  const said = messages.map(sayInput).join('\n')
  const detail = said === messages[0] ? {} : { messages }
  return new CommandFailure(said, { exit: EXITS[code] ?? EXIT.UNEXPECTED, code, detail })
}

const Errors = z.array(
  z.object({ message: z.string(), extensions: z.object({ code: z.string().optional() }).optional() }),
)

const EXITS: Readonly<Record<string, 3 | 4>> = {
  FORBIDDEN: EXIT.REFUSED,
  BAD_USER_INPUT: EXIT.REFUSED,
  TOO_COMPLEX: EXIT.REFUSED,
  NOT_FOUND: EXIT.NOT_FOUND,
}

/** What does not fit an input is told with its path, and in words that need no knowledge of GraphQL. */
function sayInput(message: string): string {
  const problem = inputProblem(message)
  if (problem === null) return message
  return problem.path === '' ? problem.message : `${problem.path}: ${problem.message}`
}

function failed(message: string): CommandFailure {
  return new CommandFailure(message, { exit: EXIT.UNEXPECTED, code: 'UNEXPECTED' })
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (isObject(cause) && typeof cause.code === 'string') return cause.code
  return cause instanceof Error ? cause.message : String(cause)
}
