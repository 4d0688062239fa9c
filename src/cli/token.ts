import { Command, Option } from 'commander'
import { z } from 'zod'
import { mutate } from './api.ts'
import { holds, readTokens } from './api-token.ts'
import { instantOption } from './instant.ts'
import { type ClientOptions, clientCommand, inSession } from './session.ts'
import { tokenListCommand } from './token-list.ts'
import { tokenRevokeCommand } from './token-revoke.ts'

const Made = z.object({
  token: z.string(),
  calendarAddress: z.string().nullable(),
  apiToken: z.object({ id: z.string(), name: z.string(), role: z.string(), expiresAt: z.string().nullable() }),
})

type CreateOptions = ClientOptions & { role: string; expires?: string }

export function tokenCommand(): Command {
  const create = clientCommand('create')
    .description('make a token with a role; it is shown once, alone on standard output')
    .argument('<name>', 'who or what it is for: what is done with it is logged under this name')
    .addOption(
      new Option('--role <role>', 'what it may do')
        .choices(['VIEWER', 'EMITTER', 'MODERATOR', 'ADMIN', 'CALENDAR'])
        .makeOptionMandatory(),
    )
    .option(
      '--expires <instant>',
      'from when on it is refused, like 2027-01-01T00:00:00Z; omitted: until it is revoked',
      instantOption,
    )
    .action(createToken)
  return new Command('token')
    .description('tokens for people and scripts, on a server that runs')
    .addCommand(create)
    .addCommand(tokenListCommand())
    .addCommand(tokenRevokeCommand())
}

function createToken(name: string, { role, expires, ...options }: CreateOptions): Promise<void> {
  return inSession(options, async (session) => {
    // Before, since the token is shown only once; where it fails, making one says why.
    const tokens = await readTokens(session.config).catch(() => [])
    const namesakes = tokens.filter((token) => token.name === name.trim() && holds(token, Date.now()))
    const made = await mutate(session.config, {
      name: 'createApiToken',
      input: { name, role, ...(expires === undefined ? {} : { expiresAt: expires }) },
      payload: '{ token calendarAddress apiToken { id name role expiresAt } }',
      shape: Made,
    })
    const { apiToken, token, calendarAddress } = made
    if (namesakes.length > 0) {
      const others = namesakes.map(({ id }) => id).join(', ')
      session.remark(
        `${JSON.stringify(apiToken.name)} is the name of ${others} already: the log cannot tell what is done with which. "cuelight token revoke" ends one that is not needed.`,
      )
    }
    if (apiToken.role === 'CALENDAR') {
      const origin = calendarAddress === null ? session.config.url : new URL(calendarAddress).origin
      session.remark(`A calendar subscribes to ${origin}/calendar.ics?secret=… with it in place of "…".`)
    }
    const until = apiToken.expiresAt === null ? 'until it is revoked' : `until ${apiToken.expiresAt}`
    session.remark(
      `Token "${apiToken.name}" (${apiToken.role}, ${apiToken.id}) holds ${until}. It is shown only this once:`,
    )
    session.answer(made, () => token)
  })
}
