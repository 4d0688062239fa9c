import type { Instant } from '../domain/picture.ts'
import type { VerificationReport } from '../domain/verification.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { type AuditEntry, auditIf } from './audit.ts'
import { toJsonb } from './json.ts'
import { oldestZoneData } from './materialise.ts'
import { at, atOrNull } from './sql.ts'
import { changeWithUpcoming, UNCHANGED, type UpcomingPlan } from './upcoming.ts'

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
 * archived: answers the runs whose logs grew, null where it did not. A report that passed makes it verified from then on,
 * and takes the upcoming runs along; one that was verified stays so, since when it was.
 */
export function stampVerificationIfCurrent(
  db: PrismaClient,
  {
    versionId,
    report,
    upcoming,
    materialisedUntil,
    audit,
  }: {
    versionId: string
    report: VerificationReport
    upcoming: UpcomingPlan
    /** How far its schedule is expanded where it becomes verified; as in `publishIfUnchanged`. */
    materialisedUntil: Instant | null
    audit: AuditEntry
  },
): Promise<{ runId: string; line: number }[] | null> {
  const verifiedAt = report.passed ? at(audit.at) : Prisma.sql`NULL::timestamptz`
  const change = Prisma.sql`
    holder AS (
      UPDATE definitions d SET materialised_until = CASE
        WHEN ${report.passed} AND v.verified_at IS NULL THEN ${atOrNull(materialisedUntil)} ELSE d.materialised_until END,
        zone_data = ${oldestZoneData(upcoming.zoneData)}
      FROM versions v
      WHERE d.current_version_id = ${versionId}::uuid AND v.id = ${versionId}::uuid AND d.state <> 'ARCHIVED' AND ${UNCHANGED}
      RETURNING d.id
    ), stamped AS (
      UPDATE versions v SET verification = ${toJsonb(report)}::jsonb, verified_at = COALESCE(v.verified_at, ${verifiedAt})
      FROM holder WHERE v.id = ${versionId}::uuid AND v.definition_id = holder.id
      RETURNING v.id
    ), audited AS (${auditIf(Prisma.sql`stamped`, audit)}),
    done AS (SELECT id FROM stamped)`
  return changeWithUpcoming(db, change, upcoming)
}
