import { setTimeout as realDelay, setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../domain/clock.ts'
import { titleOf } from '../domain/picture.ts'
import type { Call } from '../runner/load.ts'
import type { Runner } from '../runner/runner.ts'
import type { FakeClock } from './fake-clock.ts'

/** How long an action may take on the machine's clock. Common test runners give up after 5 s, and could not say why. */
export const PATIENCE_MS = 4000

export type Patience = {
  /** Whether time goes on while that action is being called. No action does so where omitted. */
  hangs?: (call: Call) => boolean
  /** How long the answer of any other may take on the machine's clock, in milliseconds. */
  patienceMs?: number
}

type Playing = Patience & { clock: FakeClock; runner: Runner }

/**
 * Resolves when the runner has nothing to do now and no action is being called but those that hang. Throws a sentence
 * that names the actions which do not answer.
 */
export async function settled(
  runner: Runner,
  { hangs = () => false, patienceMs = PATIENCE_MS }: Patience = {},
): Promise<void> {
  for (;;) {
    await quiet(runner)
    const awaited = [...runner.load.calls].filter((call) => !hangs(call))
    if (awaited.length === 0) return
    await oneAnswers(awaited, patienceMs)
  }
}

/** Lets that much time pass, from one instant that somebody waits for to the next, and settles at each. */
export async function letPass(ms: number, playing: Playing): Promise<void> {
  const { clock, runner } = playing
  const end = clock.now() + ms
  await settled(runner, playing)
  while (await skip(playing, end));
  clock.moveTo(end)
  await settled(runner, playing)
}

/** Goes to the next instant that somebody waits for, if it is not after `end`, and settles: answers whether it did. */
export async function skip(playing: Playing, end = Number.POSITIVE_INFINITY): Promise<boolean> {
  const { clock, runner } = playing
  const { next } = clock
  if (next === null || next > end) return false
  clock.moveTo(next)
  await settled(runner, playing)
  return true
}

/** Resolves when the runner is idle and stays so until something comes from outside. */
async function quiet(runner: Runner): Promise<void> {
  let before: Set<Call>
  do {
    before = new Set(runner.load.calls)
    // A call that timed out, or whose action answers at once, is over only after a turn of the event loop.
    await turn()
    await runner.idle()
  } while (before.size !== runner.load.calls.size || [...runner.load.calls].some((call) => !before.has(call)))
}

async function oneAnswers(calls: readonly Call[], patienceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(tooLong(calls, patienceMs))), patienceMs)
  })
  try {
    await Promise.race([patience, ...calls.map(({ over }) => over)])
  } finally {
    clearTimeout(timer)
  }
}

function tooLong(calls: readonly Call[], patienceMs: number): string {
  const named = [...new Set(calls.map(({ step }) => `"${titleOf(step)}" (${step.actionId})`))].join(', ')
  return (
    `No answer from ${named} within ${patienceMs} ms of the machine's clock, and the fake clock waits for it. An action ` +
    'that is meant to hang goes into "hanging" of createTestServer; one that takes so long needs a larger "patienceMs".'
  )
}

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
