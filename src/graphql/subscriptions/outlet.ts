/** Where the events of one subscription go, of which its connection takes as many as its peer reads. */
export type Outlet = {
  /** So much is unsent that nothing more may be given to it; what is given all the same costs memory. */
  readonly isFull: boolean
  /** Takes an event's `endOfMessage`, which is kept until it was sent and may not be changed. */
  send(end: Buffer): void
  /**
   * Does a task when there is room and all earlier tasks of the connection are done, so that what they hold is in memory
   * once for each connection. False: the connection is gone or the subscription over, and the task was not begun.
   */
  whenRoom(task: () => Promise<void>): Promise<boolean>
  /** The subscription is over: its tasks that wait are not begun, and nothing holds them or it any more. */
  end(): void
}

/**
 * The end of a message `{"id":"1","type":"next","payload":…}` with this payload: all of it that is the same for every
 * subscription. What comes before it is the outlet's to add.
 */
export const endOfMessage = (payload: string): Buffer => Buffer.from(`${payload}}`)

/** The payload alone, in the same memory, for what ends otherwise. */
export const payloadOf = (end: Buffer): Buffer => end.subarray(0, -1)
