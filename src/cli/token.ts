import { Command, Option } from 'commander'
import { isObject } from '../domain/plain-object.ts'
import { askApi } from './api.ts'
import { readClientConfig } from './config.ts'

const CREATE = `mutation ($input: CreateApiTokenInput!) {
  createApiToken(input: $input) {
    ... on CreateApiTokenPayload { token apiToken { id name role expiresAt } }
    ... on Error { message }
  }
}`

type CreateOptions = { role: string; expires?: string; url?: string; token?: string }

export function tokenCommand(): Command {
  const create = new Command('create')
    .description('make a token with a role; it is shown once, alone on standard output')
    .argument('<name>', 'who or what it is for: what is done with it is logged under this name')
    .addOption(
      new Option('--role <role>', 'what it may do')
        .choices(['VIEWER', 'EMITTER', 'MODERATOR', 'ADMIN'])
        .makeOptionMandatory(),
    )
    .option(
      '--expires <instant>',
      'from when on it is refused, like 2027-01-01T00:00:00Z; omitted: until it is revoked',
    )
    .option('--url <address>', 'where the server is (CUELIGHT_URL)')
    .option('--token <token>', 'the token of an admin (CUELIGHT_TOKEN)')
    .action(createToken)
  return new Command('token').description('tokens for people and scripts, on a server that runs').addCommand(create)
}

async function createToken(name: string, { role, expires, ...flags }: CreateOptions): Promise<void> {
  const input = { name, role, ...(expires === undefined ? {} : { expiresAt: expires }) }
  const { createApiToken: made } = await askApi(readClientConfig(flags), CREATE, { input })
  if (!isObject(made) || typeof made.token !== 'string' || !isObject(made.apiToken)) {
    throw new Error(isObject(made) && typeof made.message === 'string' ? made.message : 'The server made no token.')
  }
  const { apiToken, token } = made
  const until = apiToken.expiresAt === null ? 'until it is revoked' : `until ${apiToken.expiresAt}`
  process.stderr.write(
    `Token "${apiToken.name}" (${apiToken.role}, ${apiToken.id}) holds ${until}. It is shown only this once:\n`,
  )
  process.stdout.write(`${token}\n`)
}
