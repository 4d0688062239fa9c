import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { type AuditEntry, auditIf } from './audit.ts'
import { toJsonb } from './json.ts'
import { at } from './sql.ts'

export type SettingChange = {
  actionId: string
  /** Null: as it is. */
  enabled: boolean | null
  /** These dimensions; others stay as they are. */
  caps: readonly { dimension: string; cap: number | null }[]
  audit: AuditEntry
}

/** Sets for an action what is given, and leaves the rest. */
export async function setActionSetting(db: PrismaClient, { actionId, enabled, caps, audit }: SettingChange) {
  await db.$executeRaw(Prisma.sql`
    WITH setting AS (
      INSERT INTO action_settings AS a (action_id, enabled, updated_at)
      VALUES (${actionId}, coalesce(${enabled}::bool, true), ${at(audit.at)})
      ON CONFLICT (action_id) DO UPDATE SET enabled = coalesce(${enabled}::bool, a.enabled), updated_at = excluded.updated_at
      RETURNING action_id
    ), capped AS (
      INSERT INTO action_caps (action_id, dimension, cap)
      SELECT action_id, c.dimension, c.cap
      FROM setting CROSS JOIN jsonb_to_recordset(${toJsonb(caps)}::jsonb) AS c(dimension text, cap float8)
      ON CONFLICT (action_id, dimension) DO UPDATE SET cap = excluded.cap
    )
    ${auditIf(Prisma.sql`setting`, audit)}`)
}
