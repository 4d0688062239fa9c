import type { ServerConfig } from './config.ts'

/** Every text of the settings that nobody may read in a log: tokens, passwords, the addresses and secrets of targets. */
export function secretsOf({ adminToken, databaseUrl, targets }: ServerConfig): string[] {
  const password = databaseUrl === null ? '' : new URL(databaseUrl).password
  const ofTargets = targets.flatMap(({ kind, url, secret = '' }) => {
    // Whoever has the path of a channel's address may post there.
    const path = kind === 'GENERIC' ? '' : new URL(url).pathname
    return [url, path, secret, secret.replace(/^whsec_/, '')]
  })
  return [adminToken ?? '', password, decodeURIComponent(password), ...ofTargets].filter((secret) => secret !== '')
}
