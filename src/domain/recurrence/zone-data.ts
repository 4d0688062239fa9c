/** Offsets of time zones: the one thing through which local times and instants meet. */
export interface ZoneData {
  /** Of the time zone database the offsets come from: `2026f`. */
  readonly version: string
  /** Offset east of UTC at an instant, both in milliseconds. Throws where `has` says no. */
  offset(zone: string, at: number): number
  /** Whether the zone is known. */
  has(zone: string): boolean
}
