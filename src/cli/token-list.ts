import type { Command } from 'commander'
import { type ApiToken, holds, readTokens } from './api-token.ts'
import { showInstant } from './instant.ts'
import { printable } from './printable.ts'
import { type ClientOptions, clientCommand, inSession } from './session.ts'
import { table } from './table.ts'

export function tokenListCommand(): Command {
  return clientCommand('list')
    .description(
      'tokens, newest first, never what is secret of them; where nothing else is said, those that hold (ADMIN)',
    )
    .option('-a, --all', 'those that were revoked or have expired, too')
    .action(listTokens)
}

function listTokens({ all, ...options }: ClientOptions & { all?: boolean }): Promise<void> {
  return inSession(options, async ({ answer, config, viewerZone }) => {
    const now = Date.now()
    const tokens = (await readTokens(config)).filter((token) => all === true || holds(token, now))
    const when = (instant: string) => showInstant(instant, { viewerZone, eventZone: viewerZone })
    const state = ({ revokedAt, expiresAt }: ApiToken) => {
      if (revokedAt !== null) return `revoked ${when(revokedAt)}`
      if (expiresAt === null) return 'until it is revoked'
      return `${Date.parse(expiresAt) > now ? 'until' : 'expired'} ${when(expiresAt)}`
    }
    answer(tokens, () =>
      tokens.length === 0
        ? 'There are no such tokens. "cuelight token create" makes one; CUELIGHT_ADMIN_TOKEN of the server is in no list.'
        : table(
            ['TOKEN', 'ROLE', 'MADE', 'LAST USED', 'HOLDS', 'NAME'],
            tokens.map((token) => [
              token.id,
              token.role,
              when(token.createdAt),
              token.lastUsedAt === null ? 'never' : when(token.lastUsedAt),
              state(token),
              printable(token.name),
            ]),
          ),
    )
  })
}
