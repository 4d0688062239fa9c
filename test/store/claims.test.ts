import { expect, test } from 'vitest'
import { stepMessage } from '../../src/domain/log.ts'
import { changeStep, draftOf, type Step } from '../../src/domain/picture.ts'
import { readClaimed } from '../../src/store/claims.ts'
import { Transitions } from '../../src/store/transitions.ts'
import { newStage, type Stage, T0 } from '../support/stage.ts'

/** A run of which the second claim is in force, and both claims. */
async function claimedAgain(stage: Stage) {
  const runId = await stage.play([{ key: 'one', steps: [{ actionId: 'core.cue', params: { instruction: 'Go' } }] }])
  const [old, inForce] = [
    { runId, owner: 'w#1' },
    { runId, owner: 'w#2' },
  ]
  await stage.db.prisma.run.update({
    where: { id: runId },
    data: { claimedBy: inForce.owner, leaseUntil: new Date(T0 + 30_000) },
  })
  return { old, inForce }
}

test('of two claims of a run that are read together only the one in force gets to know it', async () => {
  const stage = await newStage()
  const { old, inForce } = await claimedAgain(stage)
  const picture = expect.objectContaining({ facts: expect.objectContaining({ runId: inForce.runId }) })
  expect(await readClaimed(stage.db.hot, [old, inForce])).toEqual([null, picture])
  expect(await readClaimed(stage.db.hot, [inForce, old])).toEqual([picture, null])
})

test('of two claims of a run that are written together only the one in force is told that it was', async () => {
  const stage = await newStage()
  const { old, inForce } = await claimedAgain(stage)
  const [picture] = await readClaimed(stage.db.hot, [inForce])
  if (picture == null) throw new Error('the claim is not in force')
  const transitions = new Transitions(stage.db.hot)
  const write = ({ owner }: { owner: string }) =>
    transitions.writeIfUnchanged({ draft: draftOf(picture), owner, leaseUntil: T0 + 60_000 })
  expect(await Promise.all([write(old), write(inForce)])).toEqual([
    null,
    { fence: picture.fence + 1, line: expect.any(Number), switchedOff: false },
  ])
})

test('what belongs to a run is written to it alone, whichever others of its group are refused', async () => {
  const stage = await newStage()
  const { definitionId } = await stage.publish([
    { key: 'one', steps: [{ actionId: 'core.cue', params: { instruction: 'Go' } }] },
  ])
  const scopes = ['a', 'b', 'c', 'd', 'e', 'f']
  const runs = await Promise.all(
    scopes.map(async (scope) => ({ scope, runId: await stage.start(definitionId, { scope }) })),
  )
  await stage.settle()
  await stage.db.prisma.run.updateMany({ data: { claimedBy: 'w#1', leaseUntil: new Date(T0 + 30_000) } })
  const lines = new Map(
    await Promise.all(runs.map(async ({ runId }) => [runId, (await stage.log(runId)).length] as const)),
  )
  const pictures = await readClaimed(
    stage.db.hot,
    runs.map(({ runId }) => ({ runId, owner: 'w#1' })),
  )
  // Every other one was changed since: its lines, its step and its gate go nowhere, and nobody else gets them.
  const isRefused = (index: number) => index % 2 === 0
  const transitions = new Transitions(stage.db.hot)
  const written = await Promise.all(
    pictures.map((picture, index) => {
      if (picture === null) throw new Error('the claim is not in force')
      const draft = draftOf(isRefused(index) ? { ...picture, fence: picture.fence - 1 } : picture)
      const { scope } = draft.facts
      for (let nth = 0; nth <= index; nth += 1)
        draft.lines.push(stepMessage({ at: T0, step: draft.steps[0] as Step }, { message: scope, level: 'info' }))
      const [step] = draft.steps
      if (step !== undefined) changeStep(draft, step, { instruction: scope })
      const when = { enteredAt: T0, opensAt: T0 + 1000, openedAt: null, openedBy: null }
      const on = { trigger: scope, where: { scope }, tally: 0, needed: index + 1 }
      draft.gates.add({ phase: scope, phaseIndex: 0, kind: 'ON', ...on, ...when })
      return transitions.writeIfUnchanged({ draft, owner: 'w#1', leaseUntil: null })
    }),
  )
  for (const [index, { scope, runId }] of runs.entries()) {
    const [before, added] = [lines.get(runId) ?? 0, isRefused(index) ? 0 : index + 1]
    expect(written[index]?.line ?? null).toBe(isRefused(index) ? null : before + added)
    const log = await stage.log(runId)
    expect(log.map(({ line }) => line)).toEqual(log.map((_, nth) => nth + 1))
    expect(log.slice(before).map(({ kind, text }) => `${kind} ${text}`)).toEqual(
      Array(added).fill(`step.message ${scope}`),
    )
    const { gates, steps } = await stage.run(runId)
    expect(steps.map(({ instruction }) => instruction)).toEqual([isRefused(index) ? 'Go' : scope])
    expect(
      gates.map(({ phase, trigger, where, needed, opensAt }) => ({ phase, trigger, where, needed, opensAt })),
    ).toEqual(
      isRefused(index)
        ? []
        : [{ phase: scope, trigger: scope, where: { scope }, needed: index + 1, opensAt: new Date(T0 + 1000) }],
    )
  }
})
