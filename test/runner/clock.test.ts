import { expect, test } from 'vitest'
import { systemClock } from '../../src/runner/clock.ts'

const never = new AbortController().signal

test("the machine's clock wakes nobody early", async () => {
  for (let ms = 0; ms < 25; ms += 1) {
    const at = Date.now() + ms
    await systemClock.sleepUntil(at, never)
    expect(Date.now()).toBeGreaterThanOrEqual(at)
  }
})

test('it wakes at once whom a signal wakes, whatever is left of the sleep', async () => {
  for (const left of [1, 2, 60_000]) {
    const woken = new AbortController()
    const slept = systemClock.sleepUntil(Date.now() + left, woken.signal)
    woken.abort('woken')
    await slept
  }
  const early = new AbortController()
  early.abort('woken')
  await systemClock.sleepUntil(Date.now() + 60_000, early.signal)
})
