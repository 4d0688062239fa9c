import { createApiToken, revokeApiToken } from '../controls/tokens.ts'
import type { Role } from '../domain/access.ts'
import { uuidOf } from '../domain/ids.ts'
import { tokenById, tokens } from '../store/node-reads.ts'
import { needs } from './access.ts'
import { builder } from './builder.ts'
import { actorOf } from './context.ts'
import { resultUnion } from './errors.ts'
import { noSuch } from './ids.ts'
import { found } from './payloads.ts'
import { RoleEnum } from './viewer.ts'

export const ApiToken = builder.prismaNode('ApiToken', {
  id: { field: 'id', description: 'tok_<uuid>' },
  select: { id: true },
  description: 'A token for the API, without the token itself, which was shown once. ADMIN only.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Whom it names as the actor of what is done with it.' }),
    role: t.expose('role', { type: RoleEnum, description: 'What it may do.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to about a minute; null: never.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From when on it is refused; null: it holds until it is revoked.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked; null: it is not.',
    }),
  }),
})

builder.queryField('apiTokens', (t) =>
  t.prismaField({
    type: [ApiToken],
    authScopes: needs('ADMIN'),
    description: 'Every token, newest first, those that were revoked or have expired too. Needs ADMIN.',
    resolve: (query, _root, _args, { control }) => tokens(control.db, query),
  }),
)

const CreateApiTokenInput = builder.inputType('CreateApiTokenInput', {
  description: 'What token to make.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'Whom it names as the actor of what is done with it; 1 to 100 characters.',
    }),
    role: t.field({ type: RoleEnum, required: true, description: 'What it may do.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'From when on it is refused; omitted: it holds until it is revoked.',
    }),
  }),
})

type CreateApiTokenDone = { error?: undefined; tokenId: string; token: string; role: Role }

const CreateApiTokenPayload = builder.objectRef<CreateApiTokenDone>('CreateApiTokenPayload').implement({
  description: 'What CreateApiToken answers when it was done.',
  fields: (t) => ({
    apiToken: t.prismaField({
      type: ApiToken,
      description: 'What is kept of it.',
      resolve: (query, { tokenId }, _args, { control }) => found(tokenById(control.db, tokenId, query)),
    }),
    token: t.exposeString('token', {
      description:
        'The token, to be sent as "Authorization: Bearer <token>", or with the role CALENDAR as /calendar.ics?secret=<token>. It is shown once: only its hash is kept.',
    }),
    calendarAddress: t.string({
      nullable: true,
      description:
        'With the role CALENDAR, the address that a calendar subscribes to, with the token in it; null with another role, and where CUELIGHT_PUBLIC_URL does not say what people reach the server at.',
      resolve: ({ token, role }, _args, { publicUrl }) =>
        role !== 'CALENDAR' || publicUrl === null
          ? null
          : `${publicUrl}/calendar.ics?secret=${encodeURIComponent(token)}`,
    }),
  }),
})

const CreateApiTokenResult = resultUnion('CreateApiToken', CreateApiTokenPayload)

builder.mutationField('createApiToken', (t) =>
  t.field({
    type: CreateApiTokenResult,
    authScopes: needs('ADMIN'),
    description: 'Makes a token, which is shown in this answer and never again. Sent twice it makes two. Needs ADMIN.',
    args: { input: t.arg({ type: CreateApiTokenInput, required: true, description: 'What token.' }) },
    resolve: (_root, { input }, context) => createApiToken(context.control, actorOf(context), input),
  }),
)

const RevokeApiTokenInput = builder.inputType('RevokeApiTokenInput', {
  description: 'Which token to revoke.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Id of the token.' }) }),
})

type RevokeApiTokenDone = { error?: undefined; tokenId: string }

const RevokeApiTokenPayload = builder.objectRef<RevokeApiTokenDone>('RevokeApiTokenPayload').implement({
  description: 'What RevokeApiToken answers when it was done.',
  fields: (t) => ({
    apiToken: t.prismaField({
      type: ApiToken,
      description: 'The token as it is now.',
      resolve: (query, { tokenId }, _args, { control }) => found(tokenById(control.db, tokenId, query)),
    }),
  }),
})

const RevokeApiTokenResult = resultUnion('RevokeApiToken', RevokeApiTokenPayload)

builder.mutationField('revokeApiToken', (t) =>
  t.field({
    type: RevokeApiTokenResult,
    authScopes: needs('ADMIN'),
    description:
      'Revokes a token: it is refused from now on, and what is open with it is ended (a socket with 4401). Revoking twice is no error. Needs ADMIN.',
    args: { input: t.arg({ type: RevokeApiTokenInput, required: true, description: 'Which token.' }) },
    resolve: (_root, { input: { id } }, context) => {
      const uuid = uuidOf(id, 'ApiToken')
      return uuid === null ? noSuch('token', id) : revokeApiToken(context.control, actorOf(context), { id: uuid })
    },
  }),
)
