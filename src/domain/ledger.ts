import * as log from './log.ts'
import type { RunLine } from './log-line.ts'
import type { Outcome } from './outcome.ts'
import type { Instant } from './picture.ts'
import type { CleanupStatus, RunStatus } from './run.ts'
import type { RetryRule } from './settle.ts'

/** Something that a run left in the world and that is still to be dealt with, with the step that made it. */
export type LedgerEntry = log.LoggedResource & {
  step: log.LoggedResource['step'] & { idempotencyKey: string }
  payload: Record<string, unknown> | null
  memberKey: string | null
  /** Taken back then, run or no run. */
  leaseUntil: Instant | null
  status: 'ACTIVE' | 'REVERTING' | 'REVERTED' | 'FAILED'
  attempts: number
  /** Not tried again before this instant. */
  dueAt: Instant | null
  /** Raised by every call and never set back: an answer for an older number changes nothing. */
  claimNo: number
  lastError: string | null
  /** Some that are newer and were due when the ledger was read are not in it: they come first. */
  afterUnread: boolean
}

/**
 * What the holder of the claim on a run's ledger knows of it. It is true as long as the run's fence is `fence`: whoever
 * else changes any of it raises that number.
 */
export type Ledger = {
  runId: string
  scope: string
  concurrencyKey: string | null
  fence: number
  runStatus: RunStatus
  /** Key of the phase that the run is in. */
  phase: string | null
  /** PENDING only once the run is over, so that it says too that all may be taken back. */
  cleanupStatus: CleanupStatus
  /** The action of a step is being called, which may yet make something. */
  inFlight: boolean
  /** What may be next, newest first: all that are REVERTING, and the newest ones ACTIVE that were due when it was read. */
  entries: LedgerEntry[]
  /** What is ACTIVE besides `entries`. */
  rest: {
    /** Older ones were due as well when it was read. */
    due: boolean
    /** When the first of those that were not due comes due; null: none does by itself. */
    dueAt: Instant | null
  }
  /** How much is FAILED; null where it was not counted: the run goes on, or more is ACTIVE than `entries`. */
  failed: number | null
}

/** A ledger being changed, with what has to be written for it. */
export type LedgerDraft = {
  ledger: Ledger
  /** What changed, by its id. */
  touched: Map<string, LedgerEntry>
  /** When it has to be looked at again; null: not before somebody sets it. */
  ledgerAt: Instant | null
  lines: RunLine[]
}

/** Entries are never changed, only replaced, so that the draft shares them with the ledger that it is made of. */
export function ledgerDraftOf(ledger: Ledger): LedgerDraft {
  return { ledger: { ...ledger }, touched: new Map(), ledgerAt: null, lines: [] }
}

/** The ledger after a draft was written under that fence. */
export function writtenLedger({ ledger }: LedgerDraft, fence: number): Ledger {
  return { ...ledger, fence, entries: ledger.entries.filter(isPending) }
}

const isPending = ({ status }: LedgerEntry) => status === 'ACTIVE' || status === 'REVERTING'

/** Takes back the calls that a dead process left, before anything new is called. Attempts stay as they are. */
export function takeBackReverts(
  draft: LedgerDraft,
  { now, retry, previousOwner }: { now: Instant; retry: RetryRule; previousOwner: string },
): void {
  for (const entry of draft.ledger.entries) {
    if (entry.status !== 'REVERTING') continue
    const { attempts } = entry
    draft.lines.push(log.revertReclaimed({ at: now, resource: entry }, { previousOwner, attempts }))
    if (entry.attempts >= retry.maxAttempts) fail(draft, entry, 'gave up after repeated interruptions', now)
    else change(draft, entry, { status: 'ACTIVE', dueAt: null })
  }
}

/** Writes what a call answered into the ledger. An answer that is no failure says that it is gone, whatever else it says. */
export function settleRevert(
  draft: LedgerDraft,
  entry: LedgerEntry,
  { outcome, now, retry }: { outcome: Outcome; now: Instant; retry: RetryRule },
): void {
  const { attempts } = entry
  if (outcome.kind === 'done' || outcome.kind === 'parked') {
    change(draft, entry, { status: 'REVERTED', dueAt: null, lastError: null })
    draft.lines.push(log.resourceReverted({ at: now, resource: entry }, { attempts }))
  } else if (outcome.kind === 'failed' && outcome.transient && attempts < retry.maxAttempts) {
    const { error } = outcome
    const dueAt = now + retry.retryMs
    change(draft, entry, { status: 'ACTIVE', dueAt, lastError: error })
    const detail = { attempt: attempts, of: retry.maxAttempts, dueAt, error }
    draft.lines.push(log.revertRetry({ at: now, resource: entry }, detail))
  } else {
    fail(draft, entry, outcome.error, now)
  }
}

/**
 * What is next: what was claimed to be taken back; or nothing, where nothing is due, the cleanup has ended or its turn is
 * over, and then `draft.ledgerAt` says when to look again; or that only a new reading can tell.
 */
export type Next = { kind: 'revert'; entry: LedgerEntry } | { kind: 'nothing' } | { kind: 'unknown' }

/** Decides what is next, the newest of what is due; nothing is claimed once its turn is over (`mayRevert` false). */
export function advanceLedger(draft: LedgerDraft, { now, mayRevert }: { now: Instant; mayRevert: boolean }): Next {
  const { ledger } = draft
  if (ledger.failed !== null && !ledger.entries.some(isPending)) {
    endCleanup(draft, ledger.failed, now)
    return { kind: 'nothing' }
  }
  const mayAll = ledger.cleanupStatus === 'PENDING' && !ledger.inFlight
  const dueFrom = (entry: LedgerEntry): Instant => {
    const leaseEnds = entry.leaseUntil ?? Number.POSITIVE_INFINITY
    return Math.max(entry.dueAt ?? Number.NEGATIVE_INFINITY, mayAll ? Number.NEGATIVE_INFINITY : leaseEnds)
  }
  const active = ledger.entries.filter(({ status }) => status === 'ACTIVE')
  const restDueFrom = ledger.rest.due ? now : (ledger.rest.dueAt ?? Number.POSITIVE_INFINITY)
  if (mayRevert) {
    const next = active.find((entry) => dueFrom(entry) <= now && !entry.afterUnread)
    const hasMoreComeDue = ledger.rest.dueAt !== null && ledger.rest.dueAt <= now
    if (hasMoreComeDue || (next === undefined && restDueFrom <= now)) return { kind: 'unknown' }
    if (next !== undefined) {
      const { attempts, claimNo } = next
      const claim = { status: 'REVERTING', attempts: attempts + 1, claimNo: claimNo + 1, dueAt: null } as const
      return { kind: 'revert', entry: change(draft, next, claim) }
    }
  }
  const earliest = Math.max(now, Math.min(restDueFrom, ...active.map(dueFrom)))
  draft.ledgerAt = Number.isFinite(earliest) ? earliest : null
  return { kind: 'nothing' }
}

function endCleanup({ ledger, lines }: LedgerDraft, unresolved: number, now: Instant): void {
  const to = unresolved > 0 ? 'INCOMPLETE' : 'CLEAN'
  lines.push(log.cleanupStatus({ at: now, phase: ledger.phase }, { from: ledger.cleanupStatus, to, unresolved }))
  ledger.cleanupStatus = to
}

function fail(draft: LedgerDraft, entry: LedgerEntry, error: string, now: Instant): void {
  change(draft, entry, { status: 'FAILED', dueAt: null, lastError: error })
  draft.lines.push(log.resourceFailed({ at: now, resource: entry }, { attempts: entry.attempts, error }))
  if (draft.ledger.failed !== null) draft.ledger.failed += 1
}

function change({ ledger, touched }: LedgerDraft, entry: LedgerEntry, to: Partial<LedgerEntry>): LedgerEntry {
  const changed = { ...entry, ...to }
  ledger.entries = ledger.entries.map((other) => (other === entry ? changed : other))
  touched.set(entry.id, changed)
  return changed
}
