import type { Setting } from '../domain/budget.ts'
import type { Database } from './database.ts'

/** The settings of those actions that an admin set something for. */
export async function actionSettings(db: Database, actionIds: readonly string[]): Promise<Map<string, Setting>> {
  const rows = await db.prisma.actionSetting.findMany({
    where: { actionId: { in: [...actionIds] } },
    include: { caps: { orderBy: { dimension: 'asc' } } },
  })
  return new Map(rows.map(({ actionId, enabled, caps }) => [actionId, { enabled, caps }]))
}
