import type { Setting } from '../domain/budget.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'

/** The settings of those actions that an admin set something for; caps by their dimensions. */
export async function actionSettings(db: PrismaClient, actionIds: readonly string[]): Promise<Map<string, Setting>> {
  const rows = await db.$queryRaw<(Setting & { id: string })[]>(Prisma.sql`
    SELECT a.action_id AS id, a.enabled,
      (SELECT coalesce(json_agg(json_build_object('dimension', c.dimension, 'cap', c.cap) ORDER BY c.dimension), '[]')
        FROM action_caps c WHERE c.action_id = a.action_id) AS caps
    FROM action_settings a WHERE a.action_id = ANY (${[...actionIds]}::text[])`)
  return new Map(rows.map(({ id, ...setting }) => [id, setting]))
}
