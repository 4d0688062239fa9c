import { runStatus } from '../domain/log.ts'
import type { Instant, Picture } from '../domain/picture.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { PICTURE_COLUMNS, type PictureRow, pictureOf } from './pictures.ts'
import { at, logLines } from './sql.ts'

export type ClaimRequest = {
  /** This process, as claims name it. */
  worker: string
  now: Instant
  leaseUntil: Instant
  /** How many runs at most. */
  limit: number
}

/** A claimed run, and whether this claim is its start. */
export type Claimed = { picture: Picture; line: number; started: boolean }

type ClaimedRow = PictureRow & { last_line: number; was: string }

const claimed = (row: ClaimedRow): Claimed => ({
  picture: pictureOf(row),
  line: row.last_line,
  started: row.was === 'SCHEDULED',
})

// What a claim does to the runs that a CTE `due` (id, status) chose and locked: a scheduled run starts with it.
const claimChosen = ({ worker, now, leaseUntil }: ClaimRequest) => Prisma.sql`
  , claimed AS (
    UPDATE runs r SET
      claimed_by = ${worker}, lease_until = ${at(leaseUntil)}, fence = r.fence + 1,
      status = CASE WHEN due.status = 'SCHEDULED' THEN 'STARTING' ELSE r.status END,
      started_at = CASE WHEN due.status = 'SCHEDULED' THEN ${at(now)} ELSE r.started_at END,
      last_error = CASE WHEN due.status = 'SCHEDULED' THEN NULL ELSE r.last_error END,
      blocked_by = CASE WHEN due.status = 'SCHEDULED' THEN NULL ELSE r.blocked_by END,
      last_line = r.last_line + CASE WHEN due.status = 'SCHEDULED' THEN 1 ELSE 0 END
    FROM due WHERE r.id = due.id
    RETURNING r.*, due.status::text AS was
  ), logged AS (
    ${logLines(Prisma.sql`SELECT id, last_line - 1 AS last_line FROM claimed WHERE was = 'SCHEDULED'`, [
      runStatus({ at: now }, { from: 'SCHEDULED', to: 'STARTING' }),
    ])}
  )
  SELECT ${PICTURE_COLUMNS}, r.last_line, r.was FROM claimed r`

/**
 * Claims runs that are due, the longest due first, and starts those that wait for their start. Starts that need a
 * concurrency key are `claimKeyedStarts`'s. Zero rows: nothing is due, or others got there first.
 */
export async function claimDue(db: PrismaClient, request: ClaimRequest): Promise<Claimed[]> {
  const rows = await db.$queryRaw<ClaimedRow[]>(Prisma.sql`
    WITH due AS (
      SELECT id, status FROM runs
      WHERE claimed_by IS NULL AND wake_at <= ${at(request.now)}
        AND (status <> 'SCHEDULED' OR ((concurrency_key IS NULL OR rehearsal) AND grace_until >= ${at(request.now)}))
      ORDER BY wake_at LIMIT ${request.limit} FOR UPDATE SKIP LOCKED
    ) ${claimChosen(request)}`)
  return rows.map(claimed)
}

/** Any number: every start of a run with a concurrency key takes this lock first. */
const KEYED_STARTS_LOCK = 4_230_177

// A key is held by the run in the unique index over exactly this; the index is the truth, this skips what it would refuse.
const keyIsFree = Prisma.sql`NOT EXISTS (
  SELECT 1 FROM runs h WHERE h.concurrency_key = w.concurrency_key AND NOT h.rehearsal
    AND (h.status IN ('STARTING', 'RUNNING', 'PAUSED', 'ENDING') OR h.cleanup_status = 'PENDING'))`

const dueKeyed = (
  now: Instant,
) => Prisma.sql`w.claimed_by IS NULL AND w.wake_at <= ${at(now)} AND w.status = 'SCHEDULED'
  AND w.concurrency_key IS NOT NULL AND NOT w.rehearsal AND w.grace_until >= ${at(now)}`

/**
 * Starts due runs whose concurrency key is free: one for a key, the earliest `scheduledFor` first. Starts of keyed runs
 * are serialised, across processes, so that none of them finds a key free that another is about to take.
 */
export async function claimKeyedStarts(db: PrismaClient, request: ClaimRequest): Promise<Claimed[]> {
  const { now, limit } = request
  const [any] = await db.$queryRaw<{ any: boolean }[]>(
    Prisma.sql`SELECT EXISTS (SELECT 1 FROM runs w WHERE ${dueKeyed(now)} AND ${keyIsFree}) AS any`,
  )
  if (!any?.any) return []
  // The lock has to be held before the claim takes its snapshot: two statements, one transaction.
  const [, rows] = await db.$transaction([
    db.$executeRaw(Prisma.sql`SELECT pg_advisory_xact_lock(${KEYED_STARTS_LOCK}::bigint)`),
    db.$queryRaw<ClaimedRow[]>(Prisma.sql`
      WITH first AS (
        SELECT DISTINCT ON (w.concurrency_key) w.id FROM runs w WHERE ${dueKeyed(now)} AND ${keyIsFree}
        ORDER BY w.concurrency_key, w.scheduled_for, w.id
      ), due AS (
        SELECT r.id, r.status FROM runs r JOIN first ON first.id = r.id
        WHERE r.status = 'SCHEDULED' AND r.claimed_by IS NULL
        ORDER BY r.wake_at LIMIT ${limit} FOR UPDATE OF r SKIP LOCKED
      ) ${claimChosen(request)}`),
  ])
  return rows.map(claimed)
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
    FROM runs w JOIN runs h ON h.concurrency_key = w.concurrency_key AND NOT h.rehearsal
      AND (h.status IN ('STARTING', 'RUNNING', 'PAUSED', 'ENDING') OR h.cleanup_status = 'PENDING')
    WHERE ${dueKeyed(now)} AND w.blocked_by IS DISTINCT FROM h.id
    ORDER BY w.id LIMIT ${limit}`)
}

/** A claim whose lease ran out, taken over: what its holder was doing is the new holder's to settle. */
export type Lapsed = { picture: Picture; previousOwner: string }

/**
 * Takes over claims whose lease ran out. A live lease is never taken, not even by its owner; `working` are the runs that
 * the caller itself is still at, late as it may be.
 */
export async function takeOverLapsed(
  db: PrismaClient,
  { worker, now, leaseUntil, limit, working }: ClaimRequest & { working: string[] },
): Promise<Lapsed[]> {
  const rows = await db.$queryRaw<(PictureRow & { previous: string })[]>(Prisma.sql`
    WITH lapsed AS (
      SELECT id, claimed_by AS previous FROM runs WHERE claimed_by IS NOT NULL AND lease_until <= ${at(now)}
        AND NOT (claimed_by = ${worker} AND id = ANY (${working}::uuid[]))
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE runs r SET claimed_by = ${worker}, lease_until = ${at(leaseUntil)}, fence = r.fence + 1
      FROM lapsed WHERE r.id = lapsed.id RETURNING r.*, lapsed.previous
    )
    SELECT ${PICTURE_COLUMNS}, r.previous FROM taken r`)
  return rows.map((row) => ({ picture: pictureOf(row), previousOwner: row.previous }))
}

/** The run as it is now, if this process still holds its claim. */
export async function readClaimed(db: PrismaClient, runId: string, worker: string): Promise<Picture | null> {
  const [row] = await db.$queryRaw<PictureRow[]>(
    Prisma.sql`SELECT ${PICTURE_COLUMNS} FROM runs r WHERE r.id = ${runId}::uuid AND r.claimed_by = ${worker}`,
  )
  return row === undefined ? null : pictureOf(row)
}

/** Renews leases that are still this process's; answers the ids of the runs that are. Says nothing new about the run: its fence stays. */
export async function renewLeases(
  db: PrismaClient,
  worker: string,
  leases: { runId: string; until: Instant }[],
): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH x AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(
        leases.map(({ runId, until }) => ({ id: runId, until: new Date(until).toISOString() })),
      )}::jsonb) AS x(id uuid, until timestamptz)
    ), own AS (
      SELECT r.id, x.until FROM x JOIN runs r ON r.id = x.id
      WHERE coalesce(r.claimed_by, '') = ${worker} ORDER BY r.id FOR UPDATE OF r
    )
    UPDATE runs r SET lease_until = own.until FROM own WHERE r.id = own.id RETURNING r.id`)
  return rows.map((row) => row.id)
}

/** Lets go of claims between steps, at once and whatever is due: for a process that stops. */
export async function dropClaims(db: PrismaClient, worker: string, now: Instant): Promise<number> {
  return db.$executeRaw(Prisma.sql`
    UPDATE runs SET claimed_by = NULL, lease_until = NULL, fence = fence + 1, wake_at = coalesce(wake_at, ${at(now)})
    WHERE claimed_by = ${worker} AND in_flight IS NULL`)
}

/** The next instant after `now` that the runner has to be awake at: a start, a hold, a gate, the end of a lease or of a grace window. */
export async function readNextInstant(db: PrismaClient, now: Instant): Promise<Instant | null> {
  const [row] = await db.$queryRaw<{ next: Date | null }[]>(Prisma.sql`
    SELECT least(
      (SELECT min(wake_at) FROM runs WHERE claimed_by IS NULL AND wake_at > ${at(now)}),
      (SELECT min(grace_until) + interval '1 ms' FROM runs WHERE status = 'SCHEDULED' AND grace_until >= ${at(now)}),
      (SELECT min(lease_until) FROM runs WHERE claimed_by IS NOT NULL AND lease_until > ${at(now)})) AS next`)
  return row?.next?.getTime() ?? null
}
