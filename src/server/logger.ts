import { createRequire } from 'node:module'
import { type Logger, pino } from 'pino'
import { ANY_BEARER, CENSORED, censorOf } from '../domain/censor.ts'
import type { LogSettings } from './config.ts'

export type { Logger } from 'pino'

/** Where log lines go: a stream that may be a terminal. */
export type LogDestination = { write(line: string): void; isTTY?: boolean | undefined }

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
  const censor = censorOf(secrets, ANY_BEARER)
  return (line) =>
    `${JSON.stringify(JSON.parse(line, (_key, value: unknown) => (typeof value === 'string' ? censor(value) : value)))}\n`
}
