import { TOKEN } from './server-process.ts'

/** What a request brought: data, or the reason why nobody knows whether it was carried out. */
export type Reply = { data: Record<string, unknown> } | { lost: string }

/**
 * Asks a server; never rejects for want of one, or of its database. An answer with other errors is thrown: nothing that
 * these tests ask for may bring one.
 */
export async function ask(url: string | null, query: string, variables: Record<string, unknown> = {}): Promise<Reply> {
  if (url === null) return { lost: 'no server' }
  let body: { data?: Record<string, unknown> | null; errors?: { message: string }[] }
  try {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(10_000),
    })
    body = await response.json()
  } catch (error) {
    return { lost: String(error) }
  }
  const away = body.errors?.find(({ message }) => message.startsWith("The server's database does not answer"))
  if (away !== undefined) return { lost: away.message }
  if (body.errors !== undefined || body.data == null) throw new Error(`${query}: ${JSON.stringify(body)}`)
  return { data: body.data }
}

/** Asks until there is an answer, from whichever server is there then. */
export async function askUntilAnswered(
  where: () => string | null,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  for (;;) {
    const reply = await ask(where(), query, variables)
    if ('data' in reply) return reply.data
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}
