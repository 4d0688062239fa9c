import { setTimeout as delay } from 'node:timers/promises'
import type { Envelope } from '../../../src/modules/module.ts'
import { insertRuns, onBench } from '../cuelight.ts'

const RUNS = 1000
const STEPS = 5
/** Time for the runs to be written. */
const AFTER_SECONDS = 6

/**
 * Milliseconds after the instant at which 1,000 runs of five steps are due: until the first action of the first of them
 * was called, of half of them, and of the last, and until all were over.
 */
export type Rush = { first: number; half: number; last: number; over: number }

export function measureRush(url: string): Promise<Rush> {
  const called = new Map<string, number>()
  const note = ({ runId }: Envelope) => {
    if (runId !== null && !called.has(runId)) called.set(runId, performance.timeOrigin + performance.now())
  }
  return onBench(url, note, async ({ control: { db }, runner }) => {
    await insertRuns(db, { runs: RUNS, steps: STEPS, afterSeconds: AFTER_SECONDS })
    await db.prisma.$executeRawUnsafe('VACUUM ANALYZE')
    const [{ due: isDue } = { due: true }] = await db.prisma.$queryRaw<{ due: boolean }[]>`
      SELECT now() > min(scheduled_for) - interval '1 s' AS due FROM runs`
    if (isDue) throw new Error('The runs were due before the runner was there: give them more time.')
    runner.start()
    while (called.size < RUNS) await delay(20)
    while ((await db.prisma.run.count({ where: { status: { not: 'COMPLETED' } } })) > 0) await delay(20)
    const [row] = await db.prisma.$queryRaw<{ due: Date; over: Date }[]>`
      SELECT min(scheduled_for) AS due, max(ended_at) AS over FROM runs`
    const due = row?.due.getTime() ?? Number.NaN
    const waits = [...called.values()].map((at) => Math.round(at - due)).sort((a, b) => a - b)
    const [first = 0, half = 0, last = 0] = [waits[0], waits[waits.length >> 1], waits.at(-1)]
    return { first, half, last, over: (row?.over.getTime() ?? Number.NaN) - due }
  })
}
