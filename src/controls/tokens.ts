import type { Role } from '../domain/access.ts'
import type { Actor } from '../domain/actor.ts'
import { isInLine, MAX_ACTOR_NAME } from '../domain/actor-name.ts'
import { formatId } from '../domain/ids.ts'
import type { Issue } from '../domain/issue.ts'
import { storableText } from '../domain/storable.ts'
import type { AuditEntry } from '../store/audit.ts'
import { mintId } from '../store/ids.ts'
import { insertToken, mintToken, readTokenName, revokeTokenIfNot } from '../store/tokens.ts'
import type { ControlContext } from './context.ts'
import { invalid, notFound, type Result } from './result.ts'

export type CreateApiTokenInput = {
  name: string
  role: Role
  /** Omitted: it holds until it is revoked. */
  expiresAt?: Date | null
}

/** Makes a token with a role. The token itself is in this answer and nowhere else: only its hash is kept. */
export async function createApiToken(
  ctx: ControlContext,
  actor: Actor,
  input: CreateApiTokenInput,
): Promise<Result<{ tokenId: string; token: string; role: Role }>> {
  const { role, expiresAt = null } = input
  const name = storableText(input.name).trim()
  const now = ctx.clock.now()
  const issues = [...nameIssues(name), ...expiryIssues(expiresAt, now)]
  if (issues.length > 0) return invalid(issues)
  const [id, token] = [mintId(), mintToken()]
  const detail = { name, role, expiresAt: expiresAt?.toISOString() ?? null }
  const audit = auditOf({ now, actor, action: 'token.create', id, detail })
  await insertToken(ctx.db.prisma, { id, name, role, token, expiresAt, audit })
  return { tokenId: id, token, role }
}

/** Revokes a token, and ends what is open with it. Revoking twice is no error. `id` is a bare UUID. */
export async function revokeApiToken(
  ctx: ControlContext,
  actor: Actor,
  { id }: { id: string },
): Promise<Result<{ tokenId: string }>> {
  const name = await readTokenName(ctx.db.prisma, id)
  if (name === null) return notFound(`There is no token ${formatId('ApiToken', id)}; apiTokens lists those that are.`)
  const audit = auditOf({ now: ctx.clock.now(), actor, action: 'token.revoke', id, detail: { name } })
  await revokeTokenIfNot(ctx.db.prisma, { id, audit })
  // Also where somebody else was first: it may have been another process.
  ctx.changes.tokenRevoked(id)
  return { tokenId: id }
}

function nameIssues(name: string): Issue[] {
  if (name === '')
    return [{ path: 'name', message: 'The name must not be empty; say who or what the token is for, like "shard 1".' }]
  if (!isInLine(name))
    return [{ path: 'name', message: 'The name may hold no line breaks and no control characters; leave them out.' }]
  const length = [...name].length
  if (length <= MAX_ACTOR_NAME) return []
  const message = `The name may have at most ${MAX_ACTOR_NAME} characters, and has ${length}; shorten it.`
  return [{ path: 'name', message }]
}

function expiryIssues(expiresAt: Date | null, now: number): Issue[] {
  if (expiresAt === null || expiresAt.getTime() > now) return []
  const message = `The expiry ${expiresAt.toISOString()} is not in the future; give a later instant, or none for a token that holds until it is revoked.`
  return [{ path: 'expiresAt', message }]
}

type Done = { now: number; actor: Actor; action: string; id: string; detail: Record<string, unknown> }

const auditOf = ({ now, actor, action, id, detail }: Done): AuditEntry => ({
  at: now,
  actor,
  action,
  subject: formatId('ApiToken', id),
  detail,
})
