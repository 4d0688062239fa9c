import type { BudgetCap } from '../domain/budget.ts'
import type { RunLine } from '../domain/log.ts'
import type { Instant, Step } from '../domain/picture.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import type { ActorKind, RunSource } from '../generated/prisma/enums.ts'
import { insertBudget } from './budget.ts'
import { toJsonb } from './json.ts'
import { at, logLines } from './sql.ts'
import { placeRow } from './transition-rows.ts'

export type NewRun = {
  id: string
  definitionId: string
  versionId: string
  scope: string
  source: RunSource
  rehearsal: boolean
  params: Record<string, unknown>
  timeZone: string
  concurrencyKey: string | null
  occurrenceKey: string
  occurrenceAt: Instant
  scheduledFor: Instant
  graceUntil: Instant
  startedBy: { kind: ActorKind; name: string }
  requestId: string | null
  /** What was asked for with `requestId`. */
  request: Record<string, unknown> | null
  /** The caps of what is counted in it. */
  budget: readonly BudgetCap[]
  /** The steps of the first phase. */
  steps: readonly Step[]
  lines: readonly RunLine[]
}

/**
 * Creates an occurrence with its first phase's steps and its first lines, if its definition is still READY at that
 * version and nobody made it before: answers whether it did. The unique keys decide, so that no two are ever made.
 */
export async function insertRunIfNew(db: PrismaClient, run: NewRun, now: Instant): Promise<boolean> {
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH definition AS (
      SELECT id FROM definitions
      WHERE id = ${run.definitionId}::uuid AND state = 'READY' AND current_version_id = ${run.versionId}::uuid FOR SHARE
    ), run AS (
      INSERT INTO runs (id, definition_id, version_id, scope, source, rehearsal, params, time_zone, concurrency_key,
        occurrence_key, occurrence_at, scheduled_for, grace_until, wake_at, created_at, started_by_kind, started_by_name,
        request_id, request, last_line)
      SELECT ${run.id}::uuid, id, ${run.versionId}::uuid, ${run.scope}, ${run.source}::run_source, ${run.rehearsal},
        ${toJsonb(run.params)}::jsonb, ${run.timeZone}, ${run.concurrencyKey}, ${run.occurrenceKey},
        ${at(run.occurrenceAt)}, ${at(run.scheduledFor)}, ${at(run.graceUntil)}, ${at(run.scheduledFor)}, ${at(now)},
        ${run.startedBy.kind}::actor_kind, ${run.startedBy.name}, ${run.requestId},
        ${run.request === null ? null : toJsonb(run.request)}::jsonb, ${run.lines.length}
      FROM definition
      ON CONFLICT DO NOTHING
      RETURNING id
    ), made AS (
      INSERT INTO steps (id, run_id, phase, phase_index, seq, action_id, action_version, label, params, on_failure, idempotency_key)
      SELECT s.id, run.id, s.phase, s.phase_index, s.seq, s.action_id, s.action_version, s.label, s.params, s.on_failure, s.idempotency_key
      FROM run CROSS JOIN jsonb_to_recordset(${toJsonb(run.steps.map(placeRow))}::jsonb) AS s(
        id uuid, phase text, phase_index int, seq int, action_id text, action_version int, label text, params jsonb,
        on_failure on_failure, idempotency_key text)
    ) ${run.budget.length === 0 ? Prisma.empty : Prisma.sql`, budgeted AS (${insertBudget(Prisma.sql`SELECT id FROM run`, run.budget)})`}
    , logged AS (
      ${logLines(Prisma.sql`SELECT id, 0 AS last_line FROM run`, run.lines)}
    )
    SELECT id FROM run`)
  return rows.length > 0
}

/** The run that a request made, with what was asked for; null where it made none. */
export async function readRunOfRequest(
  db: PrismaClient,
  { definitionId, requestId }: { definitionId: string; requestId: string },
): Promise<{ id: string; request: unknown } | null> {
  const [row] = await db.$queryRaw<{ id: string; request: unknown }[]>(Prisma.sql`
    SELECT id, request FROM runs WHERE definition_id = ${definitionId}::uuid AND request_id = ${requestId}`)
  return row ?? null
}

/** The id of the run that is the same occurrence; null: there is none, as for every rehearsal. */
export async function readRunOfOccurrence(
  db: PrismaClient,
  run: Pick<NewRun, 'definitionId' | 'scope' | 'rehearsal' | 'occurrenceKey' | 'occurrenceAt'>,
): Promise<string | null> {
  if (run.rehearsal) return null
  const [row] = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    SELECT id FROM runs
    WHERE definition_id = ${run.definitionId}::uuid AND scope = ${run.scope} AND NOT rehearsal AND superseded_by_id IS NULL
      AND (occurrence_key = ${run.occurrenceKey} OR occurrence_at = ${at(run.occurrenceAt)})
    LIMIT 1`)
  return row?.id ?? null
}

/** Names the holder of the key in a blocked run, once per holder. Answers its last line; null: it started or is named already. */
export async function noteBlockedIfNew(
  db: PrismaClient,
  {
    runId,
    heldBy,
    now,
    because,
    line,
  }: { runId: string; heldBy: string; now: Instant; because: string; line: RunLine },
): Promise<number | null> {
  const [row] = await db.$queryRaw<{ last_line: number }[]>(Prisma.sql`
    WITH run AS (
      UPDATE runs SET blocked_by = ${heldBy}::uuid, last_error = ${because}, fence = fence + 1, last_line = last_line + 1
      WHERE id = ${runId}::uuid AND status = 'SCHEDULED' AND wake_at <= ${at(now)}
        AND blocked_by IS DISTINCT FROM ${heldBy}::uuid
      RETURNING id, last_line
    ), logged AS (
      ${logLines(Prisma.sql`SELECT id, last_line - 1 AS last_line FROM run`, [line])}
    )
    SELECT last_line FROM run`)
  return row?.last_line ?? null
}

/**
 * Takes the run's row before the statement behind it in the same transaction, so that what that statement reads of
 * steps and gates is not older than the row.
 */
export function lockRun(db: PrismaClient, runId: string) {
  return db.$queryRaw(Prisma.sql`SELECT 1 FROM runs WHERE id = ${runId}::uuid FOR UPDATE`)
}
