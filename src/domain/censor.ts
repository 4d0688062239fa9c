import { isObject } from './plain-object.ts'

/** Strikes secrets out of a text. */
export type Censor = (text: string) => string

/** What a secret becomes wherever a text would show it. */
export const CENSORED = '[redacted]'

/** Shorter ones are words that texts are made of: to strike out a password "info" would ruin the log and tell it. */
const SECRET_MIN = 8

/** A token that Cuelight made, a JWT, or a password in an address. */
const SHAPES: readonly Shape[] = [
  [/\bcuelight_[A-Za-z0-9_-]{20,}/g, CENSORED],
  [/\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+/g, CENSORED],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s:@/"\\]*:)[^\s@"\\]+@/gi, `$1${CENSORED}@`],
]
type Shape = readonly [RegExp, string]

/** Anything that reads as a bearer token: nobody tells stories in the server's log. */
export const ANY_BEARER: Shape = [/\b(Bearer\s+)[^\s"'\\,]+/gi, `$1${CENSORED}`]
/** The same where people read of a ring bearer. */
const LONG_BEARER: Shape = [/\b(Bearer\s+)[A-Za-z0-9._~+/=-]{16,}/gi, `$1${CENSORED}`]

/**
 * Strikes out `secrets` (of 8 characters or more; as they stand, and as an address or JSON writes them), and all that
 * looks like a token or a password in an address.
 */
export function censorOf(secrets: readonly string[], bearer: Shape = LONG_BEARER): Censor {
  // Longest first, or a part of one would be struck out of it and leave the rest.
  const written = secrets
    .filter((secret) => secret.length >= SECRET_MIN)
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    .sort((a, b) => b.length - a.length)
  const shapes = [bearer, ...SHAPES]
  return (text) => {
    let clean = text
    for (const secret of written) clean = clean.replaceAll(secret, CENSORED)
    for (const [shape, replacement] of shapes) clean = clean.replace(shape, replacement)
    return clean
  }
}

/** JSON with every text in it censored; the names of fields stay as they are. */
export function censoredJson<T>(value: T, censor: Censor): T
export function censoredJson(value: unknown, censor: Censor): unknown {
  if (typeof value === 'string') return censor(value)
  if (Array.isArray(value)) return value.map((item) => censoredJson(item, censor))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, censoredJson(item, censor)]))
}

/**
 * A text of at most that length and "…" for the rest of it, cut between words: of a secret that is cut in two, what is
 * left would not be known for one.
 */
export function beginningOf(text: string, length: number): string {
  if (text.length <= length) return text
  const head = text.slice(0, length)
  return `${head.slice(0, Math.max(0, head.search(/\s\S*$/)))}…`
}
