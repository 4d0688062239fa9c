import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Role } from '../domain/access.ts'
import { SYSTEM } from '../domain/actor.ts'
import { formatId } from '../domain/ids.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { type AuditEntry, auditIf } from './audit.ts'
import type { Database } from './database.ts'
import { mintId } from './ids.ts'
import { at, atOrNull } from './sql.ts'

/** A token that is stored, by what may be told of it. `id` is a bare UUID. */
export type StoredToken = { id: string; name: string; role: Role; expiresAt: Date | null; lastUsedAt: Date | null }

/** Lock under which the first admin token is made, so that servers that start together make one. */
const FIRST_TOKEN_LOCK = 0x6375_6501

/** That a token was used is noted once in this time: a note for each request would cost more than it tells. */
const USE_NOTED_EVERY_MS = 60_000

/** What is stored of a token: sha256 in hex. Tokens are long and random, so nothing slower is needed. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Whether two texts are equal, in a time that tells nothing about where they differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
}

/** A new token, which is told once and nowhere stored. */
export const mintToken = (): string => `cuelight_${randomBytes(32).toString('base64url')}`

/** The stored token that this text is, if it is neither revoked nor expired at `now`; null otherwise. */
export async function findValidToken(db: Database, token: string, { now }: { now: Date }): Promise<StoredToken | null> {
  const hash = hashOfToken(token)
  const row = await db.prisma.apiToken.findUnique({ where: { hash } })
  if (row === null || !equalInConstantTime(row.hash, hash)) return null
  const { id, name, role, expiresAt, lastUsedAt, revokedAt } = row
  if (revokedAt !== null || (expiresAt !== null && expiresAt <= now)) return null
  return { id, name, role, expiresAt, lastUsedAt }
}

/** Whether the use of a token at `now` is worth a note: about once a minute. */
export const isUseWorthNoting = ({ lastUsedAt }: StoredToken, now: Date): boolean =>
  lastUsedAt === null || lastUsedAt.getTime() <= now.getTime() - USE_NOTED_EVERY_MS

/** Notes that a token was used, unless that was noted within the last minute: answers whether it did. */
export async function noteUseIfDue(db: PrismaClient, id: string, now: Date): Promise<boolean> {
  const noted = await db.$executeRaw(Prisma.sql`
    UPDATE api_tokens SET last_used_at = ${at(now.getTime())}
    WHERE id = ${id}::uuid AND (last_used_at IS NULL OR last_used_at <= ${at(now.getTime() - USE_NOTED_EVERY_MS)})`)
  return noted === 1
}

/** Stores a new token, by its hash. */
export async function insertToken(
  db: PrismaClient,
  {
    id,
    name,
    role,
    token,
    expiresAt,
    audit,
  }: { id: string; name: string; role: Role; token: string; expiresAt: Date | null; audit: AuditEntry },
): Promise<void> {
  await db.$executeRaw(Prisma.sql`
    WITH made AS (
      INSERT INTO api_tokens (id, name, role, hash, created_at, expires_at)
      VALUES (${id}::uuid, ${name}, ${role}::role, ${hashOfToken(token)}, ${at(audit.at)},
        ${atOrNull(expiresAt === null ? null : expiresAt.getTime())})
      RETURNING id
    )
    ${auditIf(Prisma.sql`made`, audit)}`)
}

/** Revokes a token that is not: answers whether it did. */
export async function revokeTokenIfNot(
  db: PrismaClient,
  { id, audit }: { id: string; audit: AuditEntry },
): Promise<boolean> {
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH revoked AS (
      UPDATE api_tokens SET revoked_at = ${at(audit.at)} WHERE id = ${id}::uuid AND revoked_at IS NULL RETURNING id
    ), audited AS (${auditIf(Prisma.sql`revoked`, audit)})
    SELECT id FROM revoked`)
  return rows.length > 0
}

/** The name of a token; null: there is none of this id. */
export async function readTokenName(db: PrismaClient, id: string): Promise<string | null> {
  const row = await db.apiToken.findUnique({ where: { id }, select: { name: true } })
  return row?.name ?? null
}

/** Of tokens that something is open with at `now`, which is noted as their use: those that are revoked, or not there at all. */
export async function revokedAmongOpen(
  db: PrismaClient,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH noted AS (
      UPDATE api_tokens SET last_used_at = ${at(now.getTime())}
      WHERE id = ANY(${[...ids]}::uuid[]) AND revoked_at IS NULL
        AND (last_used_at IS NULL OR last_used_at <= ${at(now.getTime() - USE_NOTED_EVERY_MS)})
    )
    SELECT held.id::text AS id FROM unnest(${[...ids]}::uuid[]) AS held(id)
    WHERE NOT EXISTS (SELECT 1 FROM api_tokens t WHERE t.id = held.id AND t.revoked_at IS NULL)`)
  return rows.map(({ id }) => id)
}

/** Makes the token "admin" unless some admin's token exists; the token, which is nowhere stored, or null. */
export async function createFirstAdminToken(db: Database, { now }: { now: Date }): Promise<string | null> {
  const [id, token] = [mintId(), mintToken()]
  const audit: AuditEntry = {
    at: now.getTime(),
    actor: SYSTEM,
    action: 'token.create',
    subject: formatId('ApiToken', id),
    detail: { name: 'admin', role: 'ADMIN', expiresAt: null },
  }
  const [, made] = await db.prisma.$transaction([
    db.prisma.$executeRaw`SELECT pg_advisory_xact_lock(${FIRST_TOKEN_LOCK}::bigint)`,
    db.prisma.$executeRaw`
      WITH made AS (
        INSERT INTO api_tokens (id, name, role, hash, created_at)
        SELECT ${id}::uuid, 'admin', 'ADMIN', ${hashOfToken(token)}, ${now}
        WHERE NOT EXISTS (
          SELECT FROM api_tokens
          WHERE role = 'ADMIN' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now}))
        RETURNING id
      )
      ${auditIf(Prisma.sql`made`, audit)}`,
  ])
  return made === 1 ? token : null
}
