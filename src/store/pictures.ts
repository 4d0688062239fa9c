import type { Gate, Picture, Step } from '../domain/picture.ts'
import type { CleanupStatus, RunHealth } from '../domain/run.ts'
import type { OnFailure } from '../domain/step.ts'
import { Prisma } from '../generated/prisma/client.ts'
import type { ActorKind, RunStatus, StepStatus } from '../generated/prisma/enums.ts'

/** A run's row as `PICTURE_COLUMNS` reads it; steps and gate as PostgreSQL writes them in JSON. */
export type PictureRow = {
  id: string
  definition_id: string
  version_id: string
  scope: string
  rehearsal: boolean
  params: Record<string, string | number | boolean>
  concurrency_key: string | null
  started_by_kind: ActorKind
  started_by_name: string
  status: RunStatus
  health: RunHealth
  stalled_since: Date | null
  cleanup_status: CleanupStatus
  current_phase: string | null
  phase_index: number | null
  phase_entered_at: Date | null
  hold_until: Date | null
  started_at: Date | null
  ended_at: Date | null
  ended_because: string | null
  last_error: string | null
  in_flight: string | null
  wake_at: Date | null
  fence: number
  steps: StepJson[]
  gate: GateJson | null
  resolved: boolean
  unresolved: number
}

type StepJson = {
  id: string
  phase: string
  phase_index: number
  seq: number
  action_id: string
  action_version: number
  label: string | null
  params: Record<string, unknown>
  on_failure: OnFailure
  idempotency_key: string
  status: StepStatus
  due_at: string | null
  held: boolean
  attempts: number
  claim_no: number
  last_error: string | null
  started_at: string | null
  finished_at: string | null
  parked: boolean
  parked_at: string | null
  instruction: string | null
}

type GateJson = {
  phase: string
  phase_index: number
  kind: 'AFTER' | 'ON'
  trigger: string | null
  where: unknown
  tally: number | null
  needed: number | null
  entered_at: string
  opens_at: string | null
  opened_at: string | null
  opened_by: 'ELAPSED' | 'TRIGGER' | 'FORCED' | null
}

/** Whether a row of resources is still to be dealt with. */
export const unresolved = (resource: Prisma.Sql) =>
  Prisma.sql`${resource}.status = ANY ('{ACTIVE,REVERTING,FAILED}'::resource_status[])`

/**
 * What a picture is made of, for a row `r` of runs. Before a phase was entered its steps are those of the first phase,
 * which are made with the run.
 */
export const PICTURE_COLUMNS = Prisma.sql`
  r.id, r.definition_id, r.version_id, r.scope, r.rehearsal, r.params, r.concurrency_key,
  r.started_by_kind::text AS started_by_kind, r.started_by_name, r.status::text AS status, r.health::text AS health,
  r.stalled_since, r.cleanup_status::text AS cleanup_status, r.current_phase, r.phase_index, r.phase_entered_at,
  r.hold_until, r.started_at, r.ended_at, r.ended_because, r.last_error, r.in_flight, r.wake_at, r.fence,
  (SELECT coalesce(json_agg(s ORDER BY s.seq), '[]') FROM steps s
    WHERE s.run_id = r.id AND s.phase_index = coalesce(r.phase_index, 0)) AS steps,
  (SELECT to_json(g) FROM gates g WHERE g.run_id = r.id AND g.phase_index = r.phase_index) AS gate,
  coalesce((SELECT true FROM resources x WHERE x.run_id = r.id AND NOT ${unresolved(Prisma.sql`x`)} LIMIT 1), false) AS resolved,
  (SELECT count(*)::int FROM resources x WHERE x.run_id = r.id AND ${unresolved(Prisma.sql`x`)}) AS unresolved`

const ms = (at: Date | null) => at?.getTime() ?? null
const parsed = (at: string | null) => (at === null ? null : Date.parse(at))

export function pictureOf(row: PictureRow): Picture {
  return {
    facts: {
      runId: row.id,
      definitionId: row.definition_id,
      versionId: row.version_id,
      scope: row.scope,
      rehearsal: row.rehearsal,
      params: row.params,
      concurrencyKey: row.concurrency_key,
      startedBy: { kind: row.started_by_kind, name: row.started_by_name },
    },
    fence: row.fence,
    run: {
      status: row.status,
      health: row.health,
      stalledSince: ms(row.stalled_since),
      cleanupStatus: row.cleanup_status,
      currentPhase: row.current_phase,
      phaseIndex: row.phase_index,
      phaseEnteredAt: ms(row.phase_entered_at),
      holdUntil: ms(row.hold_until),
      startedAt: ms(row.started_at),
      endedAt: ms(row.ended_at),
      endedBecause: row.ended_because,
      lastError: row.last_error,
      inFlight: row.in_flight,
      wakeAt: ms(row.wake_at),
    },
    steps: row.steps.map(stepOf),
    gate: row.gate === null ? null : gateOf(row.gate),
    ledger: { resolved: row.resolved, unresolved: row.unresolved },
  }
}

function stepOf(row: StepJson): Step {
  return {
    id: row.id,
    phase: row.phase,
    phaseIndex: row.phase_index,
    seq: row.seq,
    actionId: row.action_id,
    actionVersion: row.action_version,
    label: row.label,
    params: row.params,
    onFailure: row.on_failure,
    idempotencyKey: row.idempotency_key,
    status: row.status,
    dueAt: parsed(row.due_at),
    held: row.held,
    attempts: row.attempts,
    claimNo: row.claim_no,
    lastError: row.last_error,
    startedAt: parsed(row.started_at),
    finishedAt: parsed(row.finished_at),
    parked: row.parked,
    parkedAt: parsed(row.parked_at),
    instruction: row.instruction,
  }
}

function gateOf(row: GateJson): Gate {
  return {
    phase: row.phase,
    phaseIndex: row.phase_index,
    kind: row.kind,
    trigger: row.trigger,
    where: row.where,
    tally: row.tally,
    needed: row.needed,
    enteredAt: Date.parse(row.entered_at),
    opensAt: parsed(row.opens_at),
    openedAt: parsed(row.opened_at),
    openedBy: row.opened_by,
  }
}
