import { errors } from 'jose'
import { inLine } from '../domain/actor-name.ts'
import type { Logger } from './logger.ts'
import type { SignOnSettings } from './sign-on-settings.ts'

/** Why a JWT is refused: `kind` is the same for all that are refused for the same reason. */
export type JwtRefusal = { kind: string; why: string }

/** Anybody may send any number of what is refused: of each kind one line in this time. */
const EVERY_MS = 60_000
/** A kind may hold a name. */
const MOST_KINDS = 1_000
const MAX_SHOWN = 200

/** What jose threw, as a sentence for who set single sign-on up. Claims are shown only once the signature was found good. */
export function refusalOf(error: unknown, { issuer, audience }: SignOnSettings): JwtRefusal {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    const { claim, reason, payload } = error
    const value = payload[claim]
    const wanted =
      { iss: `; CUELIGHT_JWT_ISSUER is "${issuer}"`, aud: `; CUELIGHT_JWT_AUDIENCE is "${audience}"` }[claim] ?? ''
    if (value === undefined) return { kind: claim, why: `it has no ${claim}${wanted || ', which it needs'}` }
    if (reason === 'invalid') return { kind: claim, why: `its ${claim} is ${shown(value)}, which is no instant` }
    if (claim === 'exp') return expired(value)
    if (claim === 'nbf') return { kind: claim, why: `it is not valid before ${instant(value)}; set the clocks by NTP` }
    return { kind: claim, why: `its ${claim} is ${shown(value)}${wanted}` }
  }
  const kind = error instanceof errors.JOSEError ? error.code : String(error)
  return { kind, why: WHY[kind] ?? `it cannot be read (${kind})` }
}

export const expired = (exp: unknown): JwtRefusal => ({ kind: 'exp', why: `it expired at ${instant(exp)}` })

const WHY: Record<string, string> = {
  ERR_JWKS_NO_MATCHING_KEY:
    'the key set of CUELIGHT_JWKS_URL has no key of its kid and alg; see that the address is that of the issuer',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS:
    'it has no kid, and several keys of CUELIGHT_JWKS_URL fit; have the identity provider name the key',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'it is not signed with the key of CUELIGHT_JWKS_URL that it names',
  ERR_JOSE_ALG_NOT_ALLOWED: 'its alg is not taken; have it signed with RS, PS or ES 256, 384 or 512, or EdDSA',
}

/** Of bounded length: a list of audiences may be long. */
function shown(value: unknown): string {
  const text = inLine(JSON.stringify(value) ?? '')
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

function instant(seconds: unknown): string {
  const at = new Date(typeof seconds === 'number' ? seconds * 1_000 : Number.NaN)
  return Number.isNaN(at.getTime()) ? shown(seconds) : at.toISOString()
}

/** Logs why JWTs are refused, once in a while for each kind, with how many more there were of it. */
export class JwtRefusals {
  readonly #log: Logger
  readonly #now: () => number
  readonly #said = new Map<string, { at: number; more: number }>()

  constructor({ log, now }: { log: Logger; now: () => number }) {
    this.#log = log
    this.#now = now
  }

  say({ kind, why }: JwtRefusal): void {
    const now = this.#now()
    const said = this.#said.get(kind)
    const message = `a JWT was refused: ${why}`
    if (said !== undefined && now < said.at + EVERY_MS) {
      said.more += 1
      this.#log.debug(message)
      return
    }
    if (this.#said.size >= MOST_KINDS) this.#said.clear()
    this.#said.set(kind, { at: now, more: 0 })
    const more = said === undefined || said.more === 0 ? {} : { moreLikeIt: said.more }
    this.#log.info(more, message)
  }
}
