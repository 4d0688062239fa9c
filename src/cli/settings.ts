import { readConfig, type ServerConfig } from '../server/config.ts'
import { createLogger, type Logger } from '../server/logger.ts'

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

function secretsOf({ adminToken, databaseUrl, targets }: ServerConfig): string[] {
  const password = databaseUrl === null ? '' : new URL(databaseUrl).password
  const ofTargets = targets.flatMap(({ url, secret }) => [url, secret ?? ''])
  return [adminToken ?? '', password, decodeURIComponent(password), ...ofTargets].filter((secret) => secret !== '')
}
