import { createHash } from 'node:crypto'
import { includesRole } from '../domain/access.ts'
import type { Authenticate, Authentication } from './authenticate.ts'
import type { MetricsPage } from './metrics.ts'
import { within } from './within.ts'

/** The page, or why the caller does not get it. */
export type MetricsAnswer =
  | { kind: 'page'; page: MetricsPage }
  | { kind: 'refused'; status: 401 | 403 | 503; error: string }

/** Answers `/metrics` to whom an Authorization value belongs. */
export type MetricsEndpoint = (authorization: string | null) => Promise<MetricsAnswer>

/** How long the question who asks may take. */
const AUTHENTICATE_MS = 2000
/** Tokens remembered, more than there are scrapers. */
const REMEMBERED = 16

const NO_TOKEN =
  '/metrics needs an Authorization header, "Bearer <token>", with a token of the role VIEWER, MODERATOR or ADMIN.'
const WRONG_TOKEN =
  'The Authorization header holds no valid token; it may be "Bearer <token>". Ask an admin of this server for one.'
const WRONG_ROLE = 'This token may not read metrics; use one of the role VIEWER, MODERATOR or ADMIN.'
const UNKNOWN_TOKEN =
  'The token cannot be checked at the moment, as the database or the identity provider does not answer; ask again later.'

/**
 * `/metrics` for VIEWER and up. A scrape is wanted most while the database is away, where no stored token can be checked:
 * one that was let in before still is, until it expires.
 */
export function createMetricsEndpoint({
  authenticate,
  page,
  now,
}: {
  authenticate: Authenticate
  page(): Promise<MetricsPage>
  now(): number
}): MetricsEndpoint {
  /** Hashes of what was let in, and when it expires. */
  const letIn = new Map<string, number>()
  return async (authorization) => {
    const proof = createHash('sha256')
      .update(authorization ?? '')
      .digest('base64')
    const known = await within(AUTHENTICATE_MS, authenticate(authorization))
    const authentication = known?.kind === 'unknown' ? null : known
    const until = letIn.get(proof)
    letIn.delete(proof)
    const refusal =
      authentication === null
        ? until === undefined || until <= now()
          ? refused(503, UNKNOWN_TOKEN)
          : null
        : refusalOf(authentication)
    if (refusal !== null) return refusal
    letIn.set(proof, authentication === null ? (until ?? 0) : endOf(authentication))
    const [oldest] = letIn.keys()
    if (letIn.size > REMEMBERED && oldest !== undefined) letIn.delete(oldest)
    return { kind: 'page', page: await page() }
  }
}

const refused = (status: 401 | 403 | 503, error: string): MetricsAnswer => ({ kind: 'refused', status, error })

function refusalOf(authentication: Authentication): MetricsAnswer | null {
  if (authentication.kind === 'anonymous') return refused(401, NO_TOKEN)
  if (authentication.kind !== 'caller') return refused(401, WRONG_TOKEN)
  return includesRole(authentication.caller.role, 'VIEWER') ? null : refused(403, WRONG_ROLE)
}

const endOf = (authentication: Authentication): number =>
  (authentication.kind === 'caller' ? authentication.credential?.expiresAt : null) ?? Number.POSITIVE_INFINITY
