import { expect, test } from 'vitest'
import { publishDefinition, updateDefinition } from '../../src/controls/definitions.ts'
import { verifyDefinition } from '../../src/controls/verify.ts'
import { daily, done, planOf, publishScheduled } from '../support/scheduled.ts'
import { MIRA, newStage, T0, TOM } from '../support/stage.ts'

test('verifying a draft tells beforehand what publishing it does to the runs to come, and touches none', async () => {
  const stage = await newStage({ horizonDays: 2 })
  const { definitionId } = await publishScheduled(stage, { schedule: daily('12:00') })
  await stage.settle()
  const before = await planOf(stage, definitionId)
  const foretold = async () => done(await verifyDefinition(stage.ctx, TOM, { id: definitionId, draft: true })).upcoming
  const nothing = { added: 0, kept: 0, cancelled: 0 }
  expect(await foretold()).toEqual(nothing)

  const rule = 'FREQ=DAILY;BYHOUR=12,18'
  const spec = {
    schedule: { recurring: { start: '2026-03-06T12:00', rule, exclude: ['2026-03-08T12:00'] } },
    phases: [{ key: 'main', steps: [{ actionId: 'test.change', params: { key: 'work' } }] }],
  }
  done(await updateDefinition(stage.ctx, MIRA, { id: definitionId, spec }))
  const told = await foretold()
  expect(told).toEqual({ added: 2, kept: 1, cancelled: 1 })
  await stage.db.prisma.actionSetting.create({
    data: { actionId: 'test.change', enabled: false, updatedAt: new Date(T0) },
  })
  expect(await foretold()).toEqual(nothing)
  await stage.db.prisma.actionSetting.deleteMany()
  done(await updateDefinition(stage.ctx, MIRA, { id: definitionId, spec: { ...spec, phases: [] } }))
  expect(await foretold()).toEqual(nothing)
  expect(await planOf(stage, definitionId)).toEqual(before)

  done(await updateDefinition(stage.ctx, MIRA, { id: definitionId, spec }))
  expect(done(await publishDefinition(stage.ctx, MIRA, { id: definitionId })).upcoming).toEqual(told)
})
