import { test } from 'vitest'
import { newStage } from '../support/stage.ts'
import { playHistory } from './histories.ts'

const HISTORIES = 40
const EVENTS = 25
const SEED = 20_260_306

test(`${HISTORIES} random histories of answers, crashes and controls agree with the model (seed ${SEED})`, {
  timeout: 120_000,
}, async () => {
  const stage = await newStage()
  for (let index = 0; index < HISTORIES; index += 1) await playHistory(stage, SEED + index, EVENTS)
})
