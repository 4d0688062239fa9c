import { accessSync, constants } from 'node:fs'
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
  const config = parsed(url)
  return {
    ...config,
    options: [...(config.options === undefined ? [] : [config.options]), ...EVERY_SESSION, ...session].join(' '),
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  }
}

/** What the parts of an address that are about TLS may be; for the rest there is no list, or another program's. */
const TLS_VALUES: Record<string, readonly string[] | 'file'> = {
  sslmode: ['disable', 'require', 'verify-ca', 'verify-full', 'prefer', 'no-verify'],
  ssl: ['true', 'false', '1', '0'],
  sslnegotiation: ['postgres', 'direct'],
  sslrootcert: 'file',
  sslcert: 'file',
  sslkey: 'file',
}

/**
 * What is wrong with how an address asks for TLS, as sentences: pg takes a value that it does not know for some other one,
 * and a name that it does not know for nothing, and so might connect without.
 */
export function tlsProblems(url: string): string[] {
  return [...new URL(url).searchParams].flatMap(([name, value]) => {
    if (!name.toLowerCase().startsWith('ssl')) return []
    const allowed = TLS_VALUES[name]
    if (allowed === undefined)
      return [`DATABASE_URL has "${name}"; what is about TLS may be ${Object.keys(TLS_VALUES).join(', ')}.`]
    if (allowed === 'file')
      return isReadable(value)
        ? []
        : [`DATABASE_URL has ${name}=${value}; it may be the path of a file in PEM form that this user can read.`]
    return allowed.includes(value) ? [] : [`DATABASE_URL has ${name}=${value}; it may be one of ${allowed.join(', ')}.`]
  })
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/**
 * What pg makes of an address. It checks the server for `prefer`, `require` and `verify-ca` as for `verify-full`, and warns
 * each process that a later pg will not: here they are verify-full, and stay it.
 */
function parsed(url: string): pg.ClientConfig {
  const isAsLibpq = new URL(url).searchParams.get('uselibpqcompat') === 'true'
  const plain = isAsLibpq ? url : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/g, '$1verify-full')
  try {
    return parseIntoClientConfig(plain)
  } catch (cause) {
    throw databaseFault(url, cause)
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
  if (said.includes('does not support SSL')) return { said, advice: NO_TLS_ADVICE }
  if (/^role .* does not exist$/.test(said)) return { said, advice: 'Create the role with LOGIN, or correct the user.' }
  if (said.endsWith('is not permitted to log in')) return { said, advice: 'ALTER ROLE … LOGIN, or correct the user.' }
  return { said, advice: ADVICE[code] ?? 'Check the address, the database and its log.' }
}

const NO_TLS_ADVICE =
  'Turn on TLS in PostgreSQL (ssl = on), or, where nobody else is on the way to it, ask for none with sslmode=disable.'
const UNKNOWN_CA = 'Give the CA that signed its certificate: put sslrootcert=/path/to/ca.pem behind the address.'

const ADVICE: Record<string, string> = {
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_CA,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_CA,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_CA,
  ERR_TLS_CERT_ALTNAME_INVALID: 'Connect by a name that is in its certificate, or give it one for this name.',
  CERT_HAS_EXPIRED: 'Give PostgreSQL a new certificate.',
  ECONNREFUSED: 'Nothing listens there: start PostgreSQL, or correct the host and port.',
  ENOTFOUND: 'There is no such host: correct its name.',
  EAI_AGAIN: 'The name of the host cannot be looked up now: check the network, or use its address.',
  ETIMEDOUT: 'The host does not answer: check the address and the firewall between.',
  '28P01': 'Correct the user or the password.',
  '28000':
    'Allow this user and address in pg_hba.conf, or correct the user; where they are allowed with TLS alone, put sslmode=verify-full behind the address.',
  '3D000': 'Create the database, or correct its name.',
  '53300': 'PostgreSQL has no connection left: raise its max_connections, or stop something else.',
  '57P03': 'It is starting or stopping: try again in a moment.',
}
