import { Prisma } from '../generated/prisma/client.ts'
import type { ActorKind } from '../generated/prisma/enums.ts'
import { bindInstant, bindUuid, type List } from './keyset.ts'

/** An entry of the audit log as it is kept. */
export type AuditRow = {
  id: string
  at: Date
  actorKind: ActorKind
  actorName: string
  action: string
  subject: string | null
  detail: unknown
}

/** The audit log, newest first. A key is [at, id]. */
export const AUDIT_LIST: List = {
  table: Prisma.sql`audit_entries`,
  alias: Prisma.sql`e`,
  columns: Prisma.sql`e.id, e.at, e.actor_kind::text AS "actorKind", e.actor_name AS "actorName", e.action, e.subject, e.detail`,
  where: Prisma.sql`TRUE`,
  order: [
    { column: Prisma.sql`e.at`, bind: bindInstant },
    { column: Prisma.sql`e.id`, bind: bindUuid },
  ],
  descending: true,
  parentColumn: null,
  parts: [],
}
