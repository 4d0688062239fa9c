import type { Censor } from '../domain/censor.ts'
import type { Clock } from '../domain/clock.ts'
import type { Outcome } from '../domain/outcome.ts'
import { callAction } from './call.ts'
import type { Envelope } from './module.ts'
import type { RegisteredAction } from './registered.ts'

/** How long all calls of one verification may take together. */
export const VERIFY_MS = 30_000
/** How many are made side by side: a world is asked about a whole event at once. */
const AT_ONCE = 16

export type VerifyCall = { action: RegisteredAction; envelope: Envelope }

/**
 * Asks actions whether they would work, side by side, and answers what each answer means, in the order of the calls. Ends
 * after VERIFY_MS whatever the actions do; null: the time was over before that call's turn. Never rejects. What the
 * actions say to a log goes nowhere, for no run is there to have one.
 */
export async function makeVerifyCalls(
  calls: readonly VerifyCall[],
  { clock, censor }: { clock: Clock; censor: Censor },
): Promise<(Outcome | null)[]> {
  const outcomes = calls.map((): Outcome | null => null)
  const deadline = clock.now() + VERIFY_MS
  const queue = calls.entries()
  const work = async () => {
    for (const [index, { action, envelope }] of queue) {
      const left = deadline - clock.now()
      if (left <= 0) return
      const budgetMs = Math.min(action.budgetMs, left)
      const { signal } = new AbortController()
      const options = { signal, clock, censor, log() {}, ignored: ['holdFor', 'await'] }
      outcomes[index] = await callAction({ ...action, budgetMs }, envelope, options)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return outcomes
}
