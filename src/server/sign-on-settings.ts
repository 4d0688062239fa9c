/** Single sign-on: which JWTs are taken, and where the keys are that they are signed with. */
export type SignOnSettings = {
  jwksUrl: string
  issuer: string
  audience: string
  /** Name of the claim that holds roles, or the dotted path to it. */
  roleClaim: string
}

const [URL_NAME, ISSUER, AUDIENCE, ROLE_CLAIM] = [
  'CUELIGHT_JWKS_URL',
  'CUELIGHT_JWT_ISSUER',
  'CUELIGHT_JWT_AUDIENCE',
  'CUELIGHT_JWT_ROLE_CLAIM',
] as const

const DEFAULT_ROLE_CLAIM = 'role'

/**
 * Reads the settings of single sign-on; null without any. `problems` has a sentence for each that is wrong, and then the
 * settings are not to be used.
 */
export function readSignOn(text: (name: string) => string | null): {
  signOn: SignOnSettings | null
  problems: string[]
} {
  const [jwksUrl, issuer, audience] = [text(URL_NAME), text(ISSUER), text(AUDIENCE)]
  if (jwksUrl === null) {
    const alone = [ISSUER, AUDIENCE, ROLE_CLAIM].filter((name) => text(name) !== null)
    const sentence = (name: string) =>
      `${name} is set, but ${URL_NAME} is not; set it to the address of your identity provider's key set, or unset this.`
    return { signOn: null, problems: alone.map(sentence) }
  }
  const problems = []
  if (!isKeySetAddress(jwksUrl)) {
    // Not quoted: it may hold a password.
    problems.push(
      `${URL_NAME} may be an https address without a user name and password, like https://sso.example.com/.well-known/jwks.json, or an http one of this machine; whoever changes what is read on the way could sign in as anybody.`,
    )
  }
  const missing = (name: string, what: string) =>
    problems.push(
      `${name} has to be set with ${URL_NAME}; it may be ${what}. Without it, what was meant for others would be taken.`,
    )
  if (issuer === null) missing(ISSUER, 'the "iss" of the tokens of your identity provider')
  if (audience === null) missing(AUDIENCE, 'the "aud" that your identity provider puts into tokens for this server')
  if (issuer === null || audience === null || problems.length > 0) return { signOn: null, problems }
  return { signOn: { jwksUrl, issuer, audience, roleClaim: text(ROLE_CLAIM) ?? DEFAULT_ROLE_CLAIM }, problems }
}

function isKeySetAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  const onThisMachine = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
  return protocol === 'https:' || (protocol === 'http:' && onThisMachine)
}
