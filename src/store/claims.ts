import type { Clock } from '../domain/clock.ts'
import { runStatus } from '../domain/log.ts'
import type { Instant, Picture } from '../domain/picture.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { startIsPaused } from './missed.ts'
import { PICTURE_COLUMNS, type PictureRow, pictureOf } from './pictures.ts'
import { at, claimKey, logLines } from './sql.ts'

export type ClaimRequest = {
  /** This claim's own name: a process never uses one twice, so that an old claim of it is not taken for the new one. */
  owner: string
  now: Instant
  leaseUntil: Instant
  /** How many runs at most. */
  limit: number
}

/**
 * A claimed run, the number of its last line, and whether this claim is its start. What the run is like is read after
 * the claim: a statement that locks rows sees other tables as they were before it waited.
 */
export type Claimed = { runId: string; line: number; started: boolean }

// What a claim does to the runs that a CTE `due` (id, status) chose and locked: a scheduled run starts with it.
const claimChosen = ({ owner, now, leaseUntil }: ClaimRequest) => Prisma.sql`
  , claimed AS (
    UPDATE runs r SET
      claimed_by = ${owner}, lease_until = ${at(leaseUntil)}, fence = r.fence + 1,
      status = CASE WHEN due.status = 'SCHEDULED' THEN 'STARTING' ELSE r.status END,
      started_at = CASE WHEN due.status = 'SCHEDULED' THEN ${at(now)} ELSE r.started_at END,
      last_error = CASE WHEN due.status = 'SCHEDULED' THEN NULL ELSE r.last_error END,
      blocked_by = CASE WHEN due.status = 'SCHEDULED' THEN NULL ELSE r.blocked_by END,
      last_line = r.last_line + CASE WHEN due.status = 'SCHEDULED' THEN 1 ELSE 0 END
    FROM due WHERE r.id = due.id
    RETURNING r.id, r.last_line, due.status = 'SCHEDULED' AS started
  ), logged AS (
    ${logLines(Prisma.sql`SELECT id, last_line - 1 AS last_line FROM claimed WHERE started`, [
      runStatus({ at: now }, { from: 'SCHEDULED', to: 'STARTING' }),
    ])}
  )
  SELECT id AS "runId", last_line AS line, started FROM claimed`

/**
 * Claims runs that came due by `dueBy`, the longest due first, and starts those that wait for their start. Starts that
 * need a concurrency key are `claimKeyedStarts`'s. Zero rows: nothing is due, or others got there first.
 */
export function claimDue(db: PrismaClient, request: ClaimRequest & { dueBy: Instant }): Promise<Claimed[]> {
  return db.$queryRaw<Claimed[]>(Prisma.sql`
    WITH due AS (
      SELECT id, status FROM runs w
      WHERE claimed_by IS NULL AND wake_at <= ${at(request.dueBy)} AND (status <> 'SCHEDULED'
        OR ((concurrency_key IS NULL OR rehearsal) AND grace_until >= ${at(request.now)} AND NOT ${startIsPaused}))
      ORDER BY wake_at LIMIT ${request.limit} FOR UPDATE SKIP LOCKED
    ) ${claimChosen(request)}`)
}

/** Any number: who is about to take a concurrency key, by a start above all, takes this lock first. */
export const KEYED_STARTS_LOCK = 4_230_177

/** Takes that lock for the rest of the transaction. */
export function lockKeys(db: PrismaClient) {
  return db.$executeRaw(Prisma.sql`SELECT pg_advisory_xact_lock(${KEYED_STARTS_LOCK}::bigint)`)
}

// A key is held by the run in the unique index over exactly this; the index is the truth, this skips what it would refuse.
// At most one, which LIMIT says: the planner looks it up by its key then, and does not walk all holders for each.
const HOLDER = Prisma.sql`
  SELECT h.id, h.status FROM runs h WHERE h.concurrency_key = w.concurrency_key AND h.concurrency_key IS NOT NULL
    AND NOT h.rehearsal
    AND (h.status IN ('STARTING', 'RUNNING', 'PAUSED', 'ENDING') OR h.cleanup_status = 'PENDING') LIMIT 1`
const keyIsFree = Prisma.sql`(SELECT held.id FROM (${HOLDER}) held) IS NULL`

// The status compared as text, so that the planner walks what is due of those with a key and not all that are scheduled.
const dueKeyed = (
  now: Instant,
) => Prisma.sql`w.claimed_by IS NULL AND w.wake_at <= ${at(now)} AND w.status::text = 'SCHEDULED'
  AND w.concurrency_key IS NOT NULL AND NOT w.rehearsal AND w.grace_until >= ${at(now)} AND NOT ${startIsPaused}`

/**
 * Starts due runs whose concurrency key is free, at the instant that `clock` shows when one was found: one for a key, the
 * earliest `scheduledFor` first. Starts of keyed runs are serialised, across processes, so that none of them finds a key free that another is about to take.
 */
export async function claimKeyedStarts(
  db: PrismaClient,
  asked: ClaimRequest,
  clock: Pick<Clock, 'now'>,
): Promise<Claimed[]> {
  const [any] = await db.$queryRaw<{ any: boolean }[]>(
    Prisma.sql`SELECT EXISTS (SELECT 1 FROM runs w WHERE ${dueKeyed(asked.now)} AND ${keyIsFree}) AS any`,
  )
  if (!any?.any) return []
  // A key may have been let go of since the caller looked at its clock. One that is while the lock is waited for
  // may still be dated before that.
  const request = { ...asked, now: clock.now() }
  const { now, limit } = request
  // The lock has to be held before the claim takes its snapshot: two statements, one transaction.
  const [, rows] = await db.$transaction([
    lockKeys(db),
    db.$queryRaw<Claimed[]>(Prisma.sql`
      WITH first AS (
        SELECT DISTINCT ON (w.concurrency_key) w.id, w.concurrency_key, w.wake_at FROM runs w WHERE ${dueKeyed(now)} AND ${keyIsFree}
        ORDER BY w.concurrency_key, w.scheduled_for, w.id
      ), due AS (
        -- Behind the lock, so that a row that somebody holds takes no other's place.
        SELECT r.id, r.status FROM (SELECT * FROM first ORDER BY wake_at) first CROSS JOIN LATERAL (
          SELECT r.id, r.status FROM runs r WHERE r.id = first.id AND coalesce(r.status = 'SCHEDULED'
            AND r.concurrency_key = first.concurrency_key AND r.claimed_by IS NULL AND r.wake_at <= ${at(now)}
            AND r.grace_until >= ${at(now)}, false)
          FOR UPDATE OF r SKIP LOCKED) r
        LIMIT ${limit}
      ) ${claimChosen(request)}`),
  ])
  return rows
}

/** A start that its concurrency key holds back, by a holder that the run's log does not name yet. */
export type BlockedStart = { runId: string; concurrencyKey: string; heldBy: string; holderStatus: PictureRow['status'] }

/** The due starts that are held back by somebody new. */
export async function readNewlyBlocked(
  db: PrismaClient,
  { now, limit }: { now: Instant; limit: number },
): Promise<BlockedStart[]> {
  return db.$queryRaw<BlockedStart[]>(Prisma.sql`
    SELECT w.id AS "runId", w.concurrency_key AS "concurrencyKey", h.id AS "heldBy", h.status::text AS "holderStatus"
    FROM runs w CROSS JOIN LATERAL (${HOLDER}) h
    WHERE ${dueKeyed(now)} AND w.blocked_by IS DISTINCT FROM h.id
    ORDER BY w.wake_at LIMIT ${limit}`)
}

/** A claim whose lease ran out, taken over: what its holder was doing is the new holder's to settle. */
export type Lapsed = { runId: string; previousOwner: string }

/**
 * Takes over claims whose lease ran out. A live lease is never taken, not even by its owner; `working` are the claims
 * that the caller itself is still at, late as it may be.
 */
export function takeOverLapsed(
  db: PrismaClient,
  { owner, now, leaseUntil, limit, working }: ClaimRequest & { working: ClaimRef[] },
): Promise<Lapsed[]> {
  return db.$queryRaw<Lapsed[]>(Prisma.sql`
    WITH lapsed AS (
      SELECT id, claimed_by AS previous FROM runs WHERE claimed_by IS NOT NULL AND lease_until <= ${at(now)}
        AND NOT (id = ANY (${working.map(({ runId }) => runId)}::uuid[])
          AND claimed_by = ANY (${working.map((claim) => claim.owner)}::text[]))
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE runs r SET claimed_by = ${owner}, lease_until = ${at(leaseUntil)}, fence = r.fence + 1
    FROM lapsed WHERE r.id = lapsed.id RETURNING r.id AS "runId", lapsed.previous AS "previousOwner"`)
}

/** A claim by its run and its own name. */
export type ClaimRef = { runId: string; owner: string }

/** The claimed runs as they are now, in the order asked for; null for one whose claim is not that any more. */
export async function readClaimed(db: PrismaClient, claims: ClaimRef[]): Promise<(Picture | null)[]> {
  const rows = await db.$queryRaw<(PictureRow & { owner: string })[]>(Prisma.sql`
    WITH x AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(${JSON.stringify(claims)}::jsonb) AS x("runId" uuid, owner text))
    SELECT x.owner, ${PICTURE_COLUMNS} FROM x JOIN runs r ON r.id = x."runId" WHERE coalesce(r.claimed_by, '') = x.owner`)
  const byClaim = new Map(rows.map((row) => [claimKey({ runId: row.id, owner: row.owner }), row]))
  return claims.map((claim) => {
    const row = byClaim.get(claimKey(claim))
    return row === undefined ? null : pictureOf(row)
  })
}

type LeaseRenewal = ClaimRef & { until: Instant }

/** Renews leases of claims that are still in force. Says nothing new about a run: its fence stays. */
export const renewLeases = (db: PrismaClient, leases: readonly LeaseRenewal[]) =>
  renew(db, leases, { owner: Prisma.sql`claimed_by`, until: Prisma.sql`lease_until` })

/** The same for claims on ledgers. */
export const renewLedgerLeases = (db: PrismaClient, leases: readonly LeaseRenewal[]) =>
  renew(db, leases, { owner: Prisma.sql`ledger_owner`, until: Prisma.sql`ledger_at` })

async function renew(
  db: PrismaClient,
  leases: readonly LeaseRenewal[],
  column: { owner: Prisma.Sql; until: Prisma.Sql },
): Promise<void> {
  const rows = leases.map(({ runId, owner, until }) => ({ id: runId, owner, until: new Date(until).toISOString() }))
  await db.$executeRaw(Prisma.sql`
    WITH x AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(id uuid, owner text, until timestamptz)
    ), own AS (
      SELECT r.id, x.until FROM x JOIN runs r ON r.id = x.id
      WHERE coalesce(r.${column.owner}, '') = x.owner ORDER BY r.id FOR UPDATE OF r
    )
    UPDATE runs r SET ${column.until} = own.until FROM own WHERE r.id = own.id`)
}

/** Lets go of all claims of a process that have no step in flight, at once and whatever is due: for one that stops. */
export function dropClaims(db: PrismaClient, worker: string, now: Instant): Promise<number> {
  return db.$executeRaw(Prisma.sql`
    WITH own AS (
      SELECT id FROM runs WHERE claimed_by IS NOT NULL AND starts_with(claimed_by, ${`${worker}#`}) AND in_flight IS NULL
      ORDER BY id FOR UPDATE
    )
    UPDATE runs r SET claimed_by = NULL, lease_until = NULL, fence = fence + 1, wake_at = coalesce(wake_at, ${at(now)})
    FROM own WHERE r.id = own.id`)
}

// What could be claimed at `now`, keys taken into account.
const isClaimable = (now: Instant) => Prisma.sql`w.claimed_by IS NULL AND w.wake_at <= ${at(now)}
  AND (w.status <> 'SCHEDULED' OR (w.grace_until >= ${at(now)} AND NOT ${startIsPaused}
    AND (w.concurrency_key IS NULL OR w.rehearsal OR ${keyIsFree})))`

/** How many runs are due that nobody has claimed, and since when the first of them is. */
export async function readBacklog(
  db: PrismaClient,
  now: Instant,
): Promise<{ dueRuns: number; oldestDueAt: Instant | null }> {
  const [row] = await db.$queryRaw<{ count: number; oldest: Date | null }[]>(
    Prisma.sql`SELECT count(*)::int AS count, min(w.wake_at) AS oldest FROM runs w WHERE ${isClaimable(now)}`,
  )
  return { dueRuns: row?.count ?? 0, oldestDueAt: row?.oldest?.getTime() ?? null }
}

/**
 * When a runner has to be awake next. `locked`: runs are due that it could not claim, since somebody holds their rows.
 * `ledgers`: ledgers are due.
 */
export type NextInstant = { next: Instant | null; locked: boolean; ledgers: boolean }

/**
 * The next instant after `now`, at which runs were last claimed, that the runner has to be awake at: a start, a hold, a
 * gate, the end of a lease or of a grace window, an occurrence that comes within the horizon, a ledger. `cleaning` are the
 * ledgers that the caller is at.
 */
export async function readNextInstant(
  db: PrismaClient,
  { now, horizonMs, cleaning }: { now: Instant; horizonMs: number; cleaning: ClaimRef[] },
): Promise<NextInstant> {
  const [row] = await db.$queryRaw<{ next: Date | null; locked: boolean; ledgers: boolean }[]>(Prisma.sql`
    SELECT least(
      (SELECT min(wake_at) FROM runs WHERE claimed_by IS NULL AND wake_at > ${at(now)}),
      (SELECT min(grace_until) + interval '1 ms' FROM runs WHERE status = 'SCHEDULED' AND grace_until >= ${at(now)}),
      (SELECT min(lease_until) FROM runs WHERE claimed_by IS NOT NULL AND lease_until > ${at(now)}),
      (SELECT min(ledger_at) FROM runs WHERE ledger_at > ${at(now)}),
      (SELECT min(materialised_until) - ${horizonMs - 1} * interval '1 ms' FROM definitions
        WHERE state = 'READY' AND NOT schedule_paused AND materialised_until >= ${at(now + horizonMs)})) AS next,
      EXISTS (SELECT 1 FROM runs w WHERE ${isClaimable(now)}) AS locked,
      EXISTS (SELECT 1 FROM runs WHERE ledger_at <= ${at(now)}
        AND id <> ALL (${cleaning.map(({ runId }) => runId)}::uuid[])) AS ledgers`)
  return { next: row?.next?.getTime() ?? null, locked: row?.locked ?? false, ledgers: row?.ledgers ?? false }
}
