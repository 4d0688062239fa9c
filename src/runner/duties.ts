import { blockedBecause, runBlocked } from '../domain/log.ts'
import { dropClaims, readNewlyBlocked } from '../store/claims.ts'
import { dropLedgerClaims } from '../store/ledger.ts'
import { pruneLogs } from '../store/log.ts'
import { missIfWaiting, readOverdue, readPausedStarts } from '../store/missed.ts'
import { noteBlockedIfNew } from '../store/runs.ts'
import { pruneEmissions } from '../store/triggers.ts'
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

/** Makes MISSED what was not started within its grace window, or while its schedule was paused: nothing starts late and silently. */
export async function sweepMissed({ db, clock, changes, meter, mayDispatch }: WorkContext): Promise<void> {
  for (const read of [readPausedStarts, readOverdue]) {
    let full = true
    while (full && mayDispatch()) {
      const now = clock.now()
      const runs = await read(db.hot, { now, limit: BATCH })
      for (const { runId, line, reason } of await missIfWaiting(db.hot, { runs, now })) {
        meter.runMissed(reason)
        changes.publish({ runId, line, cues: false })
      }
      full = runs.length === BATCH
    }
  }
}

/** Lets go of what a process that stops has claimed and is not calling anything for. */
export async function letGo({ db, clock }: WorkContext, worker: string): Promise<void> {
  await dropClaims(db.hot, worker, clock.now())
  await dropLedgerClaims(db.hot, worker, clock.now())
}

const DAY_MS = 86_400_000
/** Log lines that one statement deletes, about: some tens of milliseconds' work. */
const LINES_PRUNED = 20_000

/** Forgets the keys of triggers whose day is over. */
export async function pruneKeys({ db, clock, mayDispatch }: WorkContext): Promise<void> {
  const now = clock.now()
  let full = true
  while (full && mayDispatch()) full = (await pruneEmissions(db.hot, { now, limit: BATCH })) === BATCH
}

/** Deletes some log lines of runs that ended before the retention horizon. Answers whether there may be more. */
export async function prune({ db, clock, settings }: Pick<WorkContext, 'db' | 'clock' | 'settings'>): Promise<boolean> {
  const now = clock.now()
  const endedBefore = new Date(now - settings.logRetentionDays * DAY_MS)
  const { more } = await pruneLogs(db.hot, { endedBefore, now: new Date(now), lines: LINES_PRUNED })
  return more
}
