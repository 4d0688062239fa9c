import { expect, test } from 'vitest'
import { newStage, T0 } from '../support/stage.ts'
import { DUE, expectOnTime, isRehearsal, isStart, waiting } from './waiting-starts.ts'

test('a start is rehearsed 3 ms before its instant, by the statement that starts it then, and nothing changes', async () => {
  const stage = await newStage()
  const { runId } = await waiting(stage)
  const before = await stage.run(runId)
  const sent: { text: string; rehearsal: boolean; answer: unknown }[] = []
  stage.interpose(async (sql) => {
    const answer = await stage.send(sql)
    const rehearsal = isRehearsal(sql)
    if (rehearsal || isStart(sql)) sent.push({ text: sql.sql, rehearsal, answer })
    return answer
  })
  await stage.letPass(DUE - T0 - 4)
  expect(sent).toEqual([])
  await stage.letPass(3)
  stage.runner.wake()
  await stage.settle()
  await expect.poll(() => sent.length, { timeout: 10_000 }).toBe(1)
  expect(sent).toMatchObject([{ rehearsal: true, answer: [] }])
  expect(await stage.run(runId)).toEqual(before)
  expect(await stage.log(runId)).toHaveLength(1)
  await stage.letPass(1)
  expect(sent.map(({ rehearsal }) => rehearsal)).toEqual([true, false])
  expect(new Set(sent.map(({ text }) => text)).size).toBe(1)
  expect(stage.script.keys()).toEqual(['a', 'b'])
})

test.each([
  ['never answers', () => new Promise<never>(() => {})],
  ['fails', () => Promise.reject(new Error('it failed'))],
])('a rehearsal that %s holds no start up', async (_what, answer) => {
  const stage = await newStage()
  const { runId } = await waiting(stage)
  stage.interpose((sql) => (isRehearsal(sql) ? answer() : stage.send(sql)))
  await expectOnTime(stage, runId)
})
