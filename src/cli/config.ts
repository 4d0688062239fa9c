import { wrongUsage } from './failure.ts'

/** Where the client commands find a server, and how they prove who they are. */
export type ClientConfig = { url: string; token: string | null }

type Environment = Readonly<Record<string, string | undefined>>

const DEFAULT_URL = 'http://127.0.0.1:4000'

/**
 * `--url` and `--token`, or CUELIGHT_URL and CUELIGHT_TOKEN where they are not given. The only place of the client
 * commands that reads the environment. Throws a CommandFailure with a sentence when the address is none.
 */
export function readClientConfig(
  flags: { url?: string | undefined; token?: string | undefined },
  env: Environment = process.env,
): ClientConfig {
  const url = flags.url ?? (env.CUELIGHT_URL?.trim() || DEFAULT_URL)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    const name = flags.url === undefined ? 'CUELIGHT_URL' : '--url'
    throw wrongUsage(`${name} is ${JSON.stringify(url)}; it may be the server's address, like ${DEFAULT_URL}.`)
  }
  return { url, token: readToken(flags.token ?? (env.CUELIGHT_TOKEN?.trim() || null)) }
}

// What a header cannot hold would be quoted by who refuses it.
function readToken(token: string | null): string | null {
  if (token === null || /^[\x21-\x7e]+$/.test(token)) return token
  throw new Error(
    'The token (--token or CUELIGHT_TOKEN) may be printable ASCII characters without spaces; see that it was copied whole and alone.',
  )
}
