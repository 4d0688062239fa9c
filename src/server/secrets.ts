import type { ServerConfig } from './config.ts'

/** Every text of the settings that nobody may read in a log: tokens, passwords, the addresses and secrets of targets and of modules over HTTP, what a collector of traces is told. */
export function secretsOf({ adminToken, databaseUrl, targets, remoteModules, traces }: ServerConfig): string[] {
  const passwords = databaseUrl === null ? [] : passwordsIn(new URL(databaseUrl))
  const ofTargets = targets.flatMap(({ kind, url, secret = '' }) => {
    // Whoever has the path of a channel's address may post there.
    const path = kind === 'GENERIC' ? '' : new URL(url).pathname
    return [url, path, ...signing(secret)]
  })
  const ofModules = remoteModules.flatMap(({ url, secret }) => [url.replace(/\/+$/, ''), ...signing(secret)])
  // `Bearer <token>`, and the token alone.
  const ofTraces = Object.values(traces?.headers ?? {}).flatMap((value) => [value, value.replace(/^\S+ +/, '')])
  return [adminToken ?? '', ...passwords, ...ofTargets, ...ofModules, ...ofTraces].filter((secret) => secret !== '')
}

/** It may stand before the host, or among the parameters. */
const passwordsIn = ({ password, searchParams }: URL): string[] => [
  password,
  decodeURIComponent(password),
  ...searchParams.getAll('password'),
]

/** A secret as it is set, and without the prefix as libraries take it. */
const signing = (secret: string): string[] => [secret, secret.replace(/^whsec_/, '')]
