import { expect, test } from 'vitest'
import { newStage } from '../support/stage.ts'

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
