import { wrongUsage } from './failure.ts'

/** Where the client commands find a server, and how they prove who they are. */
export type ClientConfig = { url: string; token: string | null }

type Environment = Readonly<Record<string, string | undefined>>

const DEFAULT_URL = 'http://127.0.0.1:4000'

/**
 * `--url` and `--token`, or CUELIGHT_URL and CUELIGHT_TOKEN where they are not given. The only place of the client
 * commands that reads the environment. An address may end
 * in `/graphql`, which is taken off. Throws a CommandFailure with a sentence when it is none, or when no header can hold the token.
 */
export function readClientConfig(
  flags: { url?: string | undefined; token?: string | undefined },
  env: Environment = process.env,
): ClientConfig {
  const given = flags.url ?? (env.CUELIGHT_URL?.trim() || DEFAULT_URL)
  const name = flags.url === undefined ? 'CUELIGHT_URL' : '--url'
  const url = URL.canParse(given) ? new URL(given) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw wrongUsage(`${name} is ${JSON.stringify(given)}; it may be the server's address, like ${DEFAULT_URL}.`)
  }
  // Not shown: it may hold a password.
  if (url.username + url.password + url.search + url.hash !== '') {
    throw wrongUsage(
      `${name} may hold no user, password, query or fragment; give the server's address alone, like ${DEFAULT_URL}, and the token as --token or in CUELIGHT_TOKEN.`,
    )
  }
  // The address of the API is what a client library is given.
  return {
    url: given.replace(/\/graphql\/?$/, ''),
    token: readToken(flags.token ?? (env.CUELIGHT_TOKEN?.trim() || null)),
  }
}

// What a header cannot hold would be quoted by who refuses it.
function readToken(token: string | null): string | null {
  if (token === null || /^[\x21-\x7e]+$/.test(token)) return token
  throw wrongUsage(
    'The token (--token or CUELIGHT_TOKEN) may be printable ASCII characters without spaces; see that it was copied whole and alone.',
  )
}
