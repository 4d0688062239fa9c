/** Why the server cannot start, in a sentence for who started it. */
export class StartupFault extends Error {}

/** What a failed `listen` means, by the settings that would mend it. */
export function listenFault(error: unknown, { host, port }: { host: string; port: number }): StartupFault {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const sentence =
    code === 'EADDRINUSE'
      ? `PORT ${port} on HOST ${host} is in use: stop what listens there, or set PORT to another one (0 takes any that is free).`
      : code === 'EACCES'
        ? `PORT ${port} may not be used by this user: set PORT to one above 1023, or start as a user who may.`
        : code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
          ? `HOST ${host} is no address of this machine: set HOST to one, 127.0.0.1 for this machine only or 0.0.0.0 for all.`
          : `HOST ${host}, PORT ${port} cannot be listened on: ${error instanceof Error ? error.message : String(error)}.`
  return new StartupFault(sentence, { cause: error })
}
