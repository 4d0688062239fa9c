/** How long to wait between two tries: first this long, doubled each time, up to the longest. */
export type Patience = { firstMs: number; longestMs: number }

/** Of connecting, and of reading what somebody looks at. */
export const READING: Patience = { firstMs: 250, longestMs: 5_000 }
/** Of saving, which nobody has to wait for. */
export const SAVING: Patience = { firstMs: 3_000, longestMs: 60_000 }

/** How long to wait before trying again what has failed so many times before; from 0. */
export const retryMs = (failures: number, { firstMs, longestMs }: Patience): number =>
  Math.min(firstMs * 2 ** failures, longestMs)
