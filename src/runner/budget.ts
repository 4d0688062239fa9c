import { actionsOf, type BudgetCap, budgetOf, mayCount } from '../domain/budget.ts'
import { runBudget } from '../domain/log.ts'
import type { VersionSpec } from '../domain/spec.ts'
import type { ClaimRef } from '../store/claims.ts'
import { patiently } from './patience.ts'
import type { WorkContext } from './work-context.ts'

/** The caps of a run with these actions as of now; none where none of them counts anything. */
export async function currentBudget(
  { registry, budgets }: Pick<WorkContext, 'registry' | 'budgets'>,
  actionIds: readonly string[],
): Promise<BudgetCap[]> {
  return mayCount(actionIds, registry) ? budgetOf(actionIds, await budgets.settings(actionIds), registry) : []
}

/** Copies the caps once more as a claimed run starts: from then on they hold, whatever an admin sets. */
export async function renewBudget(context: WorkContext, claim: ClaimRef, spec: VersionSpec): Promise<void> {
  const { budgets, changes, clock } = context
  const { runId } = claim
  const line = await patiently(context, runId, async () => {
    const budget = await currentBudget(context, actionsOf(spec.phases))
    if (budget.length === 0) return null
    return budgets.renewIfStarting({ ...claim, budget, line: runBudget({ at: clock.now() }, budget) })
  })
  if (line !== null) changes.publish({ runId, line, cues: false })
}
