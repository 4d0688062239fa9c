import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { skip } from '../../src/testing/play.ts'
import { newStage, T0 } from '../support/stage.ts'

// The runner's statements take their time here, so that whoever does not wait for them is found out.
async function slowStage() {
  const stage = await newStage()
  stage.interpose(async (sql) => {
    await delay(10)
    return stage.send(sql)
  })
  return stage
}

test('the instant at which a hanging action’s budget ends is over once its step is settled', async () => {
  const stage = await slowStage()
  stage.script.hang('a')
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }] }])
  expect(await stage.step(runId)).toMatchObject({ status: 'RUNNING', attempts: 1 })
  expect(await skip({ ...stage, hangs: () => true }, T0 + 10_000)).toBe(true)
  expect(await stage.step(runId)).toMatchObject({ status: 'PENDING', attempts: 1 })
})

test('an action that is called while another hangs is waited for', async () => {
  const stage = await slowStage()
  stage.script.hang('a')
  stage.script.on('b', () => delay(30, { ok: true }))
  const hung = await stage.play([{ key: 'one', steps: [{ key: 'a' }] }])
  const other = await stage.play([{ key: 'one', steps: [{ key: 'b' }, { key: 'c' }] }])
  expect(await stage.run(other)).toMatchObject({ status: 'COMPLETED' })
  expect(await stage.step(hung)).toMatchObject({ status: 'RUNNING' })
})

test('an action that answers late is waited for before the clock moves on', async () => {
  const stage = await slowStage()
  stage.script.on('a', () => delay(30, { ok: true, holdFor: 5 }))
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }, { key: 'b' }] }])
  await stage.letPass(4_999)
  expect(stage.script.keys()).toEqual(['a'])
  await stage.letPass(1)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
})
