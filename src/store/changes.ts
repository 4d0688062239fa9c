import { EventEmitter } from 'node:events'

/** Something about a run was committed: its log grew to `line` (0: to an unknown line); a cue of it opened, was claimed or was resolved. */
export type RunChange = { runId: string; line: number; cues: boolean }

/** Takes to other processes what is told in this one. */
export type Carrier = {
  change(change: RunChange): void
  wake(what: { schedules: boolean }): void
  tokenRevoked(tokenId: string): void
}

const REVOKED = 'token:'

/**
 * Tells those who wait in this process that the database holds something new. A change is a hint and the table is the
 * truth: whoever is told reads from the database by a cursor, and looks again after a while if told nothing.
 */
export class Changes {
  readonly #events = new EventEmitter().setMaxListeners(0)
  #carrier: Carrier | null = null

  /** From now on `carrier` gets what is published here, and nothing of what is heard from elsewhere. Null: nobody does. */
  carryBy(carrier: Carrier | null): void {
    this.#carrier = carrier
  }

  /** After a commit: tells the readers of the run's log, of the cues where `cues`, and of runs. */
  publish(change: RunChange): void {
    this.heardChange(change)
    this.#carrier?.change(change)
  }

  /** Tells the runner that there may be something to do now. */
  wake(): void {
    this.heardWake({ schedules: false })
    this.#carrier?.wake({ schedules: false })
  }

  /** Tells the runner that a schedule was published, verified or resumed. */
  schedulesChanged(): void {
    this.heardWake({ schedules: true })
    this.#carrier?.wake({ schedules: true })
  }

  /** After a commit: tells those who keep something open with this token, by its bare UUID, that it was revoked. */
  tokenRevoked(tokenId: string): void {
    this.heardTokenRevoked(tokenId)
    this.#carrier?.tokenRevoked(tokenId)
  }

  /** Another process published that. */
  heardChange(change: RunChange): void {
    this.#events.emit(`run:${change.runId}`)
    this.#events.emit('runs', change)
    if (change.cues) this.#events.emit('cues')
  }

  /** Another process woke the runners, for a schedule or for anything else. */
  heardWake({ schedules }: { schedules: boolean }): void {
    this.#events.emit(schedules ? 'schedules' : 'wake')
  }

  /** Another process revoked that token, or it is found to be revoked. */
  heardTokenRevoked(tokenId: string): void {
    this.#events.emit(`${REVOKED}${tokenId}`)
  }

  /** Anything may have changed, since other processes were not heard for a while: everybody here looks again. */
  missedSome(): void {
    for (const name of this.#events.eventNames()) {
      // A revocation is no hint: whoever is told of one acts on it. Whether there was one is looked up by `onMissed`.
      if (!String(name).startsWith(REVOKED)) this.#events.emit(name, null)
    }
  }

  onRun(runId: string, listener: () => void): () => void {
    return this.#on(`run:${runId}`, listener)
  }

  /** The listener gets null where any run may have changed. */
  onRuns(listener: (change: RunChange | null) => void): () => void {
    return this.#on('runs', listener)
  }

  onCues(listener: () => void): () => void {
    return this.#on('cues', listener)
  }

  onWake(listener: () => void): () => void {
    return this.#on('wake', listener)
  }

  onSchedules(listener: () => void): () => void {
    return this.#on('schedules', listener)
  }

  /** The listener is called where something may have gone by untold, whatever it was about. */
  onMissed(listener: () => void): () => void {
    return this.#on('missed', listener)
  }

  onTokenRevoked(tokenId: string, listener: () => void): () => void {
    return this.#on(`${REVOKED}${tokenId}`, listener)
  }

  #on(name: string, listener: (change: RunChange | null) => void): () => void {
    this.#events.on(name, listener)
    return () => this.#events.off(name, listener)
  }
}
