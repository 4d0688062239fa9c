import { randomUUID } from 'node:crypto'
import { beginningOf } from '../domain/censor.ts'
import { formatDuration } from '../domain/duration.ts'
import { PLACEHOLDER_KIND } from '../domain/ledger-log.ts'
import { isObject } from '../domain/plain-object.ts'
import type { CallOptions, WorldCalls } from './manifest.ts'
import type { Envelope, RevertRequest } from './module.ts'
import type { Lost, Outbound, Reply } from './outbound.ts'
import { kindOf } from './schema/schema.ts'

/** A module over HTTP as the server's owner named it. Neither may show anywhere. */
export type RemoteModule = { url: string; secret: string }

/** A manifest as it came, or why there is none, as a sentence. */
export type ManifestRead = { ok: true; manifest: Record<string, unknown> } | { ok: false; problem: string }

/** More of an answer or a manifest than 1 MiB is not read. */
export const ANSWER_BYTES = 1024 * 1024
/** A budget ends by the clock of who calls; should that fail, the call ends so much later. */
const MARGIN_MS = 5_000
/** The most of a world's own error that is kept. */
const MAX_ERROR = 2_000
const ADVICE = 'See that the world is up and in order, and that its address and secret here are right.'

/** Calls a world over HTTP. Answers are what actions answer, to be classified as theirs; nothing here throws. */
export class RemoteWorld implements WorldCalls {
  readonly #base: string
  readonly #secret: string
  readonly #outbound: Outbound

  constructor({ url, secret }: RemoteModule, outbound: Outbound) {
    this.#base = url.replace(/\/+$/, '')
    this.#secret = secret
    this.#outbound = outbound
  }

  /** Asks what the world offers. */
  async manifest({ signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number }): Promise<ManifestRead> {
    const refuse = (problem: string): ManifestRead => ({ ok: false, problem })
    const reply = await this.#outbound.exchange({
      method: 'GET',
      url: `${this.#base}/manifest`,
      body: '',
      signed: { secret: this.#secret, id: `manifest.${randomUUID()}` },
      signal,
      timeoutMs,
    })
    if (reply.status !== null && !isSuccess(reply.status))
      return refuse(`GET /manifest was answered with ${statusText(reply)}. ${ADVICE}`)
    if (reply.lost !== null)
      return refuse(`Its manifest could not be read: ${whyLost(reply.lost, timeoutMs)}. ${ADVICE}`)
    const json = parse(reply.body)
    if (json !== null && isObject(json.value)) return { ok: true, manifest: json.value }
    const found = json === null ? 'no JSON' : kindOf(json.value)
    return refuse(
      `The answer to GET /manifest must be a JSON object {"id", "actions", "triggers"}, and is ${found}. ${ADVICE}`,
    )
  }

  perform(actionId: string, envelope: Envelope, options: CallOptions): Promise<unknown> {
    return this.#call('perform', { body: { actionId, ...envelope }, id: envelope.idempotencyKey }, options)
  }

  revert(actionId: string, request: RevertRequest, options: CallOptions): Promise<unknown> {
    const { idempotencyKey, resource } = request
    const id = `${idempotencyKey}.${resource.kind === PLACEHOLDER_KIND ? 'step' : resource.id}`
    return this.#call('revert', { body: { actionId, ...request }, id }, options)
  }

  async #call(
    verb: 'perform' | 'revert',
    { body, id }: { body: object; id: string },
    { signal, budgetMs }: CallOptions,
  ): Promise<unknown> {
    const timeoutMs = budgetMs + MARGIN_MS
    const reply = await this.#outbound.exchange({
      method: 'POST',
      url: `${this.#base}/${verb}`,
      body: JSON.stringify(body),
      signed: { secret: this.#secret, id },
      signal,
      timeoutMs,
    })
    return answerOf(reply, timeoutMs)
  }
}

const failed = (retry: boolean, error: string) => ({ ok: false, retry, error })

/** What the reply to a call answers. */
function answerOf(reply: Reply, timeoutMs: number): unknown {
  if (reply.status === null) return failed(true, `its world did not answer: ${whyLost(reply.lost, timeoutMs)}`)
  if (!isSuccess(reply.status)) {
    const isTransient = reply.status === 429 || reply.status >= 500
    return failed(isTransient, `its world answered ${statusText(reply)}`)
  }
  if (reply.lost !== null) return failed(true, `the answer was unusable: ${whyLost(reply.lost, timeoutMs)}`)
  const json = parse(reply.body)
  return json === null
    ? failed(true, 'the answer was unusable: it was no JSON; a world answers {"ok": true}')
    : json.value
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** A status that is no success, with what the world says of it. */
function statusText({ status, body }: Extract<Reply, { status: number }>): string {
  if (status < 400)
    return `${status}, a redirect, which is not followed: name its final address in CUELIGHT_REMOTE_MODULES`
  const json = body === null ? null : parse(body)
  const error = isObject(json?.value) && typeof json.value.error === 'string' ? json.value.error.trim() : ''
  return error === '' ? String(status) : `${status}: ${beginningOf(error, MAX_ERROR)}`
}

function whyLost({ why, code }: Lost, timeoutMs: number): string {
  if (why === 'LATE') return `there was no answer within ${formatDuration(timeoutMs)}`
  if (why === 'ABORTED') return 'the call was broken off'
  if (why === 'TOO_LARGE') return `it was larger than ${ANSWER_BYTES / 2 ** 20} MiB`
  return `the connection failed${code === null ? '' : ` (${code})`}`
}

function parse(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}
