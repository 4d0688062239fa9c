/** A connection with more unsent bytes than this is not pushed to. */
export const MAX_UNSENT_BYTES = 1024 * 1024
/** Nor is one with this many unsent events, each of which costs some memory however small it is … */
const MAX_UNSENT_EVENTS = 1024
/** … unless they are fewer bytes than these, of which Node.js does not tell when they were sent. */
const FEW_BYTES = 64 * 1024

/** Whether a connection has so much unsent that nothing more may be given to it. `events`: since nothing was unsent. */
export const isTooMuch = ({ bytes, events }: { bytes: number; events: number }): boolean =>
  bytes > MAX_UNSENT_BYTES || (events >= MAX_UNSENT_EVENTS && bytes > FEW_BYTES)
