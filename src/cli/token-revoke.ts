import type { Command } from 'commander'
import { z } from 'zod'
import { uuidOf } from '../domain/ids.ts'
import { mutate } from './api.ts'
import { API_TOKEN, ApiToken, readTokens } from './api-token.ts'
import { notFound, wrongUsage } from './failure.ts'
import { refuseOtherIds } from './id-kind.ts'
import { printable } from './printable.ts'
import { type ClientOptions, clientCommand, inSession, type Session } from './session.ts'

export function tokenRevokeCommand(): Command {
  return clientCommand('revoke')
    .description('refuse a token from now on, and end what is open with it (ADMIN)')
    .argument('<token>', 'id of the token (tok_…), or its name where no other that is not revoked has it')
    .action(revokeToken)
}

function revokeToken(given: string, options: ClientOptions): Promise<void> {
  return inSession(options, async (session) => {
    const { apiToken } = await mutate(session.config, {
      name: 'revokeApiToken',
      input: { id: await findToken(session, given) },
      payload: `{ apiToken ${API_TOKEN} }`,
      shape: z.object({ apiToken: ApiToken }),
    })
    const { name, role, id } = apiToken
    session.answer(apiToken, () => printable(`Token "${name}" (${role}, ${id}) is revoked; it is refused from now on.`))
  })
}

/** The id of the token with this id or name. Throws a CommandFailure where there is none, or more than one. */
async function findToken({ config }: Session, given: string): Promise<string> {
  if (uuidOf(given, 'ApiToken') !== null) return given
  const found = (await readTokens(config)).filter(({ name, revokedAt }) => name === given && revokedAt === null)
  const [token, ...others] = found
  if (token === undefined) {
    refuseOtherIds(given, { takes: ['ApiToken'], give: 'a token: "cuelight token list" lists them' })
    throw notFound(`There is no token ${JSON.stringify(given)} that is not revoked; "cuelight token list" lists them.`)
  }
  if (others.length === 0) return token.id
  const shown = found.map(({ id, role, createdAt }) => `\n  ${id}  ${role}, made ${createdAt}`).join('')
  throw wrongUsage(
    `${found.length} tokens have the name ${JSON.stringify(given)}; give the id of the one you mean:${shown}`,
  )
}
