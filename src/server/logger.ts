import { createRequire } from 'node:module'
import { type Logger, pino } from 'pino'
import type { LogSettings } from './config.ts'

export type { Logger } from 'pino'

/** Where log lines go: a stream that may be a terminal. */
export type LogDestination = { write(line: string): void; isTTY?: boolean | undefined }

/** What a secret becomes wherever a line would show it. */
const CENSORED = '[redacted]'

/** Anything that reads as a bearer token, a token that Cuelight made, or a password in an address. */
const SECRET_SHAPES: readonly [RegExp, string][] = [
  [/\b(Bearer\s+)[^\s"'\\,]+/gi, `$1${CENSORED}`],
  [/\bcuelight_[A-Za-z0-9_-]{20,}/g, CENSORED],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s:@/"\\]*:)[^\s@"\\]+@/gi, `$1${CENSORED}@`],
]

/**
 * The server's log: JSON, or lines for people on a terminal. Each of `secrets` (texts of any settings that nobody may
 * read) is struck out of every line, whatever part of it would show it, and so is all that looks like a token or a
 * password in an address.
 */
export function createLogger(
  settings: LogSettings,
  { destination = process.stdout, secrets = [] }: { destination?: LogDestination; secrets?: readonly string[] } = {},
): Logger {
  const pretty = settings.format === 'pretty' || (settings.format === 'auto' && destination.isTTY === true)
  const stream = pretty ? prettyStream(destination) : destination
  const censor = censorOf(secrets)
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
      hooks: { streamWrite: censor },
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

function censorOf(secrets: readonly string[]): (line: string) => string {
  // As they stand in a line: inside a JSON string. Longest first, or a part of one would be struck out of it and leave the rest.
  const plain = secrets
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .map((secret) => JSON.stringify(secret).slice(1, -1))
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length)
  return (line) => {
    let clean = line
    for (const secret of plain) clean = clean.replaceAll(secret, CENSORED)
    for (const [shape, replacement] of SECRET_SHAPES) clean = clean.replace(shape, replacement)
    return clean
  }
}
