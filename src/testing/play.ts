import { setTimeout as realDelay } from 'node:timers/promises'
import type { Clock } from '../runner/clock.ts'
import type { Runner } from '../runner/runner.ts'
import type { FakeClock } from './fake-clock.ts'

/** How long an action may take on the machine's clock before the fake one goes on without its answer. */
export const PATIENCE_MS = 2000

type Playing = { clock: FakeClock; runner: Runner; patienceMs?: number }

/**
 * The clock for calls that are made while no time passes, as a verification's are: whoever sleeps on it wakes when the
 * patience is over.
 */
export function impatient(clock: FakeClock, patienceMs = PATIENCE_MS): Clock {
  return {
    now: () => clock.now(),
    sleepUntil: (_at, signal) => realDelay(patienceMs, undefined, { signal }).catch(() => undefined),
  }
}

/** Resolves when the runner has nothing to do now, and no action is being called that answers soon. */
export async function settled(runner: Runner, patienceMs = PATIENCE_MS): Promise<void> {
  await answers(runner, { patienceMs, overdue: 0 })
}

/**
 * Lets that much time pass, from one instant that somebody waits for to the next, and lets the runner do at each what is
 * due then.
 */
export function letPass(ms: number, playing: Playing): Promise<void> {
  return new Playback(playing).letPass(ms)
}

/** Time for a runner on a fake clock: it passes only here, and the runner does at each instant what is due then. */
export class Playback {
  readonly #clock: FakeClock
  readonly #runner: Runner
  readonly #patienceMs: number
  #overdue = 0

  constructor({ clock, runner, patienceMs = PATIENCE_MS }: Playing) {
    this.#clock = clock
    this.#runner = runner
    this.#patienceMs = patienceMs
  }

  /** Like `settled`, but an action that once took too long is not waited for again. */
  async settle(): Promise<void> {
    this.#overdue = await answers(this.#runner, { patienceMs: this.#patienceMs, overdue: this.#overdue })
  }

  /** Goes to the next instant that somebody waits for, if it is not after `end`: answers whether it did. */
  async skip(end = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { next } = this.#clock
    if (next === null || next > end) return false
    this.#clock.moveTo(next)
    await this.settle()
    return true
  }

  /** Lets that much time pass, from one instant that somebody waits for to the next. */
  async letPass(ms: number): Promise<void> {
    const end = this.#clock.now() + ms
    await this.settle()
    while (await this.skip(end));
    this.#clock.moveTo(end)
    await this.settle()
  }
}

/** Waits until the runner is idle and no more than `overdue` actions are being called; answers how many still are. */
async function answers(
  runner: Runner,
  { patienceMs, overdue }: { patienceMs: number; overdue: number },
): Promise<number> {
  const patience = Date.now() + patienceMs
  let given = overdue
  for (;;) {
    await runner.idle()
    given = Math.min(given, runner.dispatching)
    if (runner.dispatching === given || Date.now() >= patience) return runner.dispatching
    await realDelay(1)
  }
}
