import type { VerificationReport } from '../domain/verification.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { type AuditEntry, auditIf } from './audit.ts'
import { toJsonb } from './json.ts'
import { at } from './sql.ts'

/** The stored spec of a version; null: there is no such version. */
export async function readVersionSpec(db: PrismaClient, versionId: string): Promise<unknown> {
  const [row] = await db.$queryRaw<{ spec: unknown }[]>(
    Prisma.sql`SELECT spec FROM versions WHERE id = ${versionId}::uuid`,
  )
  return row?.spec ?? null
}

/** A definition as starting a run of it has to know it; `version` is the current one, null before it was published. */
export type Startable = {
  id: string
  state: 'DRAFT' | 'READY' | 'ARCHIVED'
  version: {
    id: string
    number: number
    spec: unknown
    timeZone: string
    graceSeconds: number
    concurrencyKey: string | null
    parameters: unknown
  } | null
}

/** Reads a definition for starting a run of it; null: there is none. */
export async function readStartable(db: PrismaClient, definitionId: string): Promise<Startable | null> {
  const definition = await db.definition.findUnique({
    where: { id: definitionId },
    select: { id: true, state: true, currentVersion: true },
  })
  if (definition === null) return null
  const { id, state, currentVersion } = definition
  return { id, state, version: currentVersion === null ? null : { ...currentVersion, number: currentVersion.version } }
}

/**
 * Keeps the report of a verification with a version, if it is still the current one of a definition that is not
 * archived: answers whether it did. A report that passed makes it verified from then on; one that was verified stays so,
 * since when it was.
 */
export async function stampVerificationIfCurrent(
  db: PrismaClient,
  { versionId, report, audit }: { versionId: string; report: VerificationReport; audit: AuditEntry },
): Promise<boolean> {
  const verifiedAt = report.passed ? at(audit.at) : Prisma.sql`NULL::timestamptz`
  // The lock makes it wait for somebody who publishes or archives, and look again then.
  const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
    WITH holder AS (
      SELECT id FROM definitions WHERE current_version_id = ${versionId}::uuid AND state <> 'ARCHIVED' FOR NO KEY UPDATE
    ), stamped AS (
      UPDATE versions v SET verification = ${toJsonb(report)}::jsonb, verified_at = COALESCE(v.verified_at, ${verifiedAt})
      FROM holder WHERE v.id = ${versionId}::uuid AND v.definition_id = holder.id
      RETURNING v.id
    ), audited AS (${auditIf(Prisma.sql`stamped`, audit)})
    SELECT id FROM stamped`)
  return rows.length > 0
}
