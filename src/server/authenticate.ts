import type { Role } from '../domain/access.ts'
import type { Actor } from '../domain/actor.ts'
import type { Database } from '../store/database.ts'
import { equalInConstantTime, findValidToken } from '../store/tokens.ts'
import type { Logger } from './logger.ts'
import type { CheckJwt } from './sign-on.ts'
import { createNoteUse } from './token-use.ts'

/** Who calls, and what they may do. */
export type Caller = { actor: Actor; role: Role }

/** What a caller proved it with, as far as it can end: a stored token may be revoked, and anything may expire. */
export type Credential = {
  /** Bare UUID; null: it is no stored token. */
  tokenId: string | null
  /** Milliseconds since the epoch; null: never. */
  expiresAt: number | null
}

/** What an Authorization value proves: a caller, nothing because there is none, that it is wrong, or nothing as yet: who could tell is away. */
export type Authentication =
  /** Without a credential it never ends: it is the owner's. */
  | { kind: 'caller'; caller: Caller; credential?: Credential }
  | { kind: 'anonymous' }
  | { kind: 'refused' }
  | { kind: 'unknown' }

/** Rejects only when the database cannot be asked. */
export type Authenticate = (authorization: string | null) => Promise<Authentication>

/** Longer ones are no tokens and are not looked up. */
export const TOKEN_MAX = 512
const JWT_MAX = 8192
/** Header, claims and signature. No token of ours has a dot. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * Checks `Bearer <token>` against the owner's fixed admin token, if there is one, the JWTs of an identity provider, if
 * there is one, and the stored tokens.
 */
export function createAuthenticate({
  db,
  adminToken,
  checkJwt,
  now,
  log,
}: {
  db: Database
  adminToken: string | null
  checkJwt: CheckJwt | null
  now: () => number
  log: Logger
}): Authenticate {
  /** The owner's may be as long as the owner likes. */
  const adminMax = Math.max(TOKEN_MAX, adminToken?.length ?? 0)
  const noteUse = createNoteUse({ db, log })
  return async (authorization) => {
    if (authorization === null || authorization === '') return { kind: 'anonymous' }
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1]
    if (token === undefined) return { kind: 'refused' }
    if (adminToken !== null && token.length <= adminMax && equalInConstantTime(token, adminToken)) {
      return { kind: 'caller', caller: { actor: { kind: 'TOKEN', name: 'admin' }, role: 'ADMIN' } }
    }
    if (checkJwt !== null && token.length <= JWT_MAX && JWT.test(token)) {
      const proven = await checkJwt(token)
      if (proven === null) return { kind: 'refused' }
      if (proven === 'unknown') return { kind: 'unknown' }
      const { caller, expiresAt } = proven
      return { kind: 'caller', caller, credential: { tokenId: null, expiresAt } }
    }
    if (token.length > TOKEN_MAX) return { kind: 'refused' }
    const at = new Date(now())
    const stored = await findValidToken(db, token, { now: at })
    // A calendar's secret stands in addresses, which others read: it opens nothing but the calendar.
    if (stored === null || stored.role === 'CALENDAR') return { kind: 'refused' }
    await noteUse(stored, at)
    const { id, name, role, expiresAt } = stored
    return {
      kind: 'caller',
      caller: { actor: { kind: 'TOKEN', name }, role },
      credential: { tokenId: id, expiresAt: expiresAt?.getTime() ?? null },
    }
  }
}
