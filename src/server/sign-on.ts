import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify } from 'jose'
import type { Role } from '../domain/access.ts'
import { inLine, MAX_ACTOR_NAME } from '../domain/actor-name.ts'
import { valueAt } from '../domain/dotted-path.ts'
import { isObject } from '../domain/plain-object.ts'
import { storableText } from '../domain/storable.ts'
import { Outbound } from '../modules/outbound.ts'
import type { Caller } from './authenticate.ts'
import { expired, type JwtRefusal, JwtRefusals, refusalOf } from './jwt-refusals.ts'
import type { Logger } from './logger.ts'
import type { SignOnSettings } from './sign-on-settings.ts'

/**
 * Who a JWT proves, and when it ends (milliseconds since the epoch); null: it is refused; 'unknown': the keys to check it
 * with cannot be read. Never rejects.
 */
export type CheckJwt = (token: string) => Promise<{ caller: Caller; expiresAt: number } | 'unknown' | null>

class KeySetAway extends Error {}

/** Signatures that the holder of a public key cannot make. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/** A token may come from a clock that is this much ahead. Its end is its end. */
const NOT_BEFORE_TOLERANCE_S = 60

const KEY_SET_MS = 5_000
const KEY_SET_BYTES = 256 * 1024
/** Keys are read again after this time; a key that was taken out of the set is refused by then. */
const KEY_SET_AGE_MS = 600_000
/** A key that is not in the set has it read again, at most this often: anybody can name one. */
const UNKNOWN_KEY_MS = 30_000
/** After one that failed, too. */
const FAILED_MS = 5_000

/** Of somebody who has several, the one that counts: the one that includes most, and EMITTER, which reads nothing, last. */
const HIGHEST_FIRST: readonly Role[] = ['ADMIN', 'MODERATOR', 'VIEWER', 'EMITTER']

/**
 * Checks JWTs of an identity provider: signed with a key of its set, by one of the asymmetric algorithms, for this issuer
 * and audience, in force at `now`, with a role that Cuelight knows. A key set that cannot be read is logged, and nothing
 * is known of tokens until it can be.
 */
export class SignOn {
  readonly #settings: SignOnSettings
  readonly #now: () => number
  readonly #log: Logger
  readonly #outbound = new Outbound({ responseBytes: KEY_SET_BYTES })
  readonly #stopping = new AbortController()
  readonly #keys: ReturnType<typeof createRemoteJWKSet>
  readonly #pauseMs: { failed: number; unknownKey: number }
  readonly #refusals: JwtRefusals
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(
    settings: SignOnSettings,
    {
      now,
      log,
      pauseMs = { failed: FAILED_MS, unknownKey: UNKNOWN_KEY_MS },
    }: { now: () => number; log: Logger; pauseMs?: { failed: number; unknownKey: number } },
  ) {
    this.#settings = settings
    this.#now = now
    this.#log = log
    this.#pauseMs = pauseMs
    this.#refusals = new JwtRefusals({ log, now })
    this.#keys = createRemoteJWKSet(new URL(settings.jwksUrl), {
      cacheMaxAge: KEY_SET_AGE_MS,
      cooldownDuration: pauseMs.unknownKey,
      timeoutDuration: KEY_SET_MS,
      [customFetch]: () => this.#readKeySet(),
    })
  }

  /** A field, so that it can be handed on as it is. */
  readonly check: CheckJwt = async (token) => {
    const { issuer, audience, roleClaim } = this.#settings
    const now = this.#now()
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        algorithms: ALGORITHMS,
        issuer,
        audience,
        requiredClaims: ['exp'],
        clockTolerance: NOT_BEFORE_TOLERANCE_S,
        currentDate: new Date(now),
      })
      const expiresAt = (payload.exp ?? 0) * 1000
      if (expiresAt <= now) return this.#refuse(expired(payload.exp))
      const name = nameIn(payload)
      if (name === null) return this.#refuse({ kind: 'name', why: `it has none of ${NAMES.join(', ')}` })
      const role = highestRole(claimIn(payload, roleClaim))
      if (role === null) {
        const why = `it gives ${name} no role; "${roleClaim}" of CUELIGHT_JWT_ROLE_CLAIM may hold ${HIGHEST_FIRST.join(', ')}`
        return this.#refuse({ kind: `role of ${name}`, why })
      }
      return { caller: { actor: { kind: 'USER', name }, role }, expiresAt }
    } catch (error) {
      if (error instanceof KeySetAway) return 'unknown'
      return this.#refuse(refusalOf(error, this.#settings))
    }
  }

  /** Reads no key set any more. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#outbound.close()
  }

  #refuse(refusal: JwtRefusal): null {
    this.#refusals.say(refusal)
    return null
  }

  /** Asks at most once in a while, however many tokens come in and whatever came of it. */
  async #readKeySet(): Promise<Response> {
    const at = performance.now()
    if (at < this.#askedAt + this.#pauseMs.failed) throw new KeySetAway('the key set was asked for a moment ago')
    this.#askedAt = at
    const reply = await this.#outbound.exchange({
      method: 'GET',
      url: this.#settings.jwksUrl,
      body: '',
      headers: { accept: 'application/json, application/jwk-set+json' },
      signal: this.#stopping.signal,
      timeoutMs: KEY_SET_MS,
    })
    const problem =
      reply.lost !== null
        ? `the connection failed (${reply.lost.code ?? reply.lost.why})`
        : reply.status !== 200
          ? `it answered ${reply.status}`
          : isKeySet(reply.body)
            ? null
            : 'what it answered is no key set'
    if (problem === null && reply.body !== null) return new Response(reply.body)
    this.#log.warn(
      `the key set of CUELIGHT_JWKS_URL could not be read: ${problem}; JWTs that need it cannot be checked until it can be. See that the address is right and that it is up.`,
    )
    throw new KeySetAway('the key set could not be read')
  }
}

function isKeySet(body: string): boolean {
  try {
    const set: unknown = JSON.parse(body)
    return isObject(set) && Array.isArray(set.keys) && set.keys.every(isObject)
  } catch {
    return false
  }
}

/** A claim by its name, which may hold dots (`https://example.com/roles`), or else by the path to it (`realm_access.roles`). */
const claimIn = (payload: JWTPayload, claim: string): unknown =>
  Object.hasOwn(payload, claim) ? payload[claim] : valueAt(payload, claim)

/** Of a role or a list of them, spelled as here; null: none that we know. */
function highestRole(claim: unknown): Role | null {
  const given: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  return HIGHEST_FIRST.find((role) => given.includes(role)) ?? null
}

const NAMES = ['name', 'preferred_username', 'email', 'sub']

function nameIn(payload: JWTPayload): string | null {
  for (const claim of NAMES) {
    const value = payload[claim]
    const name = typeof value === 'string' ? inLine(storableText(value)).trim() : ''
    if (name !== '') return [...name].slice(0, MAX_ACTOR_NAME).join('')
  }
  return null
}
