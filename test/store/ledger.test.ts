import { expect, test } from 'vitest'
import { type Ledger, ledgerDraftOf } from '../../src/domain/ledger.ts'
import { Prisma } from '../../src/generated/prisma/client.ts'
import type { PrismaClient } from '../../src/store/database.ts'
import { LedgerChanges, READ_AT_ONCE, readLedgers } from '../../src/store/ledger.ts'
import { newStage, type Stage, T0 } from '../support/stage.ts'

/** A run of which the second claim on its ledger is in force, and both claims. Nobody works it. */
async function claimedAgain(stage: Stage) {
  const runId = await stage.play([{ key: 'one', steps: [{ actionId: 'core.cue', params: { instruction: 'Go' } }] }])
  await stage.stop()
  const [old, inForce] = [
    { runId, owner: 'w#1', now: T0 },
    { runId, owner: 'w#2', now: T0 },
  ]
  await stage.db.prisma.run.update({
    where: { id: runId },
    data: { ledgerOwner: inForce.owner, ledgerAt: new Date(T0 + 30_000) },
  })
  return { old, inForce }
}

async function read(stage: Stage, claim: { runId: string; owner: string; now: number }): Promise<Ledger> {
  const [ledger] = await readLedgers(stage.db.hot, [claim])
  if (ledger == null) throw new Error('the claim is not in force')
  return ledger
}

/** So many things more, each a millisecond younger than the one before and leased until as long after it was made as `leasedMs` says. */
async function fill(stage: Stage, runId: string, { many, leasedMs }: { many: number; leasedMs: number | null }) {
  const { id } = await stage.step(runId)
  await stage.db.prisma.$executeRaw`
    INSERT INTO resources (id, run_id, step_id, module, kind, ref, created_at, lease_until)
    SELECT gen_random_uuid(), ${runId}::uuid, ${id}::uuid, 'test', 'spawn', n::text,
      ${new Date(T0)}::timestamptz + n * interval '1 ms',
      ${new Date(T0)}::timestamptz + (n + ${leasedMs}::float8) * interval '1 ms'
    FROM generate_series(1, ${many}::int) n`
}

test('of two claims of a ledger that are read together only the one in force gets to know it', async () => {
  const stage = await newStage()
  const { old, inForce } = await claimedAgain(stage)
  const ledger = expect.objectContaining({ runId: inForce.runId })
  expect(await readLedgers(stage.db.hot, [old, inForce])).toEqual([null, ledger])
  expect(await readLedgers(stage.db.hot, [inForce, old])).toEqual([ledger, null])
})

test('of two claims of a ledger that are written together only the one in force is told that it was', async () => {
  const stage = await newStage()
  const { old, inForce } = await claimedAgain(stage)
  const ledger = await read(stage, inForce)
  const changes = new LedgerChanges(stage.db.hot)
  const write = ({ owner }: { owner: string }) =>
    changes.writeIfUnchanged({ draft: ledgerDraftOf(ledger), owner, leaseUntil: T0 + 60_000, now: T0 })
  expect(await Promise.all([write(old), write(inForce)])).toEqual([
    null,
    { fence: ledger.fence + 1, line: expect.any(Number) },
  ])
})

test('a reading brings the newest of what is due, and says when something else comes due', async () => {
  const stage = await newStage()
  const { inForce } = await claimedAgain(stage)
  const { runId } = inForce
  await fill(stage, runId, { many: 100, leasedMs: 1_000 })
  const reading = async (ms: number) => {
    const { entries, rest, failed } = await read(stage, { ...inForce, now: T0 + ms })
    return { refs: entries.map(({ ref }) => Number(ref)), rest, failed }
  }
  const downFrom = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index)
  expect(await reading(1_000)).toEqual({ refs: [], rest: { due: false, dueAt: T0 + 1_001 }, failed: null })
  expect(await reading(1_050)).toEqual({
    refs: downFrom(50, 1),
    rest: { due: false, dueAt: T0 + 1_051 },
    failed: null,
  })
  expect(await reading(1_051)).toEqual({ refs: downFrom(51, 2), rest: { due: true, dueAt: T0 + 1_052 }, failed: null })
  const { resource, run } = stage.db.prisma
  await resource.updateMany({ where: { runId, ref: '60' }, data: { revertDueAt: new Date(T0 + 9_000) } })
  await run.update({ where: { id: runId }, data: { cleanupStatus: 'PENDING' } })
  const newest = downFrom(100, 50).filter((ref) => ref !== 60)
  expect(await reading(0)).toEqual({ refs: newest, rest: { due: true, dueAt: T0 + 9_000 }, failed: null })
  expect(await reading(9_000)).toEqual({ refs: downFrom(100, 51), rest: { due: true, dueAt: null }, failed: null })
  await resource.updateMany({ where: { runId, ref: '7' }, data: { status: 'REVERTING' } })
  expect((await reading(0)).refs).toEqual([...newest, 7])
  await resource.updateMany({ where: { runId, ref: { notIn: ['60', '7'] } }, data: { status: 'FAILED' } })
  expect(await reading(0)).toEqual({ refs: [7], rest: { due: false, dueAt: T0 + 9_000 }, failed: null })
  expect(await reading(9_000)).toEqual({ refs: [60, 7], rest: { due: false, dueAt: null }, failed: 98 })
})

type PlanNode = Record<string, unknown> & { Plans?: PlanNode[] }

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

test.each(['PENDING', 'NOT_REQUIRED'] as const)(
  'a reading walks over no more of a long ledger than it brings, where the cleanup is %s',
  async (cleanupStatus) => {
    const stage = await newStage()
    const { inForce } = await claimedAgain(stage)
    await fill(stage, inForce.runId, { many: 2_000, leasedMs: 1_000 })
    await stage.db.prisma.$executeRaw`
      UPDATE resources SET revert_due_at = ${new Date(T0 + 90_000)} WHERE ref::int > 1000 AND run_id = ${inForce.runId}::uuid`
    await stage.db.prisma.run.update({ where: { id: inForce.runId }, data: { cleanupStatus } })
    const walked: number[] = []
    const explaining = {
      async $queryRaw(sql: Prisma.Sql) {
        const [row] = await stage.db.hot.$queryRaw<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(
          Prisma.sql`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
        )
        for (const node of row?.['QUERY PLAN'].flatMap(({ Plan }) => nodesOf(Plan)) ?? []) {
          if (node['Relation Name'] !== 'resources') continue
          walked.push(Number(node['Actual Rows'] ?? 0) + Number(node['Rows Removed by Filter'] ?? 0))
        }
        return []
      },
    }
    await readLedgers(explaining as unknown as PrismaClient, [{ ...inForce, now: T0 + 1_010 }])
    expect(walked.length).toBeGreaterThan(0)
    expect(Math.max(...walked)).toBeGreaterThan(0)
    expect(Math.max(...walked)).toBeLessThanOrEqual(READ_AT_ONCE + 1)
  },
)
