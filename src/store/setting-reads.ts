import type { Database } from './database.ts'

/** What an admin set for an action. */
export type ActionSettingRow = { enabled: boolean; caps: { dimension: string; cap: number | null }[] }

/** The settings of those actions that an admin set something for. */
export async function actionSettings(
  db: Database,
  actionIds: readonly string[],
): Promise<Map<string, ActionSettingRow>> {
  const rows = await db.prisma.actionSetting.findMany({
    where: { actionId: { in: [...actionIds] } },
    include: { caps: { orderBy: { dimension: 'asc' } } },
  })
  return new Map(rows.map(({ actionId, enabled, caps }) => [actionId, { enabled, caps }]))
}
