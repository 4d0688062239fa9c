import type pg from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'

const CONNECT_TIMEOUT_MS = 10_000

/**
 * What pg needs to connect to `url`, in parts, with settings for the session (`-c name=value`) after those that the
 * URL's own `options` hold. Throws a sentence when it is no connection string.
 */
export function connectionOf(url: string, { name, session }: { name: string; session: string[] }): pg.ClientConfig {
  if (shown(url) === null) throw databaseFault(url, null)
  const config = parseIntoClientConfig(url)
  return {
    ...config,
    options: [...(config.options === undefined ? [] : [config.options]), ...session].join(' '),
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  }
}

/** The connection string as it may be shown: without its password. Null: it is none. */
function shown(url: string): string | null {
  try {
    const { protocol, username, host, pathname } = new URL(url)
    if (protocol !== 'postgres:' && protocol !== 'postgresql:') return null
    return `${username === '' ? '' : `${username}@`}${host}${pathname}`
  } catch {
    return null
  }
}

/** Why the database cannot be used, as one sentence for who set DATABASE_URL; its password is left out. */
export function databaseFault(url: string, cause: unknown): Error {
  const target = shown(url)
  if (target === null) {
    return new Error('DATABASE_URL is not a connection string: write postgresql://user:password@host:5432/database.')
  }
  return new Error(`DATABASE_URL (${target}) cannot be used: ${reasonFor(cause)}`, { cause })
}

function reasonFor(cause: unknown): string {
  // Several addresses of one name that all failed come as one error that holds theirs.
  const [error] = cause instanceof AggregateError ? cause.errors : [cause]
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const said = error instanceof Error ? error.message : String(error)
  const advice = ADVICE[code] ?? 'Check the address, the database and its log.'
  return `${said}. ${advice}`
}

const ADVICE: Record<string, string> = {
  ECONNREFUSED: 'Nothing listens there: start PostgreSQL, or correct the host and port.',
  ENOTFOUND: 'There is no such host: correct its name.',
  EAI_AGAIN: 'The name of the host cannot be looked up now: check the network, or use its address.',
  ETIMEDOUT: 'The host does not answer: check the address and the firewall between.',
  '28P01': 'Correct the user or the password.',
  '28000': 'Allow this user and address in pg_hba.conf, or correct the user.',
  '3D000': 'Create the database, or correct its name.',
  '53300': 'PostgreSQL has no connection left: raise its max_connections, or stop something else.',
  '57P03': 'It is starting or stopping: try again in a moment.',
}
