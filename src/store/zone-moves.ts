import { SYSTEM } from '../domain/actor.ts'
import type { Instant } from '../domain/picture.ts'
import type { TimetableSource } from '../domain/timetable.ts'
import type { UpcomingChange, UpcomingRun } from '../domain/upcoming.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { PLANNED_VERSION, type PlannedVersion } from './planned-versions.ts'
import { changeWithUpcoming, UNCHANGED } from './upcoming.ts'

/** A definition whose upcoming runs were planned by zone data older than this process has. */
export type OlderPlan = { definitionId: string; materialisedUntil: Date | null; version: TimetableSource }

/**
 * Definitions that were planned by zone data older than `zoneData`, whose versions sort as their names do: 2026a, 2026b;
 * without those whose current version is among `except`.
 */
export async function readOfOlderZoneData(
  db: PrismaClient,
  { zoneData, limit, except }: { zoneData: string; limit: number; except: readonly string[] },
): Promise<OlderPlan[]> {
  const rows = await db.$queryRaw<(PlannedVersion & Omit<OlderPlan, 'version'>)[]>(Prisma.sql`
    SELECT d.id AS "definitionId", d.materialised_until AS "materialisedUntil", ${PLANNED_VERSION}
    FROM definitions d JOIN versions v ON v.id = d.current_version_id
    WHERE d.state = 'READY' AND d.zone_data IS NOT NULL AND d.zone_data < ${zoneData} COLLATE "C"
      AND d.current_version_id <> ALL (${[...except]}::uuid[])
    ORDER BY d.zone_data LIMIT ${limit}`)
  return rows.map(({ definitionId, materialisedUntil, ...version }) => ({ definitionId, materialisedUntil, version }))
}

/**
 * Moves upcoming runs, and has the definition's schedule expanded anew, if definition and runs are as they were read.
 * Answers the runs whose logs grew; null: somebody changed them meanwhile.
 */
export function moveUpcomingIfUnchanged(
  db: PrismaClient,
  {
    definitionId,
    versionId,
    watermark,
    zoneData,
    read,
    moves,
    now,
  }: {
    definitionId: string
    versionId: string
    watermark: Date | null
    zoneData: string
    read: readonly UpcomingRun[]
    moves: readonly UpcomingChange[]
    now: Instant
  },
): Promise<{ runId: string; line: number }[] | null> {
  const change = Prisma.sql`done AS (
    UPDATE definitions SET zone_data = ${zoneData},
      materialised_until = CASE WHEN materialised_until IS NULL THEN NULL ELSE to_timestamp(0) END
    WHERE id = ${definitionId}::uuid AND current_version_id = ${versionId}::uuid AND zone_data < ${zoneData} COLLATE "C"
      AND ${UNCHANGED}
    RETURNING id)`
  const plan = {
    definitionId,
    versionId,
    watermark,
    read,
    changes: moves,
    timetable: null,
    steps: [],
    budget: null,
    zoneData,
    now,
    actor: SYSTEM,
  }
  return changeWithUpcoming(db, change, plan)
}
