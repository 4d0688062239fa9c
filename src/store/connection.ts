import type pg from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'

const CONNECT_TIMEOUT_MS = 10_000
/** When a quiet connection is first asked by the network's own means whether the other end is still there. */
const KEEP_ALIVE_MS = 10_000

/**
 * What every session asks for. A frozen process must not hold rows that others wait for: PostgreSQL ends its transaction
 * after 5 s. A process whose machine or network is gone is noticed within 30 s, so that its locks are let go of; where
 * PostgreSQL's system lacks these, it ignores them.
 */
const EVERY_SESSION = [
  '-c idle_in_transaction_session_timeout=5000',
  '-c tcp_keepalives_idle=10',
  '-c tcp_keepalives_interval=5',
  '-c tcp_keepalives_count=4',
  '-c tcp_user_timeout=30000',
]

/**
 * What pg needs to connect to `url`, in parts, with settings for the session (`-c name=value`) after those that the
 * URL's own `options` hold and those of every session. Throws a sentence when it is no connection string.
 */
export function connectionOf(url: string, { name, session }: { name: string; session: string[] }): pg.ClientConfig {
  if (shown(url) === null) throw databaseFault(url, null)
  const config = parseIntoClientConfig(url)
  return {
    ...config,
    options: [...(config.options === undefined ? [] : [config.options]), ...EVERY_SESSION, ...session].join(' '),
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
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

/** What to do about a pooler that shares sessions out by transaction. */
export const POOLER_ADVICE =
  'Connect to PostgreSQL itself, or through a pooler in session mode that passes on the options of a connection.'

/**
 * Why the database cannot be used, as one sentence for who set DATABASE_URL and one that says what to do; the password
 * is left out. `cause` is what connecting threw, or a finding of our own.
 */
export function databaseFault(url: string, cause: unknown): Error {
  const target = shown(url)
  if (target === null) {
    return new Error('DATABASE_URL is not a connection string: write postgresql://user:password@host:5432/database.')
  }
  const { said, advice } = isFinding(cause) ? cause : explain(cause)
  return new Error(`DATABASE_URL (${target}) cannot be used: ${said}. ${advice}`, { cause })
}

type Finding = { said: string; advice: string }

const isFinding = (cause: unknown): cause is Finding =>
  typeof cause === 'object' && cause !== null && 'said' in cause && 'advice' in cause

function explain(cause: unknown): Finding {
  // Several addresses of one name that all failed come as one error that holds theirs.
  const error: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const said = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
  if (said.includes('unsupported startup parameter')) return { said, advice: POOLER_ADVICE }
  return { said, advice: ADVICE[code] ?? 'Check the address, the database and its log.' }
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
