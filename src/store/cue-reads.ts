import { storableData } from '../domain/storable.ts'
import type { Prisma, Step } from '../generated/prisma/client.ts'
import type { Database } from './database.ts'

/** The cues that wait for a person, oldest first; of one scope ('' too), or of all where `scope` is null. */
export const openCues = (
  db: Database,
  { scope, query = {} }: { scope: string | null; query?: Pick<Prisma.StepDefaultArgs, 'include' | 'select'> },
): Promise<Step[]> =>
  db.prisma.step.findMany({
    ...query,
    where: { parked: true, ...(scope === null ? {} : { run: { scope: storableData(scope) } }) },
    orderBy: [{ parkedAt: 'asc' }, { id: 'asc' }],
  })
