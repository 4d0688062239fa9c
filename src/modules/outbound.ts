import { context, propagation } from '@opentelemetry/api'
import { Webhook } from 'standardwebhooks'
import type { Agent } from 'undici'

export type OutboundRequest = {
  method: 'GET' | 'POST'
  url: string
  /** JSON, as it is signed and sent; '' for a GET. */
  body: string
  headers?: Record<string, string>
  /** Signs the request as the Standard Webhooks specification says; `id` becomes its `webhook-id`. */
  signed?: { secret: string; id: string } | undefined
  signal: AbortSignal
  timeoutMs: number
}

/** Why there is no answer, or not all of one; `code` is that of a network error, such as ECONNREFUSED. */
export type Lost = { why: 'LATE' | 'ABORTED' | 'TOO_LARGE' | 'BROKEN'; code: string | null }

/** `status` is null where not even that came, `body` where not all of it did; `lost` says why. */
export type Reply =
  | { status: number; body: string; lost: null }
  | { status: number; body: null; lost: Lost }
  | { status: null; body: null; lost: Lost }

const CONNECT_MS = 10_000
/** With servers that do not say how long they keep a connection: some close it after 2 s, and a request must not meet that. */
const KEEP_ALIVE_MS = 1_000

/**
 * The way out to addresses that the server's owner named: bounded in time and size, following no redirects, through no
 * proxy. Connections are kept and used again. Where traces are recorded, a request says which it belongs to.
 */
export class Outbound {
  readonly #responseBytes: number
  #agent: Agent | undefined

  /** More of a response than `responseBytes` is not read. */
  constructor({ responseBytes }: { responseBytes: number }) {
    this.#responseBytes = responseBytes
  }

  /** Sends a request once and reads the answer. Never rejects. */
  async exchange({ method, url, body, headers, signed, signal, timeoutMs }: OutboundRequest): Promise<Reply> {
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), timeoutMs)
    let status: number | null = null
    const traced: Record<string, string> = {}
    propagation.inject(context.active(), traced)
    try {
      // Loaded with the first request: most servers never send one.
      const { Agent, request } = await import('undici')
      this.#agent ??= new Agent({
        connect: { timeout: CONNECT_MS },
        maxResponseSize: this.#responseBytes,
        keepAliveTimeout: KEEP_ALIVE_MS,
        // The deadline of the request counts, which may be an hour.
        headersTimeout: 0,
        bodyTimeout: 0,
      })
      const response = await request(url, {
        method,
        headers: {
          ...traced,
          'user-agent': 'Cuelight',
          // Without it a server may compress its answer, which is not undone here.
          'accept-encoding': 'identity',
          ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
          ...headers,
          ...(signed === undefined ? {} : signature(signed, { body, at: new Date() })),
        },
        ...(method === 'POST' ? { body } : {}),
        signal: AbortSignal.any([signal, deadline.signal]),
        dispatcher: this.#agent,
      })
      status = response.statusCode
      return { status, body: await response.body.text(), lost: null }
    } catch (error) {
      // The error's own text may hold the address.
      const code = codeOf(error)
      const why = deadline.signal.aborted
        ? 'LATE'
        : signal.aborted
          ? 'ABORTED'
          : code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
            ? 'TOO_LARGE'
            : 'BROKEN'
      return { status, body: null, lost: { why, code } }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends all connections, whatever goes over them. */
  async close(): Promise<void> {
    await this.#agent?.destroy()
  }
}

function signature(
  { secret, id }: { secret: string; id: string },
  { body, at }: { body: string; at: Date },
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  }
}

function codeOf(error: unknown): string | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? code : null
}
