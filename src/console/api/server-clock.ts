/**
 * Countdowns go by the server's clock, which starts what they count down to: a phone may be minutes off. The server says
 * its time with each answer, in whole seconds.
 */
let offsetMs = 0

/** The server's time as well as it is known, in milliseconds. */
export const serverNow = (): number => Date.now() + offsetMs

/** Asks, and compares the clocks by the answer's Date. A difference that the asking itself may account for counts as none. */
export async function measureClock(ask: () => Promise<Response>): Promise<Response> {
  const sentAt = Date.now()
  const response = await ask()
  const roundTrip = Date.now() - sentAt
  const stated = Date.parse(response.headers.get('date') ?? '')
  if (!Number.isNaN(stated)) {
    const offset = stated + 500 - (sentAt + roundTrip / 2)
    offsetMs = Math.abs(offset) > 1_000 + roundTrip / 2 ? offset : 0
  }
  return response
}
