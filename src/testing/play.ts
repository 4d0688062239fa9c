import { setTimeout as realDelay } from 'node:timers/promises'
import type { Runner } from '../runner/runner.ts'
import type { FakeClock } from './fake-clock.ts'

/** How long an action may take on the machine's clock before the fake one goes on without its answer. */
export const PATIENCE_MS = 2000

/** Resolves when the runner has nothing to do now, and no action is being called that answers soon. */
export async function settled(runner: Runner, patienceMs = PATIENCE_MS): Promise<void> {
  const patience = Date.now() + patienceMs
  for (;;) {
    await runner.idle()
    if (runner.dispatching === 0 || Date.now() >= patience) return
    await realDelay(1)
  }
}

/**
 * Lets that much time pass, from one instant that somebody waits for to the next, and lets the runner do at each what is
 * due then.
 */
export async function letPass(
  ms: number,
  { clock, runner, patienceMs }: { clock: FakeClock; runner: Runner; patienceMs?: number },
): Promise<void> {
  const end = clock.now() + ms
  await settled(runner, patienceMs)
  for (let next = clock.next; next !== null && next <= end; next = clock.next) {
    clock.moveTo(next)
    await settled(runner, patienceMs)
  }
  clock.moveTo(end)
  await settled(runner, patienceMs)
}
