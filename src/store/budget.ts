import type { BudgetCap, Setting } from '../domain/budget.ts'
import type { RunLine } from '../domain/log.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { Batch } from './batch.ts'
import { toJsonb } from './json.ts'
import { actionSettings } from './setting-reads.ts'
import { lineRow, logLines, logOwnLine } from './sql.ts'

export const budgetRow = ({ dimension, cap, from }: BudgetCap) => ({ dimension, cap, cap_from: from })

/** The caps of runs, not empty, and the line that lists them. */
export type SeededBudget = { caps: readonly BudgetCap[]; line: RunLine }

/**
 * CTEs, after others, that give a budget to each run that `runs` selects (id, last_line), none of which has one, and log
 * it as the line after that; the selecting statement has to raise `last_line` by it.
 */
export const seedBudget = (runs: Prisma.Sql, { caps, line }: SeededBudget): Prisma.Sql => Prisma.sql`
  , budgeted AS (${insertBudget(runs, caps)}), budget_logged AS (${logLines(runs, [line])})`

/** Inserts a budget, not empty, for each run that `runs` selects (id), none of which has one. */
export function insertBudget(runs: Prisma.Sql, budget: readonly BudgetCap[]): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO budget_lines (run_id, dimension, cap, cap_from)
    SELECT o.id, b.dimension, b.cap, b.cap_from
    FROM (${runs}) o
    CROSS JOIN jsonb_to_recordset(${toJsonb(budget.map(budgetRow))}::jsonb) AS b(dimension text, cap float8, cap_from text)`
}

/** The caps that a run is to go by, and the line that lists them. */
export type Renewal = { runId: string; owner: string; budget: readonly BudgetCap[]; line: RunLine }

/** Budgets of runs that begin, many in a statement. */
export class Budgets {
  readonly #settings: Batch<string, Setting>
  readonly #renewals: Batch<Renewal, number | null>

  constructor(db: PrismaClient) {
    this.#settings = new Batch((actionIds) => readSettings(db, actionIds))
    this.#renewals = new Batch((renewals) => renewIfStarting(db, renewals))
  }

  /** What an admin set for these actions. */
  async settings(actionIds: readonly string[]): Promise<Map<string, Setting>> {
    const settings = await Promise.all(actionIds.map((id) => this.#settings.add(id)))
    return new Map(settings.map((setting, index) => [actionIds[index] ?? '', setting]))
  }

  /** Copies the caps, if the run is claimed and still STARTING; answers its last line where they changed, else null. */
  renewIfStarting(renewal: Renewal): Promise<number | null> {
    return this.#renewals.add(renewal)
  }
}

async function readSettings(db: PrismaClient, actionIds: string[]): Promise<Setting[]> {
  const byAction = await actionSettings(db, actionIds)
  return actionIds.map((id) => byAction.get(id) ?? { enabled: true, caps: [] })
}

// The runs are locked in id order, as everywhere. What has been consumed stays. The fence stays too: no picture of a run
// tells of its budget.
async function renewIfStarting(db: PrismaClient, renewals: Renewal[]): Promise<(number | null)[]> {
  const asked = renewals.map(({ runId, owner, budget, line }) => ({
    id: runId,
    owner,
    budget: budget.map(budgetRow),
    line: lineRow(line),
  }))
  const rows = await db.$queryRaw<{ id: string; last_line: number }[]>(Prisma.sql`
    WITH x AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${toJsonb(asked)}::jsonb) AS x(id uuid, owner text, budget jsonb, line jsonb)
    ), own AS MATERIALIZED (
      SELECT x.* FROM (SELECT * FROM x ORDER BY id) x CROSS JOIN LATERAL (
        SELECT FROM runs r WHERE r.id = x.id AND coalesce(r.claimed_by = x.owner AND r.status = 'STARTING', false)
        FOR UPDATE OF r) r
    ), changed AS MATERIALIZED (
      SELECT own.id, n.dimension, n.cap, n.cap_from
      FROM own CROSS JOIN LATERAL jsonb_to_recordset(own.budget) AS n(dimension text, cap float8, cap_from text)
      LEFT JOIN LATERAL (
        SELECT b.run_id, b.cap, b.cap_from FROM budget_lines b WHERE b.run_id = own.id AND b.dimension = n.dimension LIMIT 1
      ) b ON true
      WHERE b.run_id IS NULL OR (b.cap, b.cap_from) IS DISTINCT FROM (n.cap, n.cap_from)
    ), renewed AS (
      INSERT INTO budget_lines (run_id, dimension, cap, cap_from) SELECT * FROM changed
      ON CONFLICT (run_id, dimension) DO UPDATE SET cap = excluded.cap, cap_from = excluded.cap_from
    ), run AS (
      UPDATE runs r SET last_line = r.last_line + 1 FROM own
      WHERE r.id = own.id AND own.id = ANY (ARRAY(SELECT id FROM changed))
      RETURNING r.id, r.last_line, own.line
    ), logged AS (${logOwnLine(Prisma.sql`SELECT id, last_line, line FROM run`)})
    SELECT id, last_line FROM run`)
  const lines = new Map(rows.map((row) => [row.id, row.last_line]))
  return renewals.map(({ runId }) => lines.get(runId) ?? null)
}
