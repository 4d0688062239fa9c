import type { Clock } from '../domain/clock.ts'
import { Admissions } from '../store/admission.ts'
import { Batch } from '../store/batch.ts'
import { Budgets } from '../store/budget.ts'
import { type ClaimRef, readClaimed } from '../store/claims.ts'
import type { PrismaClient } from '../store/database.ts'
import { startIfWaiting } from '../store/starts.ts'
import type { Transition } from '../store/transition-rows.ts'
import { Transitions, type Written } from '../store/transitions.ts'
import { Versions } from './versions.ts'

/**
 * What a runner asks and tells the database on the hot path, many runs in a statement. Starts that wait for their turn
 * when it stops are left for others.
 */
export const storesOf = (hot: PrismaClient, { clock, mayStart }: { clock: Clock; mayStart: () => boolean }) => ({
  versions: new Versions(hot),
  starts: new Batch(
    async (starts: Transition[]): Promise<Written[]> =>
      mayStart() ? startIfWaiting(hot, starts, clock.now()) : starts.map(() => null),
  ),
  transitions: new Transitions(hot),
  admissions: new Admissions(hot),
  budgets: new Budgets(hot),
  pictures: new Batch((claims: ClaimRef[]) => readClaimed(hot, claims)),
})
