/** One time at which a schedule fires. */
export type Occurrence = {
  /** Instant, in milliseconds. */
  at: number
  /**
   * Identity of the occurrence, which is compared as text; it stays when zone data moves the instant. Of a wall-clock
   * rule, `once` and a local include: the nominal local time, `2026-03-06T20:00`, with seconds only where they are not
   * zero (`2026-03-06T20:00:30`). Of HOURLY and MINUTELY rules and of an include in UTC: the instant as
   * `Date.toISOString` writes it, `2026-03-06T19:00:00.000Z`, like the key of a run started by hand.
   */
  key: string
  /** The local time as authored, also where the clocks do not show it; where an instant was authored, what they show. */
  local: string
  /** GAP: the local time does not exist and was moved forward. OVERLAP: it exists twice, and this is the first. */
  adjusted?: 'GAP' | 'OVERLAP'
  /** How far GAP moved it, in minutes. */
  shiftMinutes?: number
}
