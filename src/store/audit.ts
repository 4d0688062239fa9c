import type { Actor } from '../domain/actor.ts'
import { Prisma } from '../generated/prisma/client.ts'
import { mintId } from './ids.ts'
import { toJsonb } from './json.ts'
import { at } from './sql.ts'

/** Who did what to something that is not a run. */
export type AuditEntry = {
  /** Milliseconds since the epoch. */
  at: number
  actor: Actor
  /** `definition.publish`, … */
  action: string
  /** The id of what it was done to, as the API shows it. */
  subject: string
  detail: Record<string, unknown>
}

/**
 * Inserts an audit entry for each row of `done`, the part of the same statement that did what it tells of: what changed
 * nothing leaves no entry. `found`: what the detail has besides, an object made of the row's columns.
 */
export function auditIf(done: Prisma.Sql, entry: AuditEntry, found?: Prisma.Sql): Prisma.Sql {
  const besides = found === undefined ? Prisma.empty : Prisma.sql` || ${found}`
  return Prisma.sql`
    INSERT INTO audit_entries (id, at, actor_kind, actor_name, action, subject, detail)
    SELECT ${mintId()}::uuid, ${at(entry.at)}, ${entry.actor.kind}::actor_kind, ${entry.actor.name}, ${entry.action},
      ${entry.subject}, ${toJsonb(entry.detail)}::jsonb${besides}
    FROM ${done}`
}
