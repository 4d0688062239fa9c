import { setTimeout as realDelay } from 'node:timers/promises'
import type { Runner } from '../runner/runner.ts'
import type { FakeClock } from './fake-clock.ts'

/** How long an action may take on the machine's clock before the fake one goes on without its answer. */
const PATIENCE_MS = 2000

/** Resolves when the runner has nothing to do now, and no action is being called that answers soon. */
export async function settled(runner: Runner): Promise<void> {
  const patience = Date.now() + PATIENCE_MS
  for (;;) {
    await runner.idle()
    if (runner.dispatching === 0 || Date.now() > patience) return
    await realDelay(1)
  }
}

/**
 * Lets that much time pass, from one instant that somebody waits for to the next, and lets the runner do at each what is
 * due then.
 */
export async function letPass(ms: number, { clock, runner }: { clock: FakeClock; runner: Runner }): Promise<void> {
  const end = clock.now() + ms
  await settled(runner)
  for (let next = clock.next; next !== null && next <= end; next = clock.next) {
    clock.moveTo(next)
    await settled(runner)
  }
  clock.moveTo(end)
  await settled(runner)
}
