/** Where a thing stands among those that a subscription begins with: by rank, then by `at`, then by its id. */
export type Place = { rank: number; at: number }

/** What an event says of a thing. */
export type News<Kept> = {
  id: string
  /** False: it has gone, or left. */
  isThere: boolean
  /** Null: whoever comes now is told of it when it changes, and not before. */
  place: Place | null
  /** What of it is needed to show it later, besides what is read then. */
  kept: Kept
}

/** A thing to be shown as it is now. */
export type Wanted<Kept> = {
  id: string
  kept: Kept
  /** To somebody who was not told of it, or who was, or who has to be told that it is there no more. */
  as: 'NEW' | 'CHANGED' | 'GONE'
  /** There will be no more news of it. */
  isForgotten: boolean
}

/**
 * The event; NOTHING where there is nothing to tell; LATER where the thing is not as the last news say, so that others
 * have to come, which were asked for.
 */
export type Found<Event> = { event: Event } | 'NOTHING' | 'LATER'

/**
 * How to follow things of which only how they are now counts: those that are there, and then each that changes, as it
 * is, however often it did.
 */
export type Board<Event, Kept> = {
  /** Begins to look. */
  open(watch: Watch<Event>): OpenBoard<Event, Kept>
  newsOf(event: Event): News<Kept>
  /** A thing that has gone and is there again is the same: who was not told yet that it went is told of a change. */
  returns: boolean
  /** How old what is shown may be, in milliseconds: about as long as there is between two looks. */
  restMs: number
  /** Told once of what keeps reads from working, until one works. */
  onOutage(error: unknown): void
}

/** Told at once, so that it never knows less than was looked at. */
export type Watch<Event> = {
  /** This is the next event. */
  onNews(event: Event): void
  /** There will be no more news of this thing. */
  onForgotten(id: string): void
}

export type OpenBoard<Event, Kept> = {
  /** A pulled source of all that happens, which outlasts a database that is away. */
  events: AsyncIterableIterator<Event>
  /** Things as events, as they are now, in the order in which they are wanted. */
  read(wanted: readonly Wanted<Kept>[]): Promise<Found<Event>[]>
}

/**
 * The source of a subscription to a board. Pulled by itself it is an ordinary source, for one reader; a transport that
 * can share hands it to `SharedSubscriptions`, and then it is never pulled.
 */
export class BoardSource<Event = unknown, Kept = unknown> implements AsyncIterable<Event> {
  readonly board: Board<Event, Kept>

  constructor(board: Board<Event, Kept>) {
    this.board = board
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Event> {
    return this.board.open({ onNews: () => {}, onForgotten: () => {} }).events
  }
}
