import type { RunLine } from '../domain/log.ts'
import type { Instant } from '../domain/picture.ts'
import { Prisma } from '../generated/prisma/client.ts'
import { toJsonb } from './json.ts'

/** An instant as a bound timestamptz, independent of the session's zone. */
export const at = (instant: Instant) => Prisma.sql`${new Date(instant).toISOString()}::timestamptz`

export const atOrNull = (instant: Instant | null) => (instant === null ? Prisma.sql`NULL::timestamptz` : at(instant))

/**
 * Tells claims apart that share a statement: an old claim of a run and the one in force may, and what comes back for the
 * one is not the other's.
 */
export const claimKey = ({ runId, owner }: { runId: string; owner: string }) => `${runId} ${owner}`

/** A log line as statements read it from JSON. */
export function lineRow(line: RunLine) {
  return {
    at: new Date(line.at).toISOString(),
    kind: line.kind,
    phase: line.phase ?? undefined,
    step_id: line.stepId ?? undefined,
    actor_kind: line.actor.kind,
    actor_name: line.actor.name,
    detail: line.detail,
    text: line.text,
  }
}

/**
 * Inserts log lines behind the last one of each run that `runs` selects (id, last_line: before these lines). The
 * selecting statement has to raise `last_line` of the same rows, which it has locked, by the number of lines.
 * `addToDetail`: a jsonb expression for what only the statement itself knows.
 */
export function logLines(
  runs: Prisma.Sql,
  lines: readonly RunLine[],
  addToDetail: Prisma.Sql = Prisma.empty,
): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO run_log (run_id, line, at, kind, phase, step_id, actor_kind, actor_name, detail, text)
    SELECT o.id, o.last_line + l.ord, l.at, l.kind, l.phase, l.step_id, l.actor_kind, l.actor_name, l.detail ${addToDetail}, l.text
    FROM (${runs}) o CROSS JOIN ROWS FROM (jsonb_to_recordset(${toJsonb(lines.map(lineRow))}::jsonb) AS (
      at timestamptz, kind text, phase text, step_id uuid, actor_kind actor_kind, actor_name text, detail jsonb, text text
    )) WITH ORDINALITY AS l(at, kind, phase, step_id, actor_kind, actor_name, detail, text, ord)
    ORDER BY o.id, l.ord`
}

/**
 * How many rows of the CTE `cancelled` (run_id) are of the run `runId`, as jsonb. Counted once for all runs: counting
 * for each took 19 s of archiving 3,864 runs of 10 steps.
 */
export function countOfRun(cancelled: Prisma.Sql, runId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`coalesce((SELECT jsonb_object_agg(run_id, n) FROM (
    SELECT run_id, count(*) AS n FROM ${cancelled} GROUP BY run_id) counted) -> ${runId}::text, '0')`
}

/**
 * Inserts the log line that each run brings itself. `runs` selects id, last_line (the line's own number) and line, a
 * `lineRow` as jsonb; the selecting statement has to have raised `last_line` of the same rows. `addToDetail`: as in
 * `logLines`; the run is `o`.
 */
export function logOwnLine(runs: Prisma.Sql, addToDetail: Prisma.Sql = Prisma.empty): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO run_log (run_id, line, at, kind, phase, step_id, actor_kind, actor_name, detail, text)
    SELECT o.id, o.last_line, l.at, l.kind, l.phase, l.step_id, l.actor_kind, l.actor_name, l.detail ${addToDetail}, l.text
    FROM (${runs}) o CROSS JOIN LATERAL jsonb_to_record(o.line) AS l(
      at timestamptz, kind text, phase text, step_id uuid, actor_kind actor_kind, actor_name text, detail jsonb, text text)`
}
