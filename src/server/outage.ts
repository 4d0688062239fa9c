import { setTimeout as sleep } from 'node:timers/promises'
import { inShort, isDatabaseAway } from '../store/faults.ts'
import type { Logger } from './logger.ts'

/** How long the database may take over a question that takes it no time, until it counts as away. */
const ANSWER_MS = 2_000
/** How often it is asked whether it is back. */
const ASK_AGAIN_MS = 500
/** How long after it is back what was asked before may still fail: the API's statements wait longest on a dead connection. */
const AFTERMATH_MS = 40_000

const LEVELS = ['warn', 'error'] as const
/** A line of the log about something that failed; `id` is what a client was told to ask after. */
type Failure = { err: unknown; id?: unknown }

/**
 * Says once that the database is away, and once that it is back. Whatever works with the database fails meanwhile, over
 * and over: what it logs of that goes by here, and is left to the level debug. One connection that breaks, or a statement
 * that is cancelled, is no outage: where the database answers, it is logged as it is.
 */
export class Outage {
  /** For all that works with the database. */
  readonly log: Logger
  readonly #own: Logger
  readonly #ping: () => Promise<void>
  readonly #answerMs: number
  readonly #stopping = new AbortController()
  #isAway = false
  #overAt = Number.NEGATIVE_INFINITY
  #asking: Promise<boolean> | null = null
  #following: Promise<void> = Promise.resolve()

  /** `ping` resolves when the database answers. */
  constructor({ log, ping, answerMs = ANSWER_MS }: { log: Logger; ping: () => Promise<void>; answerMs?: number }) {
    this.#own = log
    this.#ping = ping
    this.#answerMs = answerMs
    this.log = this.#filtered(log)
  }

  /** For who says that something is lost and, later, that it is there again: the second is logged where the first was. */
  pair(): { warn(message: string): void; info(message: string): void } {
    let said = Promise.resolve(false)
    return {
      warn: (message) => {
        said = this.#away().then((isAway) => {
          this.#own[isAway ? 'debug' : 'warn'](message)
          return !isAway
        })
      },
      info: (message) => void said.then((wasSaid) => this.#own[wasSaid ? 'info' : 'debug'](message)),
    }
  }

  /** Follows no outage any more. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#asking
    await this.#following
  }

  #filtered(log: Logger): Logger {
    const filtered: Logger = Object.create(log)
    for (const level of LEVELS)
      filtered[level] = (...args: unknown[]) => {
        const [failure, message] = args
        if (isOfDatabase(failure)) void this.#failed(level, failure, String(message))
        else Reflect.apply(log[level], log, args)
      }
    return filtered
  }

  async #failed(level: (typeof LEVELS)[number], failure: Failure, message: string): Promise<void> {
    const isAfter = performance.now() < this.#overAt + AFTERMATH_MS
    const isAway = await this.#away()
    if (!isAway && !isAfter) this.#own[level](failure, message)
    else if (failure.id === undefined) this.#own.debug(failure, message)
    else this.#own.warn({ id: failure.id, why: inShort(failure.err) }, message)
  }

  /** Whether it is away: one question for all who ask at a time. Where it is, that has been said. */
  async #away(): Promise<boolean> {
    if (this.#isAway) return true
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #ask(): Promise<boolean> {
    const began = performance.now()
    const why = await this.#trouble()
    if (why === null) return false
    this.#isAway = true
    this.#own.warn({ why }, 'the database does not answer; the server waits for it and goes on by itself')
    this.#following = this.#follow(began)
    return true
  }

  async #follow(began: number): Promise<void> {
    const { signal } = this.#stopping
    do {
      await sleep(ASK_AGAIN_MS, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
    } while ((await this.#trouble()) !== null)
    this.#isAway = false
    this.#overAt = performance.now()
    this.#own.info(`the database answers again, after ${Math.round((this.#overAt - began) / 1_000)} s`)
  }

  /** Why the database does not answer; null: it does. */
  async #trouble(): Promise<string | null> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`no answer within ${this.#answerMs / 1_000} s`), this.#answerMs)
    })
    const asked = this.#ping().then(() => null, inShort)
    return Promise.race([asked, late]).finally(() => clearTimeout(timer))
  }
}

const isOfDatabase = (fields: unknown): fields is Failure =>
  typeof fields === 'object' && fields !== null && 'err' in fields && isDatabaseAway(fields.err)
