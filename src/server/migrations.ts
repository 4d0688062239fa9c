import { setTimeout as sleep } from 'node:timers/promises'
import { migrate, pendingMigrations } from '../store/migrate.ts'
import type { Logger } from './logger.ts'

/** How often it is looked whether somebody has applied what is missing. */
const LOOK_AGAIN_MS = 1000

/** Whether the tables are those of this version. */
export class Migrations {
  readonly #url: string
  readonly #log: Logger
  #pending: string[] = []

  private constructor(url: string, log: Logger) {
    this.#url = url
    this.#log = log
  }

  /** Applies what is missing, or, without `apply`, finds out what is. */
  static async open(url: string, { apply, log }: { apply: boolean; log: Logger }): Promise<Migrations> {
    const migrations = new Migrations(url, log)
    if (apply) await migrate(url, { log })
    else migrations.#pending = await pendingMigrations(url)
    return migrations
  }

  /** The sentence that says what is missing; null when nothing is. */
  missing(): string | null {
    const count = this.#pending.length
    if (count === 0) return null
    return `migrations: ${count} ${count === 1 ? 'is' : 'are'} not applied (${this.#pending.join(', ')}); run "cuelight migrate".`
  }

  /** Resolves once nothing is missing any more; false when `signal` fired before. */
  async applied(signal: AbortSignal): Promise<boolean> {
    let isFailing = false
    for (let missing = this.missing(); missing !== null; missing = this.missing()) {
      await sleep(LOOK_AGAIN_MS, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return false
      try {
        this.#pending = await pendingMigrations(this.#url)
        isFailing = false
      } catch (error) {
        if (!isFailing)
          this.#log.warn({ err: error }, 'the migrations could not be looked at; they are looked at again')
        isFailing = true
      }
    }
    return true
  }
}
