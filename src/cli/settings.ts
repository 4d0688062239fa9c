import { readConfig, type ServerConfig } from '../server/config.ts'
import { createLogger, type Logger } from '../server/logger.ts'
import { secretsOf } from '../server/secrets.ts'

/** The server's settings and its log. Throws an Error that lists every bad setting. */
export function readSettings(): { config: ServerConfig; log: Logger } {
  const result = readConfig()
  if (!result.ok) {
    throw new Error(`Cuelight cannot start with these settings:\n${result.problems.map((it) => `  ${it}`).join('\n')}`)
  }
  const { config, warnings } = result
  const log = createLogger(config.log, { secrets: secretsOf(config) })
  for (const warning of warnings) log.warn(warning)
  return { config, log }
}
