import { PLACEHOLDER_KIND } from '../domain/ledger-log.ts'
import type { Instant } from '../domain/picture.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { Batch } from './batch.ts'
import { toJsonb } from './json.ts'
import { unresolved } from './pictures.ts'

/** What a claimed step asks for right before its action is called. */
export type AdmissionRequest = {
  runId: string
  /** The name of the claim that the step is in flight under. */
  owner: string
  stepId: string
  claimNo: number
  /** By dimension, 0 or more; {}: it costs nothing. */
  costs: Readonly<Record<string, number>>
  /** For an action that can be taken back: what stands in the ledger until its answer says what it made. */
  placeholder: { id: string; module: string; ref: string } | null
  now: Instant
}

export type Admission =
  /** `unresolved`: how much the run's ledger holds that is to be dealt with, the placeholder included; null where none was asked for. */
  | { kind: 'ADMITTED'; unresolved: number | null }
  /** A cap has no room; nothing was spent. */
  | { kind: 'SHORT'; dimension: string; requested: number; cap: number; consumed: number }
  /** The run has ended: nothing is sent any more. */
  | { kind: 'ENDED' }
  /** The claim is not in force any more. */
  | { kind: 'LOST' }

/**
 * Lets claimed steps through to their calls: a step pays its cost from its run's budget, all dimensions or none and once
 * in its life, and leaves a placeholder in the ledger. Asking again after a lost answer changes nothing more.
 */
export class Admissions {
  readonly #batch: Batch<AdmissionRequest, Admission>

  constructor(db: PrismaClient) {
    this.#batch = new Batch((requests) => admitIfClaimed(db, requests))
  }

  admitIfClaimed(request: AdmissionRequest): Promise<Admission> {
    return this.#batch.add(request)
  }
}

function asRow({ runId, owner, stepId, claimNo, costs, placeholder, now }: AdmissionRequest) {
  return {
    run_id: runId,
    owner,
    step_id: stepId,
    claim_no: claimNo,
    costs: Object.entries(costs).map(([dimension, cost]) => ({ dimension, cost })),
    placeholder_id: placeholder?.id ?? null,
    module: placeholder?.module ?? null,
    ref: placeholder?.ref ?? null,
    at: new Date(now).toISOString(),
  }
}

type AdmissionRow = {
  run_id: string
  step_id: string
  claim_no: number
  owner: string
  ended: boolean
  unresolved: number | null
  short: { dimension: string; requested: number; cap: number; consumed: number } | null
}

// The runs are locked in id order, so that two groups never wait for each other. A statement that waited for a lock sees
// other tables as they were before it waited, but for the rows that it locks itself: so the step and the meters are
// locked too before they are judged. What is short is looked up by its run: these sessions join nothing by hash, and would
// walk all of a group for each of it. Amounts are rounded to 15 digits as `domain/budget` does it: 0.1 and 0.2 fit in 0.3.
async function admitIfClaimed(db: PrismaClient, requests: AdmissionRequest[]): Promise<Admission[]> {
  const rows = await db.$queryRaw<AdmissionRow[]>(Prisma.sql`
    WITH x AS MATERIALIZED (
      SELECT DISTINCT ON (run_id, owner, step_id, claim_no) *
      FROM jsonb_to_recordset(${toJsonb(requests.map(asRow))}::jsonb) AS x(run_id uuid, owner text, step_id uuid,
        claim_no int, costs jsonb, placeholder_id uuid, module text, ref text, at timestamptz)
    ), own AS MATERIALIZED (
      SELECT x.*, r.ended_at IS NOT NULL AS ended FROM x JOIN runs r ON r.id = x.run_id
      WHERE coalesce(r.claimed_by, '') = x.owner AND r.in_flight = x.step_id
      ORDER BY r.id FOR UPDATE OF r
    ), held AS MATERIALIZED (
      SELECT own.*, s.spent FROM own JOIN steps s ON s.id = own.step_id WHERE s.claim_no = own.claim_no
      ORDER BY s.id FOR UPDATE OF s
    ), asked AS MATERIALIZED (
      SELECT held.run_id, c.dimension, c.cost
      FROM held CROSS JOIN LATERAL jsonb_to_recordset(held.costs) AS c(dimension text, cost float8)
      WHERE NOT held.spent AND NOT held.ended
    ), meter AS MATERIALIZED (
      SELECT b.run_id, b.dimension, b.consumed, b.cap, asked.cost
      FROM asked JOIN budget_lines b ON b.run_id = asked.run_id AND b.dimension = asked.dimension
      ORDER BY b.run_id, b.dimension FOR UPDATE OF b
    ), short AS MATERIALIZED (
      SELECT jsonb_object_agg(run_id, jsonb_build_object('dimension', dimension, 'requested', cost, 'cap', cap,
        'consumed', consumed)) AS of_run
      FROM (
        SELECT DISTINCT ON (run_id) * FROM meter
        WHERE (consumed + cost)::numeric > cap::numeric ORDER BY run_id, dimension
      ) m
    ), judged AS MATERIALIZED (
      SELECT held.*, short.of_run -> held.run_id::text AS short FROM held CROSS JOIN short
    ), admitted AS MATERIALIZED (
      SELECT * FROM judged WHERE NOT ended AND short IS NULL
    ), counted AS (
      INSERT INTO budget_lines AS b (run_id, dimension, consumed)
      SELECT admitted.run_id, c.dimension, c.cost
      FROM admitted CROSS JOIN LATERAL jsonb_to_recordset(admitted.costs) AS c(dimension text, cost float8)
      WHERE NOT admitted.spent
      ON CONFLICT (run_id, dimension) DO UPDATE SET consumed = (b.consumed + excluded.consumed)::numeric
    ), paid AS (
      UPDATE steps s SET spent = true FROM admitted
      WHERE s.id = admitted.step_id AND NOT admitted.spent AND jsonb_array_length(admitted.costs) > 0
    ), placed AS (
      INSERT INTO resources (id, run_id, step_id, module, kind, ref, placeholder, created_at)
      SELECT placeholder_id, run_id, step_id, module, ${PLACEHOLDER_KIND}, ref, true, at
      FROM admitted WHERE placeholder_id IS NOT NULL
      ON CONFLICT DO NOTHING
    )
    SELECT judged.run_id, judged.step_id, judged.claim_no, judged.owner, judged.ended, judged.short,
      CASE WHEN judged.placeholder_id IS NOT NULL THEN 1 + (
        SELECT count(*)::int FROM resources o WHERE o.run_id = judged.run_id AND ${unresolved(Prisma.sql`o`)}
          AND NOT (o.placeholder AND o.step_id = judged.step_id)) END AS unresolved
    FROM judged`)
  const byClaim = new Map(rows.map((row) => [claimOf({ ...row, stepId: row.step_id, claimNo: row.claim_no }), row]))
  return requests.map((request) => admissionOf(byClaim.get(claimOf(request))))
}

const claimOf = ({ owner, stepId, claimNo }: { owner: string; stepId: string; claimNo: number }) =>
  `${stepId} ${claimNo} ${owner}`

function admissionOf(row: AdmissionRow | undefined): Admission {
  if (row === undefined) return { kind: 'LOST' }
  if (row.ended) return { kind: 'ENDED' }
  if (row.short !== null) return { kind: 'SHORT', ...row.short }
  return { kind: 'ADMITTED', unresolved: row.unresolved }
}
