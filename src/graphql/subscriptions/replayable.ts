/** How to read a log that many follow: every reader gets the same events behind the same cursor. */
export type Log<Event> = {
  /** Where this reader begins: the last position that it has. */
  after: number
  /** Where the log had got to when it was opened. */
  end: number
  /** Name of the variable that `after` came from; null where the document itself says it. */
  cursorVariable: string | null
  /** The events behind a position, live; a pulled source, which outlasts a database that is away. */
  follow(after: number): AsyncIterableIterator<Event>
  /** One event of what is behind `after` up to `upTo`, both positions of the log; null where nothing is there. */
  read(range: { after: number; upTo: number }): Promise<Event | null>
  cursorOf(event: Event): number
  /** The same as two smaller events; null where there is but one thing in it. */
  halves(event: Event): readonly [Event, Event] | null
  /** Told once of what keeps reads from working, until one works. */
  onOutage(error: unknown): void
}

/**
 * The source of a subscription to a log. Pulled by itself it is an ordinary source; a transport that can share hands it
 * to `SharedSubscriptions`, and then it is never pulled.
 */
export class Replayable<Event = unknown> implements AsyncIterable<Event> {
  readonly log: Log<Event>

  constructor(log: Log<Event>) {
    this.log = log
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Event> {
    return this.log.follow(this.log.after)
  }
}
