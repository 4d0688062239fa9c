import { expect, test } from 'vitest'
import { z } from 'zod'
import { cancelRun, pauseRun } from '../../src/controls/runs.ts'
import type { ParticipantAnswer } from '../../src/modules/module.ts'
import { defineAction, defineModule } from '../../src/modules/module.ts'
import { participantsOf } from '../../src/store/participants.ts'
import { MIRA, newStage, type Stage, type StageStep, T0 } from '../support/stage.ts'

const PUBLISH: StageStep = { actionId: 'core.publish-results', params: {} }

/** A run of one phase in which each step answers those participants and the last one publishes. */
async function played(stage: Stage, ...answers: ParticipantAnswer[][]): Promise<string> {
  const steps = answers.map((participants, nth) => {
    stage.script.on(`step ${nth}`, () => ({ ok: true, participants }))
    return { key: `step ${nth}` }
  })
  return stage.play([{ key: 'one', steps: [...steps, PUBLISH] }])
}

const ranking = async (stage: Stage, runId: string) =>
  (await participantsOf(stage.db, runId)).map(({ memberKey, score, rank }) => [memberKey, score, rank])

const published = async (stage: Stage, runId: string) =>
  (await stage.log(runId)).filter(({ kind }) => kind === 'results.published')

test('the best score comes first, equal ones share a rank and the next is left out, and without a score there is no rank', async () => {
  const stage = await newStage()
  const runId = await played(stage, [
    { memberKey: 'absent' },
    { memberKey: 'late', score: -3 },
    { memberKey: 'dora', score: 10 },
    { memberKey: 'cora', score: 20 },
    { memberKey: 'bert', score: 20 },
    { memberKey: 'anna', score: 30 },
    { memberKey: 'zero', score: 0 },
    { memberKey: 'away' },
  ])
  expect(await ranking(stage, runId)).toEqual([
    ['anna', 30, 1],
    ['bert', 20, 2],
    ['cora', 20, 2],
    ['dora', 10, 4],
    ['zero', 0, 5],
    ['late', -3, 6],
    ['absent', null, null],
    ['away', null, null],
  ])
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', resultsPublishedAt: new Date(T0) })
  const step = await stage.step(runId, 1)
  expect(await published(stage, runId)).toMatchObject([
    {
      phase: 'one',
      stepId: step.id,
      actorKind: 'SYSTEM',
      detail: { participants: 8 },
      text: 'The results are published: 8 participants.',
    },
  ])
})

test('scores are compared as the numbers that they are, however large, small or close', async () => {
  const stage = await newStage()
  const scores: Record<string, number> = {
    max: Number.MAX_VALUE,
    safe: Number.MAX_SAFE_INTEGER,
    below: Number.MAX_SAFE_INTEGER - 1,
    sum: 0.1 + 0.2,
    same: 0.30000000000000004,
    near: 0.3,
    tiny: Number.MIN_VALUE,
    nil: 0,
    negative: -0,
    min: -Number.MAX_VALUE,
  }
  const runId = await played(
    stage,
    Object.entries(scores).map(([memberKey, score]) => ({ memberKey, score })),
  )
  const rows = await participantsOf(stage.db, runId)
  expect(Object.fromEntries(rows.map(({ memberKey, rank }) => [memberKey, rank]))).toEqual({
    max: 1,
    safe: 2,
    below: 3,
    sum: 4,
    same: 4,
    near: 6,
    tiny: 7,
    nil: 8,
    negative: 8,
    min: 10,
  })
  for (const { memberKey, score } of rows) expect(score === scores[memberKey], memberKey).toBe(true)
})

test('who is named again is the same one: what is said anew counts, what is not said stays', async () => {
  const stage = await newStage()
  const joinedAt = '2026-03-06T20:01:02.345Z'
  const runId = await played(
    stage,
    [
      { memberKey: 'anna', userId: 'u-1', score: 5, joinedAt, meta: { guild: 'Yew' } },
      { memberKey: 'bert', score: 6, meta: { guild: 'Minoc' } },
    ],
    [{ memberKey: 'anna', score: 0 }, { memberKey: 'cora' }],
    [
      { memberKey: 'anna', meta: { guild: null } },
      { memberKey: 'bert', userId: 'u-2' },
    ],
  )
  const rows = (await participantsOf(stage.db, runId)).map(({ runId: _run, ...row }) => row)
  expect(rows).toEqual([
    { memberKey: 'bert', userId: 'u-2', score: 6, rank: 1, joinedAt: null, meta: { guild: 'Minoc' } },
    { memberKey: 'anna', userId: 'u-1', score: 0, rank: 2, joinedAt: new Date(joinedAt), meta: { guild: null } },
    { memberKey: 'cora', userId: null, score: null, rank: null, joinedAt: null, meta: null },
  ])
})

test('a run without participants publishes that nobody took part', async () => {
  const stage = await newStage()
  const runId = await stage.play([{ key: 'one', steps: [PUBLISH] }])
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED', resultsPublishedAt: new Date(T0) })
  expect(await published(stage, runId)).toMatchObject([
    { detail: { participants: 0 }, text: 'The results are published: nobody took part.' },
  ])
})

test('who comes after the results were published is ranked when they are published again', async () => {
  const stage = await newStage()
  stage.script.on('a', () => ({ ok: true, participants: [{ memberKey: 'anna', score: 1 }] }))
  stage.script.on('b', () => ({ ok: true, participants: [{ memberKey: 'bert', score: 2 }] }))
  const wait = { actionId: 'core.wait', params: { for: '1m' } }
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }, PUBLISH, { key: 'b' }, wait, PUBLISH] }])
  expect(await ranking(stage, runId)).toEqual([
    ['anna', 1, 1],
    ['bert', 2, null],
  ])
  await stage.letPass(60_000)
  expect(await ranking(stage, runId)).toEqual([
    ['bert', 2, 1],
    ['anna', 1, 2],
  ])
  expect(await stage.run(runId)).toMatchObject({ resultsPublishedAt: new Date(T0 + 60_000) })
  expect((await published(stage, runId)).map(({ detail }) => detail)).toEqual([
    { participants: 1 },
    { participants: 2 },
  ])
})

test('nobody is ranked, and nothing is published, before a step does it; other runs are left alone', async () => {
  const stage = await newStage()
  stage.script.on('a', () => ({ ok: true, participants: [{ memberKey: 'anna', score: 1 }] }))
  stage.script.on('b', () => ({ ok: true, participants: [{ memberKey: 'bert', score: 2 }] }))
  const unpublished = await stage.play([{ key: 'one', steps: [{ key: 'a' }, { key: 'b' }] }])
  await stage.play([{ key: 'one', steps: [{ key: 'a' }, PUBLISH] }])
  expect(await ranking(stage, unpublished)).toEqual([
    ['anna', 1, null],
    ['bert', 2, null],
  ])
  expect(await stage.run(unpublished)).toMatchObject({ status: 'COMPLETED', resultsPublishedAt: null })
  expect(await published(stage, unpublished)).toEqual([])
})

test('the participants of a parked answer are kept at once', async () => {
  const stage = await newStage()
  stage.script.on('a', () => ({ ok: true, await: 'human', participants: [{ memberKey: 'anna', score: 1 }] }))
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }] }])
  expect((await stage.step(runId)).parked).toBe(true)
  expect(await ranking(stage, runId)).toEqual([['anna', 1, null]])
})

test.each([
  ['paused', pauseRun, { ok: true }, 'DONE'],
  ['cancelled', cancelRun, { ok: true }, 'DONE'],
  ['cancelled', cancelRun, { ok: true, await: 'human' }, 'CANCELLED'],
])('a step that answers after its run was %s keeps its participants (%#)', async (_name, control, answer, status) => {
  const stage = await newStage()
  const hung = stage.script.hang('a')
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  const runId = await stage.start(definitionId)
  await hung.called
  expect(await control(stage.ctx, MIRA, { runId })).toEqual({ runId })
  hung.answer({ ...answer, participants: [{ memberKey: 'anna', score: 1 }] })
  await stage.settle()
  expect(await stage.step(runId)).toMatchObject({ status })
  expect(await ranking(stage, runId)).toEqual([['anna', 1, null]])
})

test.each([
  ['fails', { ok: false, retry: false, error: 'no' }],
  ['is unusable', { ok: 'yes' }],
])('an answer that %s brings nobody', async (_name, answer) => {
  const stage = await newStage()
  stage.script.on('a', () => ({ ...answer, participants: [{ memberKey: 'anna', score: 1 }] }))
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }] }])
  expect((await stage.step(runId)).status).not.toBe('DONE')
  expect(await ranking(stage, runId)).toEqual([])
})

test('an answer whose claim was taken back brings nobody', async () => {
  const stage = await newStage()
  const hung = stage.script.hang('a')
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  const runId = await stage.start(definitionId)
  await hung.called
  await stage.db.prisma.run.update({
    where: { id: runId },
    data: { claimedBy: 'another:1', leaseUntil: new Date(T0 + 60_000), fence: { increment: 1 } },
  })
  const changed = stage.changed(runId)
  hung.answer({ ok: true, participants: [{ memberKey: 'anna', score: 1 }] })
  await changed
  expect(await stage.story(runId)).toContain('step.late')
  expect(await ranking(stage, runId)).toEqual([])
})

test('a rehearsal has no participants and publishes nothing', async () => {
  const stage = await newStage()
  const called: boolean[] = []
  const registered = stage.registry.register(
    defineModule({
      id: 'arena',
      actions: [
        defineAction({
          id: 'arena.fight',
          label: 'Fight',
          version: 1,
          risk: 'change',
          budgetMs: 1000,
          params: z.object({}),
          supportsVerify: true,
          perform({ verify }) {
            called.push(verify)
            return { ok: true, participants: [{ memberKey: 'anna', score: 1 }] }
          },
        }),
      ],
    }),
  )
  expect(registered).toEqual({ ok: true, id: 'arena' })
  const { definitionId } = await stage.publish([
    { key: 'one', steps: [{ actionId: 'arena.fight', params: {} }, PUBLISH] },
  ])
  const rehearsal = await stage.start(definitionId, { rehearsal: true })
  await stage.settle()
  expect(called).toContain(true)
  const { steps, ...run } = await stage.run(rehearsal)
  expect(run).toMatchObject({ status: 'COMPLETED', resultsPublishedAt: null })
  expect(steps.map(({ status }) => status)).toEqual(['DONE', 'DONE'])
  expect(await ranking(stage, rehearsal)).toEqual([])
  expect(await published(stage, rehearsal)).toEqual([])

  const real = await stage.start(definitionId)
  await stage.settle()
  expect(await ranking(stage, real)).toEqual([['anna', 1, 1]])
})

test('a transition whose answer is lost publishes once', async () => {
  const stage = await newStage()
  let lost = 0
  stage.script.on('a', () => ({ ok: true, participants: [{ memberKey: 'anna', score: 1 }] }))
  stage.interpose(async (sql) => {
    const answer = await stage.send(sql)
    if (!sql.values.some((value) => typeof value === 'string' && value.includes('results.published'))) return answer
    lost += 1
    throw new Error('Connection terminated unexpectedly')
  })
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }, PUBLISH] }])
  expect(lost).toBe(1)
  expect(await stage.run(runId)).toMatchObject({ status: 'COMPLETED' })
  expect(await published(stage, runId)).toHaveLength(1)
  stage.expectFaults(/did not answer/)
})

test('ten thousand participants come in one answer, are ranked and published', async () => {
  const stage = await newStage()
  const count = 10_000
  const took: Record<string, number> = {}
  stage.interpose(async (sql) => {
    const since = performance.now()
    const answer = await stage.send(sql)
    const given = sql.values.filter((value) => typeof value === 'string').join()
    const what = given.includes('member 9999') ? 'upsert' : given.includes('results.published') ? 'rank' : null
    if (what !== null) took[what] = Math.round(performance.now() - since)
    return answer
  })
  // Every score is there twice.
  const participants = Array.from({ length: count }, (_, nth) => ({ memberKey: `member ${nth}`, score: nth >> 1 }))
  const runId = await played(stage, participants)
  expect(await published(stage, runId)).toMatchObject([{ detail: { participants: count } }])
  const rows = await participantsOf(stage.db, runId)
  expect(rows.map(({ rank }) => rank)).toEqual(Array.from({ length: count }, (_, place) => place - (place % 2) + 1))
  console.log(`10,000 participants: upsert ${took.upsert} ms, rank ${took.rank} ms`)
  // Wide bounds: a plan that goes through all of them for each of them takes minutes.
  expect(took.upsert).toBeLessThan(10_000)
  expect(took.rank).toBeLessThan(10_000)
})
