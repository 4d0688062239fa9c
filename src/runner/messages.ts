import type { RunLine } from '../domain/log.ts'
import type { Changes } from '../store/changes.ts'
import type { PrismaClient } from '../store/database.ts'
import { appendLines } from '../store/log.ts'
import type { RunnerLog } from './log.ts'

/**
 * The lines that one call of an action logs. They are written at the next turn of the event loop; what the action logs
 * right before it answers goes with its result instead.
 */
export class Messages {
  readonly #options: { db: PrismaClient; changes: Changes; runId: string; log: RunnerLog }
  #waiting: RunLine[] = []
  #written: Promise<void> = Promise.resolve()

  constructor(options: { db: PrismaClient; changes: Changes; runId: string; log: RunnerLog }) {
    this.#options = options
  }

  add(line: RunLine): void {
    this.#waiting.push(line)
    if (this.#waiting.length === 1) setImmediate(() => this.#write())
  }

  /** What is still to be written, once what is being written is. From then on it is the caller's. */
  async take(): Promise<RunLine[]> {
    const lines = this.#waiting
    this.#waiting = []
    await this.#written
    return lines
  }

  #write(): void {
    const lines = this.#waiting
    this.#waiting = []
    if (lines.length > 0) this.#written = this.#written.then(() => this.#append(lines))
  }

  async #append(lines: RunLine[]): Promise<void> {
    const { db, changes, runId, log } = this.#options
    try {
      const line = await appendLines(db, runId, lines)
      if (line !== null) changes.publish({ runId, line, cues: false })
    } catch (error) {
      log.error({ err: error, runId }, 'messages of an action could not be written to the run log')
    }
  }
}
