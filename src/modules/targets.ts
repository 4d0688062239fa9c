import { z } from 'zod'
import { type Lost, Outbound } from './outbound.ts'
import { ownerAddress, readOwnerList, signingSecret } from './owner-setting.ts'

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
  readonly #outbound = new Outbound({ responseBytes: RESPONSE_BYTES })

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
    const { secret } = target
    const { status, lost } = await this.#outbound.exchange({
      method: 'POST',
      url: target.url,
      body,
      headers: target.kind === 'GENERIC' ? { 'idempotency-key': idempotencyKey } : {},
      signed: secret === undefined ? undefined : { secret, id: idempotencyKey },
      signal,
      timeoutMs: limitMs,
    })
    // The status is the whole answer, whatever became of the rest.
    return status === null ? failed(true, whyLost(target.name, lost, limitMs)) : answerOf(target.name, status)
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

function whyLost(name: string, { why, code }: Lost, limitMs: number): string {
  if (why === 'LATE') return `Target "${name}" did not answer within ${limitMs / 1000} s.`
  if (why === 'ABORTED') return `The post to target "${name}" was broken off.`
  return `Target "${name}" could not be reached${code === null ? '' : ` (${code})`}.`
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

const targetShape = z.strictObject({
  name: z
    .string('must be a text; give the name that events use.')
    .regex(
      /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/,
      'must be letters, digits, hyphens and underscores, at most 64; rename it.',
    ),
  kind: z.enum(['DISCORD', 'SLACK', 'GENERIC'], 'must be "DISCORD", "SLACK" or "GENERIC"; give one of them.'),
  url: ownerAddress,
  secret: signingSecret('must be a text; give a secret, or leave it out.').optional(),
})

/**
 * Reads the value of CUELIGHT_TARGETS, a JSON list:
 * `[{"name": "news", "kind": "DISCORD", "url": "https://…"}, {"name": "world", "kind": "GENERIC", "url": "https://…",
 * "secret": "whsec_…"}]`. Without a value there are no targets. Each problem is a sentence that names the field and
 * quotes neither addresses nor secrets; with a problem there are no targets.
 */
export function parseTargets(text: string | undefined): { targets: Target[]; problems: string[] } {
  const { entries, problems } = readOwnerList<Target>('CUELIGHT_TARGETS', text, {
    shape: targetShape,
    example: '[{"name": "news", "kind": "DISCORD", "url": "https://…"}]',
    among(targets) {
      const names = targets.map(({ name }) => name)
      return names.flatMap((name, index) =>
        names.indexOf(name) < index ? [`[${index}].name is used twice ("${name}"); rename one.`] : [],
      )
    },
  })
  return { targets: entries, problems }
}
