/** A start within this of its instant is on time, however short the grace: a runner needs a moment. */
const SHORTEST_GRACE_MS = 1000
/** The last instant that can be written as one. */
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Until when a run may start late; instants in milliseconds since the epoch. */
export function graceUntil(scheduledFor: number, graceSeconds: number): number {
  return Math.min(scheduledFor + Math.max(graceSeconds * 1000, SHORTEST_GRACE_MS), LAST_INSTANT)
}
