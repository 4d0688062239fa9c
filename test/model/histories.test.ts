import { test } from 'vitest'
import { FUZZ } from '../fuzz/effort.ts'
import { newStage } from '../support/stage.ts'
import { playHistory } from './histories.ts'

const EVENTS = 25

test(`${FUZZ.histories} random histories of answers, crashes and controls agree with the model (seed ${FUZZ.seed})`, {
  timeout: 120_000 + FUZZ.histories * 1_000,
}, async () => {
  const stage = await newStage()
  for (let index = 0; index < FUZZ.histories; index += 1) await playHistory(stage, FUZZ.seed + index, EVENTS)
})
