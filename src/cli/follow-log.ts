import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { isTerminal, type RunStatus } from '../domain/run.ts'
import { askApi, refusalOf, tokenOf, unreachable, wrongToken } from './api.ts'
import type { ClientConfig } from './config.ts'
import { CommandFailure, EXIT } from './failure.ts'
import { noRun } from './find-run.ts'
import { LOG_LINE, LogLine } from './log-line.ts'

/** How often a connection is tried, and how late an answer means that it is dead, whatever the network says. */
const PATIENCE = { pingMs: 10_000, pongMs: 5_000 }
/** Between two tries to connect again: from the one, doubled each time, up to the other. */
const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 8_000
/** A socket that has not opened by then is not let through, by a proxy before the server or so. */
const FIRST_TRIES = 5

/** What happens to somebody who follows a run's log. */
export type Followed =
  | { kind: 'lines'; lines: LogLine[] }
  /** The run has ended, and all of it is delivered. The last that comes. */
  | { kind: 'ended'; status: RunStatus }

const QUERY = `subscription ($runId: ID!, $after: Int!) { runLog(runId: $runId, after: $after) { cursor entries ${LOG_LINE} } }`
const Batch = z.object({ runLog: z.object({ cursor: z.number(), entries: z.array(LogLine) }) })
const Ending = z.object({ run: z.object({ status: z.custom<RunStatus>((it) => typeof it === 'string') }).nullable() })
const Closed = z.object({ code: z.number(), reason: z.string() })

export type Following = {
  runId: string
  /** The last line that there is already. */
  after: number
  /** Ends it. */
  signal: AbortSignal
  /** Told once when the connection is gone, with the last line that came; it is tried again and again from then on. */
  onLost(why: string, line: number): void
  onBack(): void
  patience?: typeof PATIENCE
}

/**
 * Follows the log of a run behind line `after`, over lost connections and servers that start again: each line comes
 * once, in order. Ends with the run, or when `signal` ends it. Throws a CommandFailure where the server refuses, or
 * where a socket could not be opened at all.
 */
export async function* followLog(config: ClientConfig, following: Following): AsyncGenerator<Followed, void, void> {
  const { runId, signal, patience = PATIENCE } = following
  let cursor = following.after
  let connected = false
  let tries = 0
  let lost = false
  let wait = FIRST_RETRY_MS
  const client = connect(config, patience, () => {
    connected = true
    if (lost) following.onBack()
    lost = false
  })
  const end = () => void client.dispose()
  signal.addEventListener('abort', end, { once: true })
  try {
    while (!signal.aborted) {
      try {
        for await (const { data, errors } of client.iterate({ query: QUERY, variables: { runId, after: cursor } })) {
          if (errors !== undefined) throw refusalOf(errors)
          wait = FIRST_RETRY_MS
          const { runLog } = Batch.parse(data)
          cursor = runLog.cursor
          yield { kind: 'lines', lines: runLog.entries }
        }
        if (signal.aborted) return
        const status = await statusOf(config, runId)
        if (isTerminal(status)) return yield { kind: 'ended', status }
      } catch (error) {
        if (signal.aborted) return
        const why = whyLost(error)
        tries += 1
        if (!connected && tries === FIRST_TRIES) throw unreachable(config.url, why)
        if (!lost) following.onLost(why, cursor)
        lost = true
      }
      await sleep(wait, undefined, { signal }).catch(() => {})
      wait = Math.min(wait * 2, LONGEST_RETRY_MS)
    }
  } finally {
    signal.removeEventListener('abort', end)
    await client.dispose()
  }
}

/** A client that connects anew for each subscription that finds no socket, and repeats none by itself. */
function connect(
  config: ClientConfig,
  { pingMs, pongMs }: Required<Following>['patience'],
  onConnected: () => void,
): Client {
  let unanswered: NodeJS.Timeout | undefined
  const { url } = config
  const client: Client = createClient({
    url: new URL('graphql', `${url.replace(/^http/, 'ws').replace(/\/$/, '')}/`).href,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${tokenOf(config)}` },
    retryAttempts: 0,
    keepAlive: pingMs,
    on: {
      connected: onConnected,
      ping: (received) => {
        if (!received) unanswered = setTimeout(() => client.terminate(), pongMs)
      },
      pong: (received) => {
        if (received) clearTimeout(unanswered)
      },
      closed: () => clearTimeout(unanswered),
    },
  })
  return client
}

/** Why a connection is gone. Throws what trying again would not change. */
function whyLost(error: unknown): string {
  if (error instanceof CommandFailure && error.exit !== EXIT.UNEXPECTED) throw error
  // A list of errors is the server's answer to the subscription.
  if (Array.isArray(error)) {
    const refusal = refusalOf(error)
    if (refusal.exit !== EXIT.UNEXPECTED) throw refusal
    return refusal.message
  }
  const closed = Closed.safeParse(error).data
  if (closed?.code === 4401) throw wrongToken()
  if (closed !== undefined) return closed.reason || `closed with ${closed.code}`
  return error instanceof Error ? error.message : 'it broke off'
}

async function statusOf(config: ClientConfig, id: string): Promise<RunStatus> {
  const { run } = await askApi(config, {
    document: 'query ($id: ID!) { run(id: $id) { status } }',
    variables: { id },
    shape: Ending,
  })
  if (run === null) throw noRun(id)
  return run.status
}
