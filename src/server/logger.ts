import { createRequire } from 'node:module'
import { type Logger, pino } from 'pino'
import type { LogSettings } from './config.ts'

export type { Logger } from 'pino'

/** Where log lines go: a stream that may be a terminal. */
export type LogDestination = { write(line: string): void; isTTY?: boolean | undefined }

/** What a secret becomes wherever a line would show it. */
const CENSORED = '[redacted]'

/** Shorter ones are words that lines are made of: to strike out a password "info" would ruin the log and tell it. */
const SECRET_MIN = 8

/** Anything that reads as a bearer token, a token that Cuelight made, or a password in an address. */
const SECRET_SHAPES: readonly [RegExp, string][] = [
  [/\b(Bearer\s+)[^\s"'\\,]+/gi, `$1${CENSORED}`],
  [/\bcuelight_[A-Za-z0-9_-]{20,}/g, CENSORED],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s:@/"\\]*:)[^\s@"\\]+@/gi, `$1${CENSORED}@`],
]

/**
 * The server's log: JSON, or lines for people on a terminal. Each of `secrets` (texts of any settings that nobody may
 * read; of 8 characters or more) is struck out of every line, whatever value of it would show it, and so is all that looks like a token or a
 * password in an address.
 */
export function createLogger(
  settings: LogSettings,
  { destination = process.stdout, secrets = [] }: { destination?: LogDestination; secrets?: readonly string[] } = {},
): Logger {
  const pretty = settings.format === 'pretty' || (settings.format === 'auto' && destination.isTTY === true)
  const stream = pretty ? prettyStream(destination) : destination
  return pino(
    {
      level: settings.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ['authorization', '*.authorization', 'token', '*.token', 'password', '*.password'],
        censor: CENSORED,
      },
      hooks: { streamWrite: lineCensor(secrets) },
    },
    stream,
  )
}

function prettyStream(destination: LogDestination): LogDestination {
  // Loaded where lines are for people alone; a log is there at once, so that an import would come too late.
  const { prettyFactory }: typeof import('pino-pretty') = createRequire(import.meta.url)('pino-pretty')
  const format = prettyFactory({ colorize: destination.isTTY === true, translateTime: 'HH:MM:ss.l' })
  return {
    write(line) {
      destination.write(format(line) ?? '')
    },
  }
}

/** The line with its values censored; its keys, and that it is JSON, stay as they are. */
function lineCensor(secrets: readonly string[]): (line: string) => string {
  const censor = censorOf(secrets)
  return (line) =>
    `${JSON.stringify(JSON.parse(line, (_key, value: unknown) => (typeof value === 'string' ? censor(value) : value)))}\n`
}

function censorOf(secrets: readonly string[]): (text: string) => string {
  // As they stand in a text, an address or JSON. Longest first, or a part of one would be struck out of it and leave the rest.
  const written = secrets
    .filter((secret) => secret.length >= SECRET_MIN)
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    .sort((a, b) => b.length - a.length)
  return (text) => {
    let clean = text
    for (const secret of written) clean = clean.replaceAll(secret, CENSORED)
    for (const [shape, replacement] of SECRET_SHAPES) clean = clean.replace(shape, replacement)
    return clean
  }
}
