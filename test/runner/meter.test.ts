import { expect, test } from 'vitest'
import { recordingMeter } from '../support/recording-meter.ts'
import { newStage, T0 } from '../support/stage.ts'

const MINUTE = 60_000

/** A stage whose only runner reports to a meter. */
async function metered() {
  const stage = await newStage()
  await stage.runner.stop()
  const { meter, facts } = recordingMeter()
  stage.runner = stage.newRunner({ meter })
  stage.runner.start()
  // How long a call took is the machine's business.
  const told = () => facts.filter((fact) => !fact.startsWith('called'))
  return { stage, told }
}

test('what a run went through is reported once each: how late it started, its steps, its end', async () => {
  const { stage, told } = await metered()
  stage.script.answers('a', { ok: false, error: 'busy' }, { ok: true })
  stage.script.answers('b', { ok: false, retry: false, error: 'broken' })
  await stage.play([
    { key: 'one', steps: [{ key: 'a' }] },
    { key: 'two', steps: [{ key: 'b', onFailure: 'ABORT_RUN' }, { key: 'c' }] },
  ])
  expect(told()).toEqual(['started late by 0', 'step RETRIED'])
  await stage.letPass(MINUTE)
  expect(told()).toEqual(['started late by 0', 'step RETRIED', 'step DONE', 'step FAILED', 'ended FAILED'])
})

test('a start that comes late is as late as it was', async () => {
  const { stage, told } = await metered()
  await stage.runner.stop()
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  await stage.start(definitionId)
  stage.clock.moveBy(5_000)
  expect(told()).toEqual([])
  const { meter, facts } = recordingMeter()
  stage.runner = stage.newRunner({ meter })
  stage.runner.start()
  await stage.settle()
  expect(facts[0]).toBe('started late by 5000')
})

test('the one who takes over reports it, and the one who was too late that its answer changed nothing', async () => {
  const { stage, told } = await metered()
  const hung = stage.script.hang('a')
  const { definitionId } = await stage.publish([{ key: 'one', steps: [{ key: 'a' }] }])
  const runId = await stage.start(definitionId)
  await hung.called
  await stage.db.prisma.run.update({ where: { id: runId }, data: { leaseUntil: new Date(T0 - 1) } })
  stage.script.answers('a', { ok: true })
  const { meter, facts } = recordingMeter()
  const other = stage.newRunner({ worker: 'other:2', meter })
  other.start()
  await stage.settle(other)
  expect(facts.filter((fact) => !fact.startsWith('called'))).toEqual(['taken over 1', 'step DONE', 'ended COMPLETED'])
  hung.answer({ ok: true })
  await stage.settle()
  expect(told()).toEqual(['started late by 0', 'step LATE'])
})

test('what was missed is reported with its reason, and what is refused with its code', async () => {
  const { stage, told } = await metered()
  const { definitionId } = await stage.publish(
    [
      {
        key: 'one',
        steps: [
          { actionId: 'core.wait', params: { for: '1h' } },
          { actionId: 'gone.away', onFailure: 'SKIP' },
        ],
      },
    ],
    { concurrencyKey: 'the only one', graceSeconds: 60 },
  )
  await stage.start(definitionId, { scope: 'a' })
  await stage.settle()
  await stage.start(definitionId, { scope: 'b' })
  await stage.settle()
  await stage.letPass(2 * MINUTE)
  expect(told()).toEqual(['started late by 0', 'step DONE', 'missed KEY_HELD'])
  await stage.letPass(60 * MINUTE)
  expect(told().slice(3)).toEqual(['step REFUSED', 'refused ACTION_UNREGISTERED', 'ended COMPLETED'])
})

test('a duty that fails is reported by its name', async () => {
  const { stage, told } = await metered()
  stage.expectFaults(/^the runner's duty "missed" failed/)
  stage.interpose((sql) => {
    if (sql.sql.includes('grace_until <') && sql.sql.includes('ORDER BY w.grace_until'))
      return Promise.reject(new Error('the database is away'))
    return stage.send(sql)
  })
  await stage.letPass(1_000)
  stage.runner.wake()
  await expect.poll(told).toContain('failed missed')
})
