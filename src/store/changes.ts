import { EventEmitter } from 'node:events'

/** Something about a run was committed: its log grew to `line` (0: to an unknown line); a cue of it opened, was claimed or was resolved. */
export type RunChange = { runId: string; line: number; cues: boolean }

/**
 * Tells those who wait in this process that the database holds something new. A change is a hint and the table is the
 * truth: whoever is told reads from the database by a cursor, and looks again after a while if told nothing.
 */
export class Changes {
  readonly #events = new EventEmitter().setMaxListeners(0)

  /** After a commit: tells the readers of the run's log, of the cues where `cues`, and of runs. */
  publish(change: RunChange): void {
    this.#events.emit(`run:${change.runId}`, change)
    this.#events.emit('runs', change)
    if (change.cues) this.#events.emit('cues', change)
  }

  /** Tells the runner that there may be something to do now. */
  wake(): void {
    this.#events.emit('wake')
  }

  /** Tells the runner that a schedule was published, verified or resumed. */
  schedulesChanged(): void {
    this.#events.emit('schedules')
  }

  /** After a commit: tells those who keep something open with this token that it was revoked. */
  tokenRevoked(tokenId: string): void {
    this.#events.emit(`token:${tokenId}`)
  }

  onRun(runId: string, listener: (change: RunChange) => void): () => void {
    return this.#on(`run:${runId}`, listener)
  }

  onRuns(listener: (change: RunChange) => void): () => void {
    return this.#on('runs', listener)
  }

  onCues(listener: (change: RunChange) => void): () => void {
    return this.#on('cues', listener)
  }

  onWake(listener: () => void): () => void {
    return this.#on('wake', listener)
  }

  onSchedules(listener: () => void): () => void {
    return this.#on('schedules', listener)
  }

  onTokenRevoked(tokenId: string, listener: () => void): () => void {
    return this.#on(`token:${tokenId}`, listener)
  }

  #on(name: string, listener: (change: RunChange) => void): () => void {
    this.#events.on(name, listener)
    return () => this.#events.off(name, listener)
  }
}
