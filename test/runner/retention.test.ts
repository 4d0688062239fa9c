import { expect, test } from 'vitest'
import { abandonResource } from '../../src/controls/ledger.ts'
import { retryCleanup } from '../../src/controls/runs.ts'
import { MIRA, newStage } from '../support/stage.ts'
import { made, resource, spawn } from './spawned.ts'

const DAY_MS = 86_400_000

test('while much is deleted, what comes due meanwhile is looked for again and again', async () => {
  const stage = await newStage({ logRetentionDays: 1 })
  const runId = await stage.play([{ key: 'one', steps: [{ key: 'a' }] }])
  const last = (await stage.run(runId)).lastLine
  const lines = 75_000
  await stage.db.prisma.$executeRaw`
    INSERT INTO run_log (run_id, line, at, kind, actor_kind, actor_name, detail, text)
    SELECT ${runId}::uuid, n, now(), 'step.message', 'SYSTEM', 'runner', '{}', '' FROM generate_series(${last + 1}::int, ${lines}::int) n`
  await stage.db.prisma.run.update({ where: { id: runId }, data: { lastLine: lines } })
  const sent: ('delete' | 'sweep')[] = []
  stage.interpose((sql) => {
    if (sql.sql.includes('DELETE FROM run_log')) sent.push('delete')
    if (sql.sql.includes('w.grace_until <')) sent.push('sweep')
    return stage.send(sql)
  })
  await stage.letPass(2 * DAY_MS)
  await stage.settle()
  expect(await stage.log(runId)).toHaveLength(0)
  expect(sent.filter((each) => each === 'delete').length).toBeGreaterThanOrEqual(4)
  expect(sent.join(' ')).not.toContain('delete delete')
})

test('what a log gets after it was deleted is deleted in its turn', async () => {
  const stage = await newStage({ logRetentionDays: 1 })
  stage.script.answers('a', made('orcs', 'flag'))
  for (const ref of ['orcs', 'flag']) stage.script.revertAnswers(ref, { ok: false, retry: false, error: 'stuck' })
  const runId = await stage.play([{ key: 'one', steps: [spawn('a')] }])
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'INCOMPLETE' })
  const laterOn = async () => {
    await stage.letPass(2 * DAY_MS)
    await stage.settle()
    return stage.log(runId)
  }
  expect(await laterOn()).toHaveLength(0)

  stage.script.revertAnswers('orcs', { ok: true })
  expect(await retryCleanup(stage.ctx, MIRA, { runId })).toEqual({ runId })
  await stage.settle()
  expect(await stage.run(runId)).toMatchObject({ cleanupStatus: 'INCOMPLETE' })
  expect(await stage.log(runId)).not.toHaveLength(0)
  expect(await laterOn()).toHaveLength(0)

  const { id: resourceId } = await resource(stage, 'flag')
  expect(await abandonResource(stage.ctx, MIRA, { resourceId, reason: 'scenery' })).toEqual({ resourceId })
  expect(await stage.log(runId)).not.toHaveLength(0)
  expect(await laterOn()).toHaveLength(0)
})
