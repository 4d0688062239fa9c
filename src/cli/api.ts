import { isObject } from '../domain/plain-object.ts'
import type { ClientConfig } from './config.ts'

/** Longest that a command waits for an answer. */
const ANSWER_MS = 30_000

/**
 * Sends an operation to a server and answers its data. Throws an Error with a sentence for whoever typed the command:
 * that there is no server, that the token is not taken, or what the server said.
 */
export async function askApi(
  { url, token }: ClientConfig,
  query: string,
  variables: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  if (token === null) {
    throw new Error(
      'A token is needed: give it as --token or in CUELIGHT_TOKEN. The first start of a server prints one.',
    )
  }
  const response = await fetch(new URL('graphql', url.endsWith('/') ? url : `${url}/`), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch((error: unknown) => {
    throw new Error(
      `The server at ${url} cannot be reached (${causeOf(error)}). Start it, or give its address as --url or in CUELIGHT_URL.`,
    )
  })
  const answer: unknown = await response.json().catch(() => null)
  if (!isObject(answer)) {
    throw new Error(`What answers at ${url} is no Cuelight (status ${response.status}); correct --url or CUELIGHT_URL.`)
  }
  const [error]: unknown[] = Array.isArray(answer.errors) ? answer.errors : []
  if (isObject(error)) throw new Error(response.status === 401 ? WRONG_TOKEN : String(error.message))
  return isObject(answer.data) ? answer.data : {}
}

const WRONG_TOKEN = 'The server does not take this token; give another as --token or in CUELIGHT_TOKEN.'

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (isObject(cause) && typeof cause.code === 'string') return cause.code
  return cause instanceof Error ? cause.message : String(cause)
}
