import { formatId } from '../domain/ids.ts'
import { blockedBecause, runBlocked, runStatus } from '../domain/log.ts'
import { readNewlyBlocked } from '../store/claims.ts'
import { pruneLogs } from '../store/log.ts'
import { missIfOverdue, noteBlockedIfNew, readOverdue } from '../store/runs.ts'
import type { WorkContext } from './work-context.ts'

/** How many rows a duty handles in one go; what is left is the next pass's. */
const BATCH = 100

/** Says once per holder, in a blocked run's log, which run holds its concurrency key. */
export async function noteBlocked({ db, clock, changes }: WorkContext): Promise<void> {
  const now = clock.now()
  for (const { runId, ...held } of await readNewlyBlocked(db.hot, { now, limit: BATCH })) {
    const line = await noteBlockedIfNew(db.hot, {
      runId,
      heldBy: held.heldBy,
      now,
      because: blockedBecause(held),
      line: runBlocked({ at: now }, held),
    })
    if (line !== null) changes.publish({ runId, line, cues: false })
  }
}

/** Makes MISSED what was not started within its grace window: nothing starts late and silently. */
export async function sweepMissed({ db, clock, changes }: WorkContext): Promise<void> {
  const now = clock.now()
  for (const { runId, heldBy } of await readOverdue(db.hot, { now, limit: BATCH })) {
    const because =
      heldBy === null
        ? 'the grace window passed before a runner could start it'
        : `the grace window passed while ${formatId('Run', heldBy)} held its concurrency key`
    const line = await missIfOverdue(db.hot, {
      runId,
      missedReason: heldBy === null ? 'NOT_RUNNING' : 'KEY_HELD',
      now,
      because,
      line: runStatus({ at: now }, { from: 'SCHEDULED', to: 'MISSED', because }),
    })
    if (line !== null) changes.publish({ runId, line, cues: false })
  }
}

const DAY_MS = 86_400_000

/** Deletes the log lines of runs that ended before the retention horizon. Answers how many runs it pruned. */
export async function prune({ db, clock, settings, mayDispatch }: WorkContext): Promise<number> {
  const now = clock.now()
  const endedBefore = new Date(now - settings.logRetentionDays * DAY_MS)
  let pruned = 0
  for (;;) {
    const batch = await pruneLogs(db.hot, { endedBefore, now: new Date(now), limit: BATCH })
    pruned += batch
    if (batch < BATCH || !mayDispatch()) return pruned
  }
}
