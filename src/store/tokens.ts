import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Role } from '../domain/access.ts'
import type { Database } from './database.ts'

/** A token that is stored, by what may be told of it. */
export type StoredToken = { id: string; name: string; role: Role }

/** Lock under which the first admin token is made, so that servers that start together make one. */
const FIRST_TOKEN_LOCK = 0x6375_6501

/** What is stored of a token: sha256 in hex. Tokens are long and random, so nothing slower is needed. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Whether two texts are equal, in a time that tells nothing about where they differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
}

/** The stored token that this text is, if it is neither revoked nor expired at `now`; null otherwise. */
export async function findValidToken(db: Database, token: string, { now }: { now: Date }): Promise<StoredToken | null> {
  const hash = hashOfToken(token)
  const row = await db.prisma.apiToken.findUnique({ where: { hash } })
  if (row === null || !equalInConstantTime(row.hash, hash)) return null
  if (row.revokedAt !== null || (row.expiresAt !== null && row.expiresAt <= now)) return null
  return { id: row.id, name: row.name, role: row.role }
}

/** Makes the token "admin" unless some admin's token exists; the token, which is nowhere stored, or null. */
export async function createFirstAdminToken(db: Database, { now }: { now: Date }): Promise<string | null> {
  const token = `cuelight_${randomBytes(32).toString('base64url')}`
  const [, made] = await db.prisma.$transaction([
    db.prisma.$executeRaw`SELECT pg_advisory_xact_lock(${FIRST_TOKEN_LOCK}::bigint)`,
    db.prisma.$executeRaw`
      INSERT INTO api_tokens (id, name, role, hash, created_at)
      SELECT ${uuidv7()}::uuid, 'admin', 'ADMIN', ${hashOfToken(token)}, ${now}
      WHERE NOT EXISTS (
        SELECT FROM api_tokens
        WHERE role = 'ADMIN' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now}))`,
  ])
  return made === 1 ? token : null
}
