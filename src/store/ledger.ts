import type { Ledger, LedgerDraft, LedgerEntry } from '../domain/ledger.ts'
import type { Instant } from '../domain/picture.ts'
import type { CleanupStatus, RunStatus } from '../domain/run.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { Batch } from './batch.ts'
import type { ClaimRef, ClaimRequest } from './claims.ts'
import { toJsonb } from './json.ts'
import { at, claimKey, lineRow } from './sql.ts'

// A run's ledger has a claim of its own: `ledger_owner` names it, and `ledger_at` is its lease then. Without an owner
// `ledger_at` is when the ledger has to be looked at. So one index probe finds what is due, and what a dead process held.

/** A claimed ledger, and who held it when its lease ran out; null where nobody did. */
export type ClaimedLedger = { runId: string; previousOwner: string | null }

/**
 * Claims ledgers that are due, those whose holder died among them. A live lease is never taken; `working` are the claims
 * that the caller itself is still at, late as it may be.
 */
export async function claimLedgers(
  db: PrismaClient,
  { owner, now, leaseUntil, limit, working }: ClaimRequest & { working: ClaimRef[] },
): Promise<ClaimedLedger[]> {
  return db.$queryRaw<ClaimedLedger[]>(Prisma.sql`
    WITH due AS (
      SELECT id, ledger_owner AS previous FROM runs WHERE ledger_at <= ${at(now)}
        AND NOT (id = ANY (${working.map(({ runId }) => runId)}::uuid[])
          AND coalesce(ledger_owner, '') = ANY (${working.map((claim) => claim.owner)}::text[]))
      ORDER BY ledger_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE runs r SET ledger_owner = ${owner}, ledger_at = ${at(leaseUntil)}
    FROM due WHERE r.id = due.id RETURNING r.id AS "runId", due.previous AS "previousOwner"`)
}

type LedgerRow = {
  id: string
  owner: string
  scope: string
  concurrency_key: string | null
  fence: number
  status: RunStatus
  current_phase: string | null
  cleanup_status: CleanupStatus
  in_flight: boolean
  entries: EntryJson[]
  more: boolean
  due_at: Date | null
  failed: number | null
}

type EntryJson = {
  id: string
  kind: string
  ref: string
  payload: Record<string, unknown> | null
  member_key: string | null
  lease_until: string | null
  status: 'ACTIVE' | 'REVERTING'
  revert_attempts: number
  revert_due_at: string | null
  claim_no: number
  last_error: string | null
  step_id: string
  phase: string
  label: string | null
  action_id: string
  idempotency_key: string
}

const parsed = (instant: string | null) => (instant === null ? null : Date.parse(instant))

function entryOf(row: EntryJson, afterUnread: boolean): LedgerEntry {
  return {
    afterUnread,
    id: row.id,
    kind: row.kind,
    ref: row.ref,
    payload: row.payload,
    memberKey: row.member_key,
    leaseUntil: parsed(row.lease_until),
    status: row.status,
    attempts: row.revert_attempts,
    dueAt: parsed(row.revert_due_at),
    claimNo: row.claim_no,
    lastError: row.last_error,
    step: {
      id: row.step_id,
      phase: row.phase,
      label: row.label,
      actionId: row.action_id,
      idempotencyKey: row.idempotency_key,
    },
  }
}

/** A ledger to be read under its claim, and what time it is. */
export type LedgerReading = ClaimRef & { now: Instant }

/** How many things that are due a reading brings: more than a pass takes back of one ledger where nothing else is set. */
export const READ_AT_ONCE = 50

const newest = (where: Prisma.Sql, { inOrderOf = Prisma.empty } = {}) => Prisma.sql`(
  SELECT p.id, p.created_at FROM resources p WHERE p.run_id = r.id AND p.status = 'ACTIVE' AND ${where}
  ORDER BY ${inOrderOf} p.created_at DESC, p.id DESC LIMIT ${READ_AT_ONCE + 1})`

// Before the run's end only what is leased comes due. What waits for another try then is beyond its lease already, so
// that its `revert_due_at` alone says when. Three parts, since an index has to find each: what was not tried yet, which
// `revert_due_at` puts in the index's order, what is tried again, and what was leased.
const DUE = Prisma.sql`
  SELECT d.id, row_number() OVER (ORDER BY d.created_at DESC, d.id DESC) AS place FROM (
    ${newest(Prisma.sql`ends.all_due AND p.revert_due_at IS NULL`, { inOrderOf: Prisma.sql`p.revert_due_at DESC,` })}
    UNION ALL ${newest(Prisma.sql`ends.all_due AND p.revert_due_at <= x.now`)}
    UNION ALL ${newest(Prisma.sql`NOT ends.all_due AND p.lease_until <= x.now
      AND coalesce(p.revert_due_at, '-infinity') <= x.now`)}
  ) d ORDER BY place LIMIT ${READ_AT_ONCE + 1}`

// When the first of what is not due comes due.
const LATER = Prisma.sql`
  least((SELECT min(p.revert_due_at) FROM resources p
      WHERE p.run_id = r.id AND p.status = 'ACTIVE' AND p.revert_due_at > x.now),
    (SELECT min(p.lease_until) FROM resources p
      WHERE NOT ends.all_due AND p.run_id = r.id AND p.status = 'ACTIVE' AND p.lease_until > x.now))`

/**
 * The claimed ledgers as they are now, in the order asked for; null for one whose claim is not that any more. How long a
 * ledger is does not matter: looked at is what may be brought, all that is due by a lease or for another try, and at the
 * end what FAILED.
 */
export async function readLedgers(db: PrismaClient, readings: LedgerReading[]): Promise<(Ledger | null)[]> {
  const asked = readings.map(({ runId, owner, now }) => ({ run_id: runId, owner, now: iso(now) }))
  const rows = await db.$queryRaw<LedgerRow[]>(Prisma.sql`
    WITH x AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) AS x(run_id uuid, owner text, now timestamptz)
    )
    SELECT x.owner, r.id, r.scope, r.concurrency_key, r.fence, r.status::text AS status, r.current_phase,
      r.cleanup_status::text AS cleanup_status, r.in_flight IS NOT NULL AS in_flight, e.entries, due.more, later.due_at,
      CASE WHEN ends.all_due AND NOT due.more AND later.due_at IS NULL THEN (
        SELECT count(*)::int FROM resources p WHERE p.run_id = r.id AND p.status = 'FAILED') END AS failed
    FROM x JOIN runs r ON r.id = x.run_id
    CROSS JOIN LATERAL (SELECT r.cleanup_status = 'PENDING' AND r.in_flight IS NULL AS all_due) ends
    CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(d.id) FILTER (WHERE d.place <= ${READ_AT_ONCE}), '{}') AS ids,
        count(*) > ${READ_AT_ONCE} AS more
      FROM (${DUE}) d
    ) due
    CROSS JOIN LATERAL (SELECT ${LATER} AS due_at) later
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(e ORDER BY e.created_at DESC, e.id DESC), '[]') AS entries FROM (
        SELECT p.id, p.kind, p.ref, p.payload, p.member_key, p.lease_until, p.status, p.revert_attempts, p.revert_due_at,
          p.claim_no, p.last_error, p.created_at, s.id AS step_id, s.phase, s.label, s.action_id, s.idempotency_key
        FROM (SELECT unnest(due.ids) AS id UNION ALL
          SELECT q.id FROM resources q WHERE q.run_id = r.id AND q.status = 'REVERTING') ids
        JOIN resources p ON p.id = ids.id JOIN steps s ON s.id = p.step_id
      ) e
    ) e
    WHERE coalesce(r.ledger_owner, '') = x.owner`)
  const byClaim = new Map(rows.map((row) => [claimKey({ runId: row.id, owner: row.owner }), row]))
  return readings.map((reading) => {
    const row = byClaim.get(claimKey(reading))
    return row === undefined ? null : ledgerOf(row)
  })
}

function ledgerOf(row: LedgerRow): Ledger {
  const lastDue = row.entries.findLastIndex(({ status }) => status === 'ACTIVE')
  return {
    runId: row.id,
    scope: row.scope,
    concurrencyKey: row.concurrency_key,
    fence: row.fence,
    runStatus: row.status,
    phase: row.current_phase,
    cleanupStatus: row.cleanup_status,
    inFlight: row.in_flight,
    entries: row.entries.map((entry, place) => entryOf(entry, row.more && place > lastDue)),
    rest: { due: row.more, dueAt: row.due_at?.getTime() ?? null },
    failed: row.failed,
  }
}

/** What the holder of a ledger's claim wants written. */
export type LedgerChange = {
  draft: LedgerDraft
  owner: string
  /** Until when the claim is held from now on; null lets go of it, and `draft.ledgerAt` counts. */
  leaseUntil: Instant | null
  now: Instant
}

/** The run's fence and last line after the change; null: somebody changed the run since, and nothing was written. */
export type LedgerWritten = { fence: number; line: number } | null

/**
 * Inserts the log lines that each run brings itself, for a statement that has locked its runs in a CTE `own`: id,
 * last_line (before these lines) and lines, a jsonb array of `lineRow`s. It has to raise `last_line` by their number.
 */
const LOG_OWN_LINES = Prisma.sql`
      INSERT INTO run_log (run_id, line, at, kind, phase, step_id, actor_kind, actor_name, detail, text)
      SELECT own.id, own.last_line + l.ord, l.at, l.kind, l.phase, l.step_id, l.actor_kind, l.actor_name, l.detail, l.text
      FROM own CROSS JOIN LATERAL ROWS FROM (jsonb_to_recordset(own.lines) AS (
        at timestamptz, kind text, phase text, step_id uuid, actor_kind actor_kind, actor_name text, detail jsonb,
        text text)) WITH ORDINALITY AS l(at, kind, phase, step_id, actor_kind, actor_name, detail, text, ord)`

/** Writes what became of ledgers, each unless its run's fence has moved or the claim is another's; many in a statement. */
export class LedgerChanges {
  readonly #batch: Batch<LedgerChange, LedgerWritten>

  constructor(db: PrismaClient) {
    this.#batch = new Batch((changes) => writeIfUnchanged(db, changes))
  }

  writeIfUnchanged(change: LedgerChange): Promise<LedgerWritten> {
    return this.#batch.add(change)
  }
}

const iso = (instant: Instant | null) => (instant === null ? null : new Date(instant).toISOString())

function asRow({ draft, owner, leaseUntil, now }: LedgerChange) {
  const { ledger, touched, ledgerAt, lines } = draft
  return {
    id: ledger.runId,
    fence: ledger.fence,
    owner,
    holds: leaseUntil !== null,
    ledger_at: iso(leaseUntil ?? ledgerAt),
    cleanup_status: ledger.cleanupStatus,
    // A run that waited in ENDING goes on.
    wake_at: ledger.runStatus === 'ENDING' && ledger.cleanupStatus !== 'PENDING' ? iso(now) : null,
    entries: [...touched.values()].map((entry) => ({
      id: entry.id,
      status: entry.status,
      revert_attempts: entry.attempts,
      revert_due_at: iso(entry.dueAt),
      claim_no: entry.claimNo,
      last_error: entry.lastError,
    })),
    lines: lines.map(lineRow),
  }
}

// As the hot path does it: locked in id order, and the fence is checked again on the locked row.
async function writeIfUnchanged(db: PrismaClient, changes: LedgerChange[]): Promise<LedgerWritten[]> {
  const rows = await db.$queryRaw<{ id: string; owner: string; fence: number; last_line: number }[]>(Prisma.sql`
    WITH x AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${toJsonb(changes.map(asRow))}::jsonb) AS x(
        id uuid, fence int, owner text, holds bool, ledger_at timestamptz, cleanup_status cleanup_status,
        wake_at timestamptz, entries jsonb, lines jsonb)
    ), own AS MATERIALIZED (
      SELECT r.last_line, x.* FROM x JOIN runs r ON r.id = x.id
      WHERE r.fence = x.fence AND coalesce(r.ledger_owner, '') = x.owner
      ORDER BY r.id FOR UPDATE OF r
    ), changed AS (
      UPDATE resources p SET status = e.status, revert_attempts = e.revert_attempts, revert_due_at = e.revert_due_at,
        claim_no = e.claim_no, last_error = e.last_error
      FROM own CROSS JOIN LATERAL jsonb_to_recordset(own.entries) AS e(
        id uuid, status resource_status, revert_attempts int, revert_due_at timestamptz, claim_no int, last_error text)
      WHERE p.id = e.id
    ), logged AS (
      ${LOG_OWN_LINES}
    )
    UPDATE runs r SET ledger_owner = CASE WHEN own.holds THEN own.owner END, ledger_at = own.ledger_at,
      cleanup_status = own.cleanup_status, wake_at = coalesce(own.wake_at, r.wake_at),
      fence = r.fence + 1, last_line = r.last_line + jsonb_array_length(own.lines)
    FROM own WHERE r.id = own.id
    RETURNING r.id, own.owner, r.fence, r.last_line`)
  const byClaim = new Map(
    rows.map((row) => [claimKey({ runId: row.id, owner: row.owner }), { fence: row.fence, line: row.last_line }]),
  )
  return changes.map(({ draft, owner }) => byClaim.get(claimKey({ runId: draft.ledger.runId, owner })) ?? null)
}

/** Lets go of all claims of a process on ledgers of which nothing is being taken back, at once: for one that stops. */
export function dropLedgerClaims(db: PrismaClient, worker: string, now: Instant): Promise<number> {
  return db.$executeRaw(Prisma.sql`
    WITH own AS (
      SELECT r.id FROM runs r WHERE r.ledger_at IS NOT NULL AND starts_with(r.ledger_owner, ${`${worker}#`})
        AND NOT coalesce((SELECT true FROM resources p WHERE p.run_id = r.id AND p.status = 'REVERTING' LIMIT 1), false)
      ORDER BY r.id FOR UPDATE OF r
    )
    UPDATE runs r SET ledger_owner = NULL, ledger_at = ${at(now)} FROM own WHERE r.id = own.id`)
}
