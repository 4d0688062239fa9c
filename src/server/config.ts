import { resolve } from 'node:path'
import { parseRemoteModules, type RemoteModule } from '../modules/remote.ts'
import { parseTargets, type Target } from '../modules/targets.ts'
import { DEFAULT_RUNNER_SETTINGS as DEFAULTS, type RunnerSettings } from '../runner/settings.ts'
import { tlsProblems } from '../store/connection.ts'
import { readSignOn, type SignOnSettings } from './sign-on-settings.ts'
import { readTraces, type TraceSettings } from './trace-settings.ts'

/** Every setting of the server, checked. Times are in milliseconds unless the name says otherwise. */
export type ServerConfig = {
  host: string
  /** 0: any free port. */
  port: number
  /** Null: an embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | null
  /** Absolute. */
  dataDir: string
  /** Null: one is made at the first start. */
  adminToken: string | null
  /** Null: no JWTs are taken. */
  signOn: SignOnSettings | null
  /** Null: traces go nowhere. */
  traces: TraceSettings | null
  /** Paths or package names. */
  modules: string[]
  /** Modules over HTTP. */
  remoteModules: RemoteModule[]
  /** Addresses that events may post to by name. */
  targets: Target[]
  /** The origin that people reach the server at, for links; null: not known. */
  publicUrl: string | null
  /** Origins (`https://dashboard.example`) of browsers that may use the API besides our own. */
  allowedOrigins: string[]
  /** Absolute; of compiled time zone files, which need not be there. */
  zoneFolder: string
  runner: Omit<RunnerSettings, 'finishMs'>
  log: LogSettings
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
export type LogSettings = {
  level: LogLevel
  /** 'auto': pretty on a terminal, JSON elsewhere. */
  format: 'json' | 'pretty' | 'auto'
}

export type ConfigResult =
  | { ok: true; config: ServerConfig; warnings: string[] }
  /** One sentence per bad setting, each naming it and what it may be. */
  | { ok: false; problems: string[] }

type Environment = Readonly<Record<string, string | undefined>>
type WholeNumber = { fallback: number; min: number; max: number; is: string }

const DAY_MS = 86_400_000

const WHOLE_NUMBERS = {
  pollMs: [
    'CUELIGHT_POLL_MS',
    { fallback: DEFAULTS.pollMs, min: 10, max: 60_000, is: 'milliseconds between backstop polls' },
  ],
  runBatch: ['CUELIGHT_RUN_BATCH', { fallback: DEFAULTS.runBatch, min: 1, max: 1000, is: 'runs claimed at a time' }],
  stepsPerPass: [
    'CUELIGHT_STEPS_PER_PASS',
    { fallback: DEFAULTS.stepsPerPass, min: 1, max: 1000, is: 'steps of a run before others' },
  ],
  runConcurrency: [
    'CUELIGHT_RUN_CONCURRENCY',
    { fallback: DEFAULTS.runConcurrency, min: 1, max: 1000, is: 'runs worked side by side' },
  ],
  maxDispatches: [
    'CUELIGHT_MAX_DISPATCHES',
    { fallback: DEFAULTS.maxDispatches, min: 1, max: 100_000, is: 'actions in flight' },
  ],
  stepMaxAttempts: [
    'CUELIGHT_STEP_MAX_ATTEMPTS',
    { fallback: DEFAULTS.stepMaxAttempts, min: 1, max: 100, is: 'attempts of a step' },
  ],
  stepRetryMs: [
    'CUELIGHT_STEP_RETRY_MS',
    { fallback: DEFAULTS.stepRetryMs, min: 0, max: DAY_MS, is: 'milliseconds between attempts' },
  ],
  leaseMs: [
    'CUELIGHT_LEASE_MS',
    { fallback: DEFAULTS.leaseMs, min: 1000, max: 3_600_000, is: 'milliseconds a claim holds' },
  ],
  stepLeaseMarginMs: [
    'CUELIGHT_STEP_LEASE_MARGIN_MS',
    {
      fallback: DEFAULTS.stepLeaseMarginMs,
      min: 0,
      max: 3_600_000,
      is: "milliseconds a step's lease may outlast its budget",
    },
  ],
  stallMs: [
    'CUELIGHT_STALL_MS',
    { fallback: DEFAULTS.stallMs, min: 1000, max: 30 * DAY_MS, is: 'milliseconds a trigger may be waited for' },
  ],
  horizonDays: [
    'CUELIGHT_HORIZON_DAYS',
    { fallback: DEFAULTS.horizonDays, min: 1, max: 366, is: 'days ahead that occurrences become runs' },
  ],
  logRetentionDays: [
    'CUELIGHT_LOG_RETENTION_DAYS',
    { fallback: DEFAULTS.logRetentionDays, min: 1, max: 36_500, is: 'days run logs are kept' },
  ],
} as const satisfies Record<keyof ServerConfig['runner'], readonly [string, WholeNumber]>

const KNOWN = new Set<string>([
  'CUELIGHT_DATA_DIR',
  'CUELIGHT_ADMIN_TOKEN',
  'CUELIGHT_JWKS_URL',
  'CUELIGHT_JWT_ISSUER',
  'CUELIGHT_JWT_AUDIENCE',
  'CUELIGHT_JWT_ROLE_CLAIM',
  'CUELIGHT_MODULES',
  'CUELIGHT_REMOTE_MODULES',
  'CUELIGHT_TARGETS',
  'CUELIGHT_ALLOWED_ORIGINS',
  'CUELIGHT_PUBLIC_URL',
  // Of the client commands and of the tests: no mistake when they are set beside the server's own.
  'CUELIGHT_URL',
  'CUELIGHT_TOKEN',
  'CUELIGHT_TEST_DATABASE_URL',
  'CUELIGHT_TEST_BROWSER',
  'CUELIGHT_TEST_NGINX',
  ...Object.values(WHOLE_NUMBERS).map(([name]) => name),
])

/** Shortest CUELIGHT_ADMIN_TOKEN. */
const TOKEN_MIN = 16

/**
 * The server's settings from the environment; this is the only place of the server that reads it. A variable that is
 * empty counts as not set. Names that start with CUELIGHT_ and are not known come back as warnings.
 */
export function readConfig(env: Environment = process.env): ConfigResult {
  const problems: string[] = []
  const text = (name: string): string | null => env[name]?.trim() || null
  const list = (name: string): string[] =>
    (text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')

  const wholeNumber = (name: string, { fallback, min, max, is }: WholeNumber): number => {
    const given = text(name)
    if (given === null) return fallback
    const number = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
    if (number >= min && number <= max) return number
    problems.push(`${name} is ${quote(given)}; it may be a whole number from ${min} to ${max} (${is}).`)
    return fallback
  }
  const oneOf = <T extends string>(name: string, options: readonly T[], fallback: T): T => {
    const given = text(name)
    if (given === null) return fallback
    const option = options.find((candidate) => candidate === given)
    if (option === undefined) problems.push(`${name} is ${quote(given)}; it may be one of ${options.join(', ')}.`)
    return option ?? fallback
  }

  const databaseUrl = text('DATABASE_URL')
  if (databaseUrl !== null && !isPostgresUrl(databaseUrl)) {
    // Not quoted: it holds a password.
    problems.push(
      'DATABASE_URL is no PostgreSQL address; it may be postgresql://user:password@host:5432/name, with a % in the password written as %25. Unset it to use the embedded PostgreSQL.',
    )
  } else if (databaseUrl !== null) problems.push(...tlsProblems(databaseUrl))
  const adminToken = text('CUELIGHT_ADMIN_TOKEN')
  if (adminToken !== null && (adminToken.length < TOKEN_MIN || !/^[\x21-\x7e]+$/.test(adminToken))) {
    problems.push(
      `CUELIGHT_ADMIN_TOKEN may be ${TOKEN_MIN} or more printable ASCII characters without spaces. Unset it to have one made.`,
    )
  }
  const allowedOrigins = list('CUELIGHT_ALLOWED_ORIGINS').map((given) => {
    const origin = originOf(given)
    if (origin === null) {
      problems.push(
        `CUELIGHT_ALLOWED_ORIGINS holds ${quote(given)}; it may be a comma-separated list of origins like https://dashboard.example.com or http://localhost:5173, without a path.`,
      )
    }
    return origin ?? given
  })
  const publicUrl = text('CUELIGHT_PUBLIC_URL')
  if (publicUrl !== null && originOf(publicUrl) === null) {
    problems.push(
      `CUELIGHT_PUBLIC_URL is ${quote(publicUrl)}; it may be the address that people reach this server at, like https://cuelight.example.com, without a path.`,
    )
  }
  const targets = parseTargets(text('CUELIGHT_TARGETS') ?? undefined)
  const remote = parseRemoteModules(text('CUELIGHT_REMOTE_MODULES') ?? undefined)
  const { signOn, problems: signOnProblems } = readSignOn(text)
  const { traces, problems: traceProblems } = readTraces(text)
  problems.push(...targets.problems, ...remote.problems, ...signOnProblems, ...traceProblems)

  const setting = (key: keyof ServerConfig['runner']): number => {
    const [name, number] = WHOLE_NUMBERS[key]
    return wholeNumber(name, number)
  }
  const config: ServerConfig = {
    host: text('HOST') ?? '127.0.0.1',
    port: wholeNumber('PORT', { fallback: 4000, min: 0, max: 65_535, is: '0 takes any free port' }),
    databaseUrl,
    dataDir: resolve(text('CUELIGHT_DATA_DIR') ?? '.cuelight'),
    adminToken,
    signOn,
    traces,
    modules: list('CUELIGHT_MODULES'),
    remoteModules: remote.modules,
    targets: targets.targets,
    publicUrl: publicUrl === null ? null : originOf(publicUrl),
    allowedOrigins,
    zoneFolder: resolve(text('TZDIR') ?? '/usr/share/zoneinfo'),
    runner: {
      pollMs: setting('pollMs'),
      runBatch: setting('runBatch'),
      stepsPerPass: setting('stepsPerPass'),
      runConcurrency: setting('runConcurrency'),
      maxDispatches: setting('maxDispatches'),
      stepMaxAttempts: setting('stepMaxAttempts'),
      stepRetryMs: setting('stepRetryMs'),
      stallMs: setting('stallMs'),
      leaseMs: setting('leaseMs'),
      stepLeaseMarginMs: setting('stepLeaseMarginMs'),
      horizonDays: setting('horizonDays'),
      logRetentionDays: setting('logRetentionDays'),
    },
    log: {
      level: oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
      format: oneOf('LOG_FORMAT', ['json', 'pretty', 'auto'], 'auto'),
    },
  }
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, config, warnings: unknownNames(env) }
}

function unknownNames(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('CUELIGHT_') && !KNOWN.has(name))
    .sort()
    .map((name) => {
      const near = nearest(name)
      return `${name} is not a setting of Cuelight and is ignored${near === null ? '.' : `; did you mean ${near}?`}`
    })
}

/** The known name that a typo of up to three letters makes this one; null when there is none. */
function nearest(name: string): string | null {
  let best: { name: string; distance: number } | null = null
  for (const known of KNOWN) {
    const distance = editDistance(name, known)
    if (distance <= 3 && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name: known, distance }
  }
  return best?.name ?? null
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** Whether every % in a part of a URL begins an escape; a % itself is written %25. */
function isEncoded(part: string): boolean {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}

function isPostgresUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, searchParams, username, password } = new URL(text)
  if (!isEncoded(username) || !isEncoded(password)) return false
  return /^postgres(ql)?:$/.test(protocol) && (hostname !== '' || searchParams.has('host'))
}

function originOf(text: string): string | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const bare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  return /^https?:$/.test(url.protocol) && bare ? url.origin : null
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}
