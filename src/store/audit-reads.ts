import { storableData } from '../domain/storable.ts'
import { Prisma } from '../generated/prisma/client.ts'
import type { ActorKind } from '../generated/prisma/enums.ts'
import { bindInstant, bindUuid, containing, type List } from './keyset.ts'

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

export type AuditFilter = {
  /** In the name of who did it; upper or lower case alike. */
  actor?: string | null
  action?: readonly string[] | null
  subject?: string | null
  /** Inclusive. */
  from?: Date | null
  /** Exclusive. */
  to?: Date | null
}

/** The audit log, newest first. A key is [at, id]. */
export function auditList({ actor, action, subject, from, to }: AuditFilter): List {
  const where = [
    actor == null ? null : Prisma.sql`e.actor_name ILIKE ${containing(storableData(actor))}`,
    action == null ? null : Prisma.sql`e.action = ANY(${action.map(storableData)}::text[])`,
    subject == null ? null : Prisma.sql`e.subject = ${storableData(subject)}`,
    from == null ? null : Prisma.sql`e.at >= ${from}::timestamptz`,
    to == null ? null : Prisma.sql`e.at < ${to}::timestamptz`,
  ].filter((part) => part !== null)
  return {
    table: Prisma.sql`audit_entries`,
    alias: Prisma.sql`e`,
    columns: Prisma.sql`e.id, e.at, e.actor_kind::text AS "actorKind", e.actor_name AS "actorName", e.action, e.subject, e.detail`,
    where: where.length === 0 ? Prisma.sql`TRUE` : Prisma.join(where, ' AND '),
    order: [
      { column: Prisma.sql`e.at`, bind: bindInstant },
      { column: Prisma.sql`e.id`, bind: bindUuid },
    ],
    descending: true,
    parentColumn: null,
    parts: [],
  }
}
