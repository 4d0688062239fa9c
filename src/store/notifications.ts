import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { z } from 'zod'
import type { Carrier, Changes, RunChange } from './changes.ts'
import { connectionOf } from './connection.ts'

const CHANNEL = 'cuelight'
/**
 * So long lie between two statements, each of which is a commit: a NOTIFY for each line would cost most of the commits.
 * What is told meanwhile goes together; what is told after a while of nothing goes at once.
 */
const GATHER_MS = 10
/** A payload has to be shorter than 8,000 bytes; a run takes 54 at most. */
const RUNS_IN_MESSAGE = 140
/** More than this at a time, and others are told to look at everything. */
const MOST_RUNS = 5_000
const ASK_MS = 10_000
/** How long what is left to tell may take when the process stops. */
const LAST_WORDS_MS = 1_000
const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 10_000

const Message = z.union([
  z.object({ runs: z.array(z.tuple([z.uuid(), z.int(), z.literal([0, 1])])) }),
  z.object({ wake: z.enum(['runs', 'schedules']) }),
  z.object({ revoked: z.array(z.uuid()) }),
])
type Message = z.infer<typeof Message> | { missed: true }

export type NotificationOptions = {
  url: string
  changes: Changes
  log: { info(message: string): void; warn(message: string): void }
  /** How often a quiet connection is asked whether it still is one, and how long any answer may take. */
  askMs?: number
}

/**
 * Carries changes between the processes that share a database, by NOTIFY and LISTEN on a connection of its own. Nothing
 * depends on it but how soon others know: while the connection is away they find out by looking, and it comes back by
 * itself.
 */
export class Notifications implements Carrier {
  readonly #options: NotificationOptions
  readonly #stopping = new AbortController()
  #session: pg.Client | null = null
  #connected: Promise<void> | null = null
  #runs = new Map<string, RunChange>()
  #wake: 'runs' | 'schedules' | null = null
  #revoked = new Set<string>()
  /** Something was told here that others have not heard of and will not. */
  #lost = false
  #gathering: NodeJS.Timeout | null = null
  #sentAt = Number.NEGATIVE_INFINITY
  #sending: Promise<void> = Promise.resolve()

  constructor(options: NotificationOptions) {
    this.#options = options
  }

  /** Resolves when others are heard, or when connecting failed for the first time and is tried again. Call it once. */
  start(): Promise<void> {
    this.#options.changes.carryBy(this)
    return new Promise((tried) => {
      this.#connected = this.#stayConnected(tried)
    })
  }

  /** Sends what is left to send and ends the connection. */
  async stop(): Promise<void> {
    this.#options.changes.carryBy(null)
    if (this.#gathering !== null) {
      clearTimeout(this.#gathering)
      this.#send()
    }
    await Promise.race([this.#sending, delay(LAST_WORDS_MS, undefined, { ref: false })])
    this.#stopping.abort()
    await this.#connected
  }

  change(change: RunChange): void {
    const before = this.#runs.get(change.runId)
    if (before === undefined && this.#runs.size >= MOST_RUNS) this.#lost = true
    else
      this.#runs.set(change.runId, {
        runId: change.runId,
        line: Math.max(change.line, before?.line ?? 0),
        cues: change.cues || before?.cues === true,
      })
    this.#gather()
  }

  wake({ schedules }: { schedules: boolean }): void {
    if (schedules) this.#wake = 'schedules'
    else this.#wake ??= 'runs'
    this.#gather()
  }

  tokenRevoked(tokenId: string): void {
    if (this.#revoked.size >= RUNS_IN_MESSAGE) this.#lost = true
    else this.#revoked.add(tokenId)
    this.#gather()
  }

  #gather(): void {
    // Never in this turn: what a commit changed is told one after the other.
    this.#gathering ??= setTimeout(() => this.#send(), Math.max(this.#sentAt + GATHER_MS - performance.now(), 0))
  }

  /** One statement at a time: what is told while one is on its way is gathered meanwhile. */
  #send(): void {
    this.#sending = this.#sending.then(async () => {
      this.#gathering = null
      this.#sentAt = performance.now()
      const told = { runs: [...this.#runs.values()], wake: this.#wake, revoked: [...this.#revoked] }
      this.#runs.clear()
      this.#wake = null
      this.#revoked.clear()
      const session = this.#session
      if (session === null) {
        this.#lost = true
        return
      }
      const messages: Message[] = this.#lost ? [{ missed: true }] : messagesOf(told)
      this.#lost = false
      try {
        await session.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [
          CHANNEL,
          messages.map((message) => JSON.stringify(message)),
        ])
      } catch {
        this.#lost = true
        this.#giveUp(session)
      }
    })
  }

  async #stayConnected(tried: () => void): Promise<void> {
    const { url, changes, log, askMs = ASK_MS } = this.#options
    const { signal } = this.#stopping
    let wait = FIRST_RETRY_MS
    let isAway = false
    while (!signal.aborted) {
      const session = new pg.Client({
        // A notification writes nothing that has to last: its commit need not wait for the disk.
        ...connectionOf(url, { name: 'Cuelight notifications', session: ['-c synchronous_commit=off'] }),
        query_timeout: askMs,
      })
      // Whatever happens to it ends it; an error without a listener would be thrown.
      session.on('error', () => {})
      const ended = new Promise<void>((resolve) => session.once('end', resolve))
      let giveUp = (): void => {}
      const givenUp = new Promise<void>((resolve) => {
        giveUp = () => resolve(this.#giveUp(session))
      })
      signal.addEventListener('abort', giveUp)
      try {
        // pg does not settle a connect whose session is ended before it is there.
        await Promise.race([this.#listen(session), givenUp])
        signal.throwIfAborted()
        if (isAway) log.info('other processes are heard again')
        isAway = false
        wait = FIRST_RETRY_MS
        this.#session = session
        // What others told before was not heard, and what was told here meanwhile was not sent.
        changes.missedSome()
        if (this.#lost) this.#gather()
        tried()
        // When the process stops, nothing is asked any more that could go unanswered.
        await Promise.race([this.#askUntil(session, ended), givenUp.then(() => ended)])
      } catch (error) {
        if (!isAway && !signal.aborted)
          log.warn(
            `other processes on the database are not heard (${String(error)}); this one looks for itself, and goes on trying`,
          )
        isAway = true
      } finally {
        signal.removeEventListener('abort', giveUp)
        giveUp()
      }
      tried()
      await delay(wait, undefined, { signal }).catch(() => {})
      wait = Math.min(wait * 2, LONGEST_RETRY_MS)
    }
  }

  async #listen(session: pg.Client): Promise<void> {
    await session.connect()
    const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const own = rows[0]?.pid
    session.on('notification', ({ processId, payload }) => {
      if (processId !== own) this.#hear(payload ?? '')
    })
    await session.query(`LISTEN ${CHANNEL}`)
  }

  /** Throws when the connection has ended or does not answer, unless that was wanted. */
  async #askUntil(session: pg.Client, ended: Promise<unknown>): Promise<void> {
    const { askMs = ASK_MS } = this.#options
    const over = ended.then(() => true)
    while (!(await Promise.race([over, delay(askMs, false, { ref: false })]))) {
      const asked = this.#sending.then(() => session.query('SELECT 1'))
      this.#sending = asked.then(
        () => {},
        () => {},
      )
      await asked
    }
    if (!this.#stopping.signal.aborted) throw new Error('the connection to the database was lost')
  }

  #giveUp(session: pg.Client): void {
    if (this.#session === session) this.#session = null
    // With a query still unanswered this cuts the connection; without one it waits for the other end.
    const cut = setTimeout(() => session.connection.stream.destroy(), LAST_WORDS_MS).unref()
    session.once('end', () => clearTimeout(cut))
    session.end().catch(() => {})
  }

  #hear(payload: string): void {
    const { changes } = this.#options
    const message = Message.safeParse(parsed(payload)).data
    // Also what another release may say.
    if (message === undefined) changes.missedSome()
    else if ('runs' in message)
      for (const [runId, line, cues] of message.runs) changes.heardChange({ runId, line, cues: cues === 1 })
    else if ('revoked' in message) for (const id of message.revoked) changes.heardTokenRevoked(id)
    else changes.heardWake({ schedules: message.wake === 'schedules' })
  }
}

type Told = { runs: RunChange[]; wake: 'runs' | 'schedules' | null; revoked: string[] }

function messagesOf({ runs, wake, revoked }: Told): Message[] {
  const messages: Message[] = wake === null ? [] : [{ wake }]
  if (revoked.length > 0) messages.push({ revoked })
  for (let from = 0; from < runs.length; from += RUNS_IN_MESSAGE) {
    const some = runs.slice(from, from + RUNS_IN_MESSAGE)
    messages.push({ runs: some.map(({ runId, line, cues }) => [runId, line, cues ? 1 : 0]) })
  }
  return messages
}

function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload)
  } catch {
    return null
  }
}
