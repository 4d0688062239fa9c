/** Between two tries: from the one, doubled each time, up to the other. */
const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 5_000

/** How long to wait before trying again what has failed so many times before; from 0. */
export const retryMs = (failures: number): number => Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS)
