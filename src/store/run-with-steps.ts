import type { PrismaClient } from '../generated/prisma/client.ts'

/** A run with all of its steps so far, in the order of the spec; null: there is none. */
export const readRunWithSteps = (db: PrismaClient, runId: string) =>
  db.run.findUnique({
    where: { id: runId },
    include: { steps: { orderBy: [{ phaseIndex: 'asc' }, { seq: 'asc' }] } },
  })

export type RunWithSteps = NonNullable<Awaited<ReturnType<typeof readRunWithSteps>>>
