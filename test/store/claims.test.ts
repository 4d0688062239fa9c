import { expect, test } from 'vitest'
import { draftOf } from '../../src/domain/picture.ts'
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
