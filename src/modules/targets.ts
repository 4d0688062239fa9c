import { Webhook } from 'standardwebhooks'
import type { Agent } from 'undici'
import { z } from 'zod'
import { issueOf } from './schema/check.ts'
import { judgeZod } from './schema/zod-schema.ts'

export type TargetKind = 'DISCORD' | 'SLACK' | 'GENERIC'

/** An address that the server's owner named. Neither `url` nor `secret` may show anywhere. */
export type Target = { name: string; kind: TargetKind; url: string; secret?: string }

/** What is announced, and for which step; ids are as the API shows them, null in a verification. */
export type Notice = { message: string; runId: string | null; stepId: string | null; scope: string }

/** How a post went, as an action answers it. */
export type PostResult = { ok: true } | { ok: false; retry: boolean; error: string }

export type PostOptions = {
  /** Sent as `Idempotency-Key` and `webhook-id` to GENERIC targets, so that a repeat is recognised. */
  idempotencyKey: string
  signal: AbortSignal
  /** At most that of the targets. */
  timeoutMs?: number
}

const TIMEOUT_MS = 10_000
/** More of a response than this is not read. */
const RESPONSE_BYTES = 64 * 1024
const LONGEST_MESSAGE: Record<TargetKind, number> = { DISCORD: 2_000, SLACK: 40_000, GENERIC: 256 * 1024 }

/** The named targets of this server, and the only way out to them: bounded, timed, following no redirects. */
export class Targets {
  readonly #targets: ReadonlyMap<string, Target>
  readonly #timeoutMs: number
  #agent: Agent | undefined

  constructor(targets: readonly Target[] = [], { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {}) {
    this.#targets = new Map(targets.map((target) => [target.name, target]))
    this.#timeoutMs = timeoutMs
  }

  names(): string[] {
    return [...this.#targets.keys()]
  }

  /** Why a message cannot be announced there; null: it can. */
  announceProblem(name: string, message: string): string | null {
    const target = this.#targets.get(name)
    if (target === undefined) return this.#unknown(name)
    const longest = LONGEST_MESSAGE[target.kind]
    if (message.length <= longest) return null
    return `Target "${name}" takes messages of at most ${longest} characters, and this has ${message.length}; shorten it.`
  }

  /** Why nothing can be sent there as a signed webhook; null: it can. */
  sendProblem(name: string): string | null {
    const target = this.#targets.get(name)
    if (target === undefined) return this.#unknown(name)
    if (target.kind !== 'GENERIC')
      return `Target "${name}" is of kind ${target.kind}, and webhooks go to GENERIC ones; use core.announce.`
    if (target.secret === undefined)
      return `Target "${name}" has no secret to sign with; give it one in CUELIGHT_TARGETS.`
    return null
  }

  /** Posts a message in the form that the target's kind takes. Nobody is pinged by what stands in the text. */
  async announce(name: string, notice: Notice, options: PostOptions): Promise<PostResult> {
    const problem = this.announceProblem(name, notice.message)
    const target = this.#targets.get(name)
    if (problem !== null || target === undefined) return refused(problem ?? this.#unknown(name))
    return this.#post(target, JSON.stringify(BODIES[target.kind](notice)), options)
  }

  /** Posts a body as it is, signed as the Standard Webhooks specification says. */
  async send(name: string, body: Record<string, unknown>, options: PostOptions): Promise<PostResult> {
    const problem = this.sendProblem(name)
    const target = this.#targets.get(name)
    if (problem !== null || target === undefined) return refused(problem ?? this.#unknown(name))
    return this.#post(target, JSON.stringify(body), options)
  }

  #unknown(name: string): string {
    const names = this.names()
    const known = names.length === 0 ? 'none is' : `these are: ${names.join(', ')}`
    return `Target "${name}" is not named in CUELIGHT_TARGETS; ${known}. Correct the name, or have the server's owner add it.`
  }

  async #post(target: Target, body: string, { idempotencyKey, signal, timeoutMs }: PostOptions): Promise<PostResult> {
    const limitMs = Math.min(timeoutMs ?? this.#timeoutMs, this.#timeoutMs)
    const deadline = AbortSignal.timeout(limitMs)
    const headers: Record<string, string> = { 'content-type': 'application/json', 'user-agent': 'Cuelight' }
    if (target.kind === 'GENERIC') headers['idempotency-key'] = idempotencyKey
    if (target.secret !== undefined)
      Object.assign(headers, signature(target.secret, idempotencyKey, { body, at: new Date() }))
    try {
      const both = AbortSignal.any([signal, deadline])
      // Loaded with the first post: most servers never send one.
      const { Agent, request } = await import('undici')
      this.#agent ??= new Agent({ connect: { timeout: TIMEOUT_MS }, maxResponseSize: RESPONSE_BYTES })
      const response = await request(target.url, {
        method: 'POST',
        headers,
        body,
        signal: both,
        dispatcher: this.#agent,
      })
      // The status is the whole answer: what else comes is let go, and may fail.
      await response.body.dump({ limit: RESPONSE_BYTES, signal: both }).catch(() => undefined)
      return answerOf(target.name, response.statusCode)
    } catch (error) {
      // The error's own text may hold the address.
      if (deadline.aborted) return failed(true, `Target "${target.name}" did not answer within ${limitMs / 1000} s.`)
      if (signal.aborted) return failed(true, `The post to target "${target.name}" was broken off.`)
      return failed(true, `Target "${target.name}" could not be reached${codeOf(error)}.`)
    }
  }
}

const failed = (retry: boolean, error: string): PostResult => ({ ok: false, retry, error })
const refused = (error: string): PostResult => failed(false, error)

const BODIES: Record<TargetKind, (notice: Notice) => object> = {
  DISCORD: ({ message }) => ({ content: message, allowed_mentions: { parse: [] } }),
  // Slack pings by `<!channel>` and `<@U…>`: escaped, they are text.
  SLACK: ({ message }) => ({
    text: message.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  }),
  GENERIC: ({ message, runId, stepId, scope }) => ({ message, runId, stepId, scope }),
}

function signature(secret: string, id: string, { body, at }: { body: string; at: Date }): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  }
}

function answerOf(name: string, status: number): PostResult {
  if (status >= 200 && status < 300) return { ok: true }
  if (status >= 300 && status < 400) {
    return refused(
      `Target "${name}" redirects (${status}), which is not followed; name its final address in CUELIGHT_TARGETS.`,
    )
  }
  const retry = status === 429 || status >= 500
  return failed(
    retry,
    `Target "${name}" answered ${status}${retry ? '' : '; check its address, its secret and what is posted'}.`,
  )
}

/** The code of a network error, such as ECONNREFUSED, in parentheses. */
function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? ` (${code})` : ''
}

const isAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}
const isSecret = (text: string): boolean => {
  const base64 = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(text)?.[1]
  const bytes = Buffer.from(base64 ?? '', 'base64').length
  return bytes >= 24 && bytes <= 64
}

// All of it is worded here, because what was given may be secret and must not be quoted.
const targetsShape = z.array(
  z.strictObject({
    name: z
      .string('must be a text; give the name that events use.')
      .regex(
        /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/,
        'must be letters, digits, hyphens and underscores, at most 64; rename it.',
      ),
    kind: z.enum(['DISCORD', 'SLACK', 'GENERIC'], 'must be "DISCORD", "SLACK" or "GENERIC"; give one of them.'),
    url: z
      .string('must be a text; give the address to post to.')
      .refine(isAddress, 'must be an http or https address without a user name and password; correct it.'),
    secret: z
      .string('must be a text; give a secret, or leave it out.')
      .refine(
        isSecret,
        'must be "whsec_" and 24 to 64 bytes in base64; make one with: echo "whsec_$(openssl rand -base64 32)".',
      )
      .optional(),
  }),
)

/**
 * Reads the value of CUELIGHT_TARGETS, a JSON list:
 * `[{"name": "news", "kind": "DISCORD", "url": "https://…"}, {"name": "world", "kind": "GENERIC", "url": "https://…",
 * "secret": "whsec_…"}]`. Without a value there are no targets. Each problem is a sentence that names the field and
 * quotes neither addresses nor secrets; with a problem there are no targets.
 */
export function parseTargets(text: string | undefined): { targets: Target[]; problems: string[] } {
  if (text === undefined || text.trim() === '') return { targets: [], problems: [] }
  const refuse = (...problems: string[]) => ({
    targets: [],
    problems: problems.map((problem) => `CUELIGHT_TARGETS${problem}`),
  })
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return refuse(
      ' must be a JSON list like [{"name": "news", "kind": "DISCORD", "url": "https://…"}], and is no JSON; correct it.',
    )
  }
  const judged = judgeZod(targetsShape, given)
  if (!judged.ok) {
    const issues = judged.findings.map(issueOf)
    return refuse(
      ...issues.map(({ path, message }) => `${path === '' || path.startsWith('[') ? path : `.${path}`} ${message}`),
    )
  }
  const names = judged.value.map(({ name }) => name)
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) < index ? [`[${index}].name is used twice ("${name}"); rename one.`] : [],
  )
  return twice.length > 0 ? refuse(...twice) : { targets: judged.value, problems: [] }
}
