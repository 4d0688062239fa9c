import type { Changes } from '../store/changes.ts'
import type { Credential } from './authenticate.ts'
import type { Logger } from './logger.ts'

/** How soon this process learns of a token that another one revoked, where it is not told. */
const POLL_MS = 5_000

/** The longest that a timer of Node.js takes; what is later is looked at again then. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * What is kept open with credentials: sockets and event streams. Each is ended when its credential expires or is
 * revoked: at once where this process is told of it, by itself or by another, and by looking every 5 s where it is not.
 */
export class OpenCredentials {
  readonly #changes: Pick<Changes, 'heardTokenRevoked' | 'onTokenRevoked' | 'onMissed'>
  readonly #revokedAmong: (ids: string[]) => Promise<string[]>
  readonly #now: () => number
  readonly #log: Logger
  readonly #pollMs: number
  /** How much is open with each stored token. */
  readonly #open = new Map<string, number>()
  #poll: NodeJS.Timeout | undefined
  #offMissed: (() => void) | undefined
  #looking = false
  #failing = false

  /** `revokedAmong`: those of these ids of tokens that are revoked or gone. */
  constructor({
    changes,
    revokedAmong,
    now,
    log,
    pollMs = POLL_MS,
  }: {
    changes: Pick<Changes, 'heardTokenRevoked' | 'onTokenRevoked' | 'onMissed'>
    revokedAmong: (ids: string[]) => Promise<string[]>
    now: () => number
    log: Logger
    pollMs?: number
  }) {
    this.#changes = changes
    this.#revokedAmong = revokedAmong
    this.#now = now
    this.#log = log
    this.#pollMs = pollMs
  }

  /** Calls `end` once when the credential is over, which may be at once. Call what it answers when nothing is open any more. */
  hold({ tokenId, expiresAt }: Credential, end: () => void): () => void {
    let over = false
    let timer: NodeJS.Timeout | undefined
    let off: (() => void) | undefined
    const release = (): void => {
      if (over) return
      over = true
      clearTimeout(timer)
      off?.()
      if (tokenId !== null) this.#drop(tokenId)
    }
    const finish = (): void => {
      if (over) return
      release()
      end()
    }
    const awaitExpiry = (at: number): void => {
      const left = at - this.#now()
      if (left <= 0) finish()
      else timer = setTimeout(() => awaitExpiry(at), Math.min(left, LONGEST_TIMER_MS)).unref()
    }
    if (tokenId !== null) {
      this.#open.set(tokenId, (this.#open.get(tokenId) ?? 0) + 1)
      off = this.#changes.onTokenRevoked(tokenId, finish)
      this.#poll ??= setInterval(() => void this.#look(), this.#pollMs).unref()
      this.#offMissed ??= this.#changes.onMissed(() => void this.#look())
    }
    if (expiresAt !== null) awaitExpiry(expiresAt)
    return release
  }

  /** Ends nothing, and looks no more. */
  stop(): void {
    clearInterval(this.#poll)
    this.#poll = undefined
    this.#offMissed?.()
    this.#offMissed = undefined
    this.#open.clear()
  }

  #drop(tokenId: string): void {
    const left = (this.#open.get(tokenId) ?? 0) - 1
    if (left > 0) this.#open.set(tokenId, left)
    else this.#open.delete(tokenId)
    if (this.#open.size === 0) this.stop()
  }

  async #look(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      for (const id of await this.#revokedAmong([...this.#open.keys()])) this.#changes.heardTokenRevoked(id)
      this.#failing = false
    } catch (error) {
      if (!this.#failing)
        this.#log.warn({ err: error }, 'whether tokens were revoked cannot be looked up; it is tried again')
      this.#failing = true
    } finally {
      this.#looking = false
    }
  }
}
