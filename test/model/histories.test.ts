import { expect, test } from 'vitest'
import { FUZZ } from '../fuzz/effort.ts'
import { newStage } from '../support/stage.ts'
import { playHistory } from './histories.ts'
import { INVARIANT_NAMES } from './invariants.ts'

const EVENTS = 25

/** The invariants that did not hold, each with the first history that broke it. */
const broken = new Map<string, string>()
let played = 0

test(`${FUZZ.histories} random histories of answers, triggers, crashes, controls, caps and cleanups agree with the model (seed ${FUZZ.seed})`, {
  timeout: 120_000 + FUZZ.histories * 1_000,
}, async () => {
  const stage = await newStage()
  for (; played < FUZZ.histories; played += 1) {
    const noteBroken = (name: string, history: string) => broken.has(name) || broken.set(name, history)
    await playHistory(stage, FUZZ.seed + played, { events: EVENTS, noteBroken })
  }
})

test.each(INVARIANT_NAMES)('after every event of them, by section: %s', (name) => {
  expect(played).toBeGreaterThan(0)
  expect(broken.get(name)).toBeUndefined()
})
