import { formatId } from '../domain/ids.ts'
import {
  advanceLedger,
  type Ledger,
  type LedgerDraft,
  type LedgerEntry,
  ledgerDraftOf,
  settleRevert,
  takeBackReverts,
  writtenLedger,
} from '../domain/ledger.ts'
import * as log from '../domain/log.ts'
import { type Outcome, terminal } from '../domain/outcome.ts'
import type { Instant } from '../domain/picture.ts'
import { isTerminal } from '../domain/run.ts'
import { callRevert } from '../modules/call.ts'
import type { ClaimRef } from '../store/claims.ts'
import { isRefusedByDatabase } from '../store/faults.ts'
import { claimLedgers, type LedgerReading } from '../store/ledger.ts'
import { appendLines } from '../store/log.ts'
import { Messages } from './messages.ts'
import { patiently, pauseFor } from './patience.ts'
import { retryRule } from './settlement.ts'
import { type Begin, calledInSpan } from './tracing.ts'
import type { WorkContext } from './work-context.ts'

/** A call of a revert that a change settles. */
type Settled = { entry: LedgerEntry; outcome: Outcome; lines: log.RunLine[] }

type Change = {
  /** Changes the draft; false: what it is about is not there any more. */
  apply(draft: LedgerDraft): boolean
  /** The calls that the change ends. */
  ends: LedgerEntry[]
  settles: Settled | null
}

/** Claims ledgers that are due, up to `limit`, and begins to work each: answers what goes on, and that never rejects. */
export async function cleanUpDue(
  context: WorkContext,
  { owner, now, limit, begin }: { owner: string; now: Instant; limit: number; begin: Begin },
): Promise<Promise<void>[]> {
  const { db, ledgers } = context
  const { claims: working } = ledgers.leases
  const claimed = await claimLedgers(db.hot, { owner, now, leaseUntil: ledgers.leases.next(), limit, working })
  return claimed.map(({ runId, previousOwner }) =>
    begin(() => cleanUpClaimed(context, { runId, owner }, previousOwner ?? owner)),
  )
}

/** Takes back what is due in a ledger that was just claimed, one after the other. Never rejects. */
async function cleanUpClaimed(context: WorkContext, claim: ClaimRef, previousOwner: string): Promise<void> {
  const { ledgers, load } = context
  const { runId } = claim
  ledgers.leases.hold(claim)
  load.take()
  try {
    const ledger = await reread(context, { ...claim, now: context.clock.now() })
    if (ledger !== null) await drive(context, claim, { claimed: ledger, previousOwner })
  } catch (error) {
    // The claim is left to lapse: the next holder goes on from what the database says.
    context.log.error(
      { err: error, runId },
      'what a run left in the world could not be taken back; it is taken up again when its lease ends',
    )
  } finally {
    ledgers.leases.drop(claim)
    load.release()
  }
}

async function drive(
  context: WorkContext,
  claim: ClaimRef,
  { claimed, previousOwner }: { claimed: Ledger; previousOwner: string },
): Promise<void> {
  const { load, settings, db, changes } = context
  let ledger = claimed
  // Whoever claims a ledger is alone with it: what is being taken back there is a dead process's.
  let change: Change = {
    settles: null,
    ends: claimed.entries.filter(({ status }) => status === 'REVERTING'),
    apply(draft) {
      takeBackReverts(draft, { now: context.clock.now(), retry: retryRule(context), previousOwner })
      return true
    },
  }
  for (let reverted = 0; ; reverted += 1) {
    const hasTurn = reverted < settings.stepsPerPass
    const moved = await move(context, claim, { from: ledger, asked: change, hasTurn })
    if (moved === null || moved.entry === null) return
    const { entry } = moved
    ledger = moved.ledger
    const messages = new Messages({ db: db.hot, changes, runId: claim.runId, log: context.log })
    const { kind, ref } = entry
    const outcome = await load.dispatch({ ...entry.step, resource: { kind, ref } }, () =>
      revert(context, ledger, entry, messages),
    )
    change = settlement(context, { entry, outcome, lines: await messages.take() })
  }
}

const isSame = (one: LedgerEntry, other: LedgerEntry) => one.id === other.id && one.claimNo === other.claimNo

/** Settles what a call brought, unless the claim that the call was made under is gone. */
function settlement(context: WorkContext, settled: Settled): Change {
  return {
    settles: settled,
    ends: [settled.entry],
    apply(draft) {
      const entry = draft.ledger.entries.find((candidate) => isSame(candidate, settled.entry))
      if (entry?.status !== 'REVERTING') return false
      for (const line of settled.lines) draft.lines.push(line)
      settleRevert(draft, entry, { outcome: settled.outcome, now: context.clock.now(), retry: retryRule(context) })
      return true
    },
  }
}

type Moved = { ledger: Ledger; entry: LedgerEntry | null }

/**
 * Applies a change to a ledger, claims what is next in it, and writes all that at once, as often as somebody changes the
 * run in between. Answers what has to be taken back now; null: the claim is not in force any more.
 */
async function move(
  context: WorkContext,
  claim: ClaimRef,
  { from, asked, hasTurn }: { from: Ledger; asked: Change; hasTurn: boolean },
): Promise<Moved | null> {
  const { ledgers, clock } = context
  let ledger: Ledger | null = from
  // What was just read is decided on as of the reading: by the clock, something else may have come due each time.
  let now = clock.now()
  let uncertain = false
  while (ledger !== null) {
    // A write whose answer was lost on the way: nobody but the holder calls under its claim, and this was not called yet.
    const lost = ledger.entries.find(
      (entry) => entry.status === 'REVERTING' && !asked.ends.some((ended) => isSame(ended, entry)),
    )
    if (lost !== undefined) {
      ledgers.leases.hold(claim, leaseLimit(context, lost))
      return { ledger, entry: lost }
    }
    const draft = ledgerDraftOf(ledger)
    if (!asked.apply(draft)) break
    const next = advanceLedger(draft, { now, mayRevert: hasTurn && context.mayDispatch() })
    if (next.kind !== 'unknown') {
      const entry = next.kind === 'revert' ? next.entry : null
      const leaseUntil = entry === null ? null : ledgers.leases.next(leaseLimit(context, entry))
      try {
        const done = await ledgers.changes.writeIfUnchanged({ draft, owner: claim.owner, leaseUntil, now })
        if (done !== null) {
          if (entry !== null) ledgers.leases.hold(claim, leaseLimit(context, entry))
          announce(context, draft, { line: done.line, from: ledger })
          return { ledger: writtenLedger(draft, done.fence), entry }
        }
      } catch (error) {
        if (isRefusedByDatabase(error)) throw error
        uncertain = true
        await pauseFor(context, error, claim.runId)
      }
    }
    now = clock.now()
    ledger = await reread(context, { ...claim, now })
  }
  if (uncertain) tellOfUnknown(context, claim.runId)
  else if (asked.settles !== null) await logLate(context, claim.runId, asked.settles)
  return null
}

/** A write whose answer was lost may have ended the cleanup: its run may have to go on, and its log may have grown. */
function tellOfUnknown({ changes, clock, wakeAt }: WorkContext, runId: string): void {
  changes.publish({ runId, line: 0, cues: false })
  wakeAt(clock.now())
}

/** The lease is never renewed beyond the action's budget and a margin. */
function leaseLimit({ registry, clock, settings }: WorkContext, { step }: LedgerEntry): number {
  return clock.now() + (registry.action(step.actionId)?.budgetMs ?? 0) + settings.stepLeaseMarginMs
}

/** Tells the readers and the runner what a change brought. */
function announce(context: WorkContext, draft: LedgerDraft, { line, from }: { line: number; from: Ledger }): void {
  const { ledger, ledgerAt } = draft
  context.changes.publish({ runId: ledger.runId, line, cues: false })
  if (ledgerAt !== null) context.wakeAt(ledgerAt)
  if (ledger.cleanupStatus === from.cleanupStatus) return
  // A run that waited for it goes on, or lets go of its concurrency key, so that the next can start.
  if (!isTerminal(ledger.runStatus) || ledger.concurrencyKey !== null) context.wakeAt(context.clock.now())
}

function reread(context: WorkContext, reading: LedgerReading): Promise<Ledger | null> {
  return patiently(context, reading.runId, () => context.ledgers.claimed.add(reading))
}

/** Calls the module that made it, and says what came of it. Never rejects: whatever goes wrong is an outcome. */
async function revert(
  context: WorkContext,
  ledger: Ledger,
  { id, kind, ref, payload, memberKey, step }: LedgerEntry,
  messages: Messages,
): Promise<Outcome> {
  const { registry, clock, signal, censor } = context
  const action = registry.action(step.actionId)
  if (action === undefined) return terminal(registry.whyMissing(step.actionId))
  const { revert: takeBack, budgetMs } = action
  if (takeBack === null)
    return terminal(`${step.actionId} cannot take it back any more: it is registered without a revert.`)
  const request = {
    resource: { id: formatId('Resource', id), kind, ref, payload, memberKey },
    runId: formatId('Run', ledger.runId),
    stepId: formatId('Step', step.id),
    scope: ledger.scope,
    idempotencyKey: step.idempotencyKey,
  }
  const attributes = () => ({
    'cuelight.run.id': request.runId,
    'cuelight.step.id': request.stepId,
    'cuelight.resource.id': request.resource.id,
    'cuelight.action.id': step.actionId,
  })
  return calledInSpan(`revert ${step.actionId}`, attributes, () =>
    callRevert({ budgetMs, revert: takeBack }, request, {
      signal,
      clock,
      censor,
      log: (message, level) => messages.add(log.stepMessage({ at: clock.now(), step }, { message, level })),
    }),
  )
}

async function logLate(
  { db, clock, changes }: WorkContext,
  runId: string,
  { entry, outcome, lines }: Settled,
): Promise<void> {
  const said = outcome.kind === 'failed' ? `failed: ${outcome.error}` : 'done'
  const late = log.revertLate({ at: clock.now(), resource: entry }, said)
  const line = await appendLines(db.hot, runId, [...lines, late])
  if (line !== null) changes.publish({ runId, line, cues: false })
}
