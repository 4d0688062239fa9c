import type { Actor } from '../domain/actor.ts'
import type { Clock } from '../domain/clock.ts'
import { meetsStored } from '../domain/gate.ts'
import * as log from '../domain/log.ts'
import type { Instant } from '../domain/picture.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { toJsonb } from './json.ts'
import { at, lineRow, logOwnLine } from './sql.ts'
import { Turns } from './turns.ts'

/** A trigger to be tried on the gates that wait for it. */
export type Emission = {
  trigger: string
  payload: Record<string, unknown>
  /** Null: runs of every scope. */
  scope: string | null
  /** True: rehearsals only; false: real runs only. */
  rehearsal: boolean
  dedupeKey: string | null
  actor: Actor
}

/** What became of a gate that a trigger met. */
export type MetGate = {
  runId: string
  phase: string
  matched: boolean
  tally: number
  needed: number
  opened: boolean
}

/** `matched`: the first 100 gates that it met, those whose condition was met first. */
export type EmissionResult = { matchedCount: number; matched: MetGate[] }

export type Emitted = {
  /** True: an emission with the same key was answered before, with this, and nothing was counted again. */
  duplicate: boolean
  result: EmissionResult
  /** The last line of each run whose log grew. */
  lines: { runId: string; line: number }[]
  /** A gate opened, so that its run may go on. */
  opened: boolean
}

/** How long a key stands for its first emission. */
export const DEDUPE_MS = 86_400_000
const LISTED = 100
const RUNS_PER_STATEMENT = 500
/** How long an emission may take; it waits for others at the same runs. */
const LIMITS = { maxWait: 60_000, timeout: 300_000 }
/** They mostly wait for each other's runs, and must leave connections to the rest of the API meanwhile. */
const EMISSIONS_AT_ONCE = 3
const turns = new WeakMap<PrismaClient, Turns>()

function turnsOf(db: PrismaClient): Turns {
  const known = turns.get(db) ?? new Turns({ atOnce: EMISSIONS_AT_ONCE })
  turns.set(db, known)
  return known
}

/**
 * Tries a trigger on every gate that waits for it, all in one transaction: it counts for all of them or for none, and
 * what is remembered of its key is committed with it. The key's row is taken first and the runs in id order, so that
 * no two emissions, and no emission and another writer, ever wait for each other.
 */
export function tallyTrigger(db: PrismaClient, emission: Emission, clock: Clock): Promise<Emitted> {
  const { kind, name } = emission.actor
  return turnsOf(db).take(`${kind} ${name}`, () => db.$transaction((tx) => tally(tx, emission, clock), LIMITS))
}

async function tally(tx: Transaction, emission: Emission, clock: Clock): Promise<Emitted> {
  const first = await claimKeyIfNew(tx, emission, clock.now())
  if (first !== null) return { duplicate: true, result: first, lines: [], opened: false }
  const waiting = await readWaiting(tx, emission)
  const met: MetGate[] = []
  const lines: Emitted['lines'] = []
  for (let from = 0; from < waiting.length; from += RUNS_PER_STATEMENT) {
    const gates = waiting.slice(from, from + RUNS_PER_STATEMENT)
    await lockRuns(tx, gates)
    // Taken once nobody else can write, so that a run's instants are in the order of its lines.
    const now = clock.now()
    const tallied = await tallyIfWaiting(tx, { emission, gates, now })
    lines.push(...(await logEvaluated(tx, { emission, met: tallied, now })))
    met.push(...tallied)
  }
  const result = {
    matchedCount: met.filter(({ matched }) => matched).length,
    matched: [...met.filter(({ matched }) => matched), ...met.filter(({ matched }) => !matched)].slice(0, LISTED),
  }
  await keepResult(tx, emission, result)
  return { duplicate: false, result, lines, opened: met.some(({ opened }) => opened) }
}

type Transaction = Pick<PrismaClient, '$queryRaw' | '$executeRaw'>

/**
 * Takes the key for this emission, if it stands for none; else answers what the first one was answered. It waits for an
 * emission with the same key that is under way, and takes its place if that is not committed.
 */
export async function claimKeyIfNew(
  db: Transaction,
  emission: Pick<Emission, 'trigger' | 'dedupeKey' | 'rehearsal'>,
  now: Instant,
): Promise<EmissionResult | null> {
  const { trigger, dedupeKey, rehearsal } = emission
  if (dedupeKey === null) return null
  const claimed = await db.$queryRaw<unknown[]>(Prisma.sql`
    INSERT INTO trigger_emissions AS e (trigger, dedupe_key, rehearsal, emitted_at, result)
    VALUES (${trigger}, ${dedupeKey}, ${rehearsal}, ${at(now)}, '{}')
    ON CONFLICT (trigger, dedupe_key, rehearsal) DO UPDATE SET emitted_at = excluded.emitted_at
      WHERE e.emitted_at <= ${at(now - DEDUPE_MS)}
    RETURNING 1 AS claimed`)
  if (claimed.length > 0) return null
  const [first] = await db.$queryRaw<{ result: EmissionResult }[]>(Prisma.sql`
    SELECT result FROM trigger_emissions
    WHERE trigger = ${trigger} AND dedupe_key = ${dedupeKey} AND rehearsal = ${rehearsal}`)
  // Pruned since the statement before: it was at the end of its day.
  return first === undefined ? claimKeyIfNew(db, emission, now) : first.result
}

async function keepResult(
  db: Transaction,
  { trigger, dedupeKey, rehearsal }: Emission,
  result: EmissionResult,
): Promise<void> {
  if (dedupeKey === null) return
  await db.$executeRaw(Prisma.sql`
    UPDATE trigger_emissions SET result = ${toJsonb(result)}::jsonb
    WHERE trigger = ${trigger} AND dedupe_key = ${dedupeKey} AND rehearsal = ${rehearsal}`)
}

type Waiting = { runId: string; phaseIndex: number; matched: boolean }

/** The gates that wait for a trigger now, in the order of their runs, and whether the payload meets their condition. */
export async function readWaiting(
  db: Transaction,
  { trigger, payload, scope, rehearsal }: Emission,
): Promise<Waiting[]> {
  const inScope = scope === null ? Prisma.empty : Prisma.sql`AND r.scope = ${scope}`
  // One row for each condition, which most of them share.
  const rows = await db.$queryRaw<{ where: unknown; gates: { runId: string; phaseIndex: number }[] }[]>(Prisma.sql`
    SELECT g."where", json_agg(json_build_object('runId', g.run_id, 'phaseIndex', g.phase_index)) AS gates
    FROM gates g JOIN runs r ON r.id = g.run_id AND r.phase_index = g.phase_index
    WHERE g.trigger = ${trigger} AND g.kind = 'ON' AND g.opened_at IS NULL AND r.status IN ('RUNNING', 'PAUSED')
      AND r.rehearsal = ${rehearsal} ${inScope}
    GROUP BY g."where"`)
  const waiting = rows.flatMap(({ where, gates }) => {
    const matched = meetsStored(where, payload)
    return gates.map((gate) => ({ ...gate, matched }))
  })
  return waiting.sort((a, b) => (a.runId < b.runId ? -1 : 1))
}

/** Takes the runs' rows, in the order of all who take several, before the statements that read what they guard. */
export async function lockRuns(db: Transaction, gates: readonly { runId: string }[]): Promise<void> {
  await db.$queryRaw(Prisma.sql`
    SELECT count(*) FROM (
      SELECT 1 FROM runs WHERE id = ANY (${gates.map(({ runId }) => runId)}::uuid[]) ORDER BY id FOR UPDATE
    ) locked`)
}

/**
 * Counts the trigger for each gate that still waits, and opens those that have it often enough. The caller holds the
 * runs' rows. Answers what became of each, in the order of their runs.
 */
export async function tallyIfWaiting(
  db: Transaction,
  { emission, gates, now }: { emission: Emission; gates: readonly Waiting[]; now: Instant },
): Promise<MetGate[]> {
  const { trigger, payload, actor } = emission
  const opens = Prisma.sql`x.matched AND g.tally + 1 >= g.needed`
  const met = await db.$queryRaw<MetGate[]>(Prisma.sql`
    WITH x AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${toJsonb(gates)}::jsonb) AS x("runId" uuid, "phaseIndex" int, matched bool)
    )
    UPDATE gates g SET
      tally = g.tally + x.matched::int,
      opened_at = CASE WHEN ${opens} THEN ${at(now)} END,
      opened_by = CASE WHEN ${opens} THEN 'TRIGGER'::gate_opened_by END,
      opened_by_kind = CASE WHEN ${opens} THEN ${actor.kind}::actor_kind END,
      opened_by_name = CASE WHEN ${opens} THEN ${actor.name} END,
      last_event = jsonb_build_object('trigger', ${trigger}::text, 'payload', ${toJsonb(payload)}::jsonb,
        'matched', x.matched, 'at', ${new Date(now).toISOString()}::text)
    FROM x JOIN runs r ON r.id = x."runId"
    WHERE g.run_id = x."runId" AND g.phase_index = x."phaseIndex" AND g.opened_at IS NULL
      AND r.phase_index = g.phase_index AND r.status IN ('RUNNING', 'PAUSED')
    RETURNING g.run_id AS "runId", g.phase, x.matched, g.tally, g.needed, g.opened_at IS NOT NULL AS opened`)
  return met.sort((a, b) => (a.runId < b.runId ? -1 : 1))
}

/**
 * Logs what became of the gates. A run whose gate opened is due, unless it is paused, and its fence is raised: who works
 * it on an older picture looks again. A tally alone leaves the fence as it is, for nobody else writes it.
 */
export async function logEvaluated(
  db: Transaction,
  { emission, met, now }: { emission: Emission; met: readonly MetGate[]; now: Instant },
): Promise<Emitted['lines']> {
  if (met.length === 0) return []
  const { trigger, payload, actor } = emission
  const rows = met.map(({ runId, phase, matched, tally, needed, opened }) => ({
    id: runId,
    opened,
    line: lineRow(log.conditionEvaluated({ at: now, phase, actor }, { trigger, matched, tally, needed })),
  }))
  // The payload is the same for all, so that it is sent once.
  return db.$queryRaw<Emitted['lines']>(Prisma.sql`
    WITH x AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${toJsonb(rows)}::jsonb) AS x(id uuid, opened bool, line jsonb)
    ), run AS (
      UPDATE runs r SET last_line = r.last_line + 1, fence = r.fence + x.opened::int,
        wake_at = CASE WHEN x.opened AND r.status = 'RUNNING' THEN ${at(now)} ELSE r.wake_at END,
        stalled_since = CASE WHEN x.opened THEN NULL ELSE r.stalled_since END
      FROM x WHERE r.id = x.id
      RETURNING r.id, r.last_line, x.line
    ), logged AS (
      ${logOwnLine(
        Prisma.sql`SELECT id, last_line, line FROM run`,
        Prisma.sql`|| jsonb_build_object('payload', ${toJsonb(payload)}::jsonb)`,
      )}
    )
    SELECT id AS "runId", last_line AS line FROM run`)
}

/** Forgets keys whose day is over, `limit` at most. Answers how many; fewer than `limit` means that nothing is left. */
export async function pruneEmissions(
  db: PrismaClient,
  { now, limit }: { now: Instant; limit: number },
): Promise<number> {
  return db.$executeRaw(Prisma.sql`
    WITH old AS (
      SELECT trigger, dedupe_key, rehearsal FROM trigger_emissions WHERE emitted_at <= ${at(now - DEDUPE_MS)}
      ORDER BY emitted_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM trigger_emissions e USING old
    WHERE e.trigger = old.trigger AND e.dedupe_key = old.dedupe_key AND e.rehearsal = old.rehearsal`)
}
