import type { Role } from '../domain/access.ts'
import type { Actor } from '../domain/actor.ts'
import type { Database } from '../store/database.ts'
import { equalInConstantTime, findValidToken } from '../store/tokens.ts'

/** Who calls, and what they may do. */
export type Caller = { actor: Actor; role: Role }

/** What an Authorization value proves: a caller, nothing because there is none, or that it is wrong. */
export type Authentication = { kind: 'caller'; caller: Caller } | { kind: 'anonymous' } | { kind: 'refused' }

/** Rejects only when the database cannot be asked. */
export type Authenticate = (authorization: string | null) => Promise<Authentication>

/** Longer ones are no tokens and are not looked up. */
const TOKEN_MAX = 512

/** Checks `Bearer <token>` against the owner's fixed admin token, if there is one, and the stored tokens. */
export function createAuthenticate({
  db,
  adminToken,
  now,
}: {
  db: Database
  adminToken: string | null
  now: () => number
}): Authenticate {
  return async (authorization) => {
    if (authorization === null || authorization === '') return { kind: 'anonymous' }
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1]
    if (token === undefined || token.length > TOKEN_MAX) return { kind: 'refused' }
    if (adminToken !== null && equalInConstantTime(token, adminToken)) {
      return { kind: 'caller', caller: { actor: { kind: 'TOKEN', name: 'admin' }, role: 'ADMIN' } }
    }
    const stored = await findValidToken(db, token, { now: new Date(now()) })
    if (stored === null) return { kind: 'refused' }
    return { kind: 'caller', caller: { actor: { kind: 'TOKEN', name: stored.name }, role: stored.role } }
  }
}
