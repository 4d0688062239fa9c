import { actionsOf, type BudgetCap, budgetOf, mayCount } from '../domain/budget.ts'
import { actionSettings } from '../store/setting-reads.ts'
import type { ControlContext } from './context.ts'

/** The caps that a run of these phases goes by as of now; none where none of their actions counts anything. */
export async function currentBudget(
  ctx: Pick<ControlContext, 'db' | 'catalog'>,
  phases: Parameters<typeof actionsOf>[0],
): Promise<BudgetCap[]> {
  const actionIds = actionsOf(phases)
  if (!mayCount(actionIds, ctx.catalog)) return []
  return budgetOf(actionIds, await actionSettings(ctx.db.prisma, actionIds), ctx.catalog)
}
