import type { TimetableSource } from '../domain/timetable.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'

/** A version as making runs of it by its schedule has to know it. */
export type PlannedVersion = TimetableSource & {
  /** The first phase of its spec. */
  phase: unknown
  /** The actions of all its phases, each once. */
  actionIds: string[]
}

const SOURCE = Prisma.sql`v.id, v.version, v.spec->'schedule' AS schedule, v.time_zone AS "timeZone",
  v.grace_seconds AS "graceSeconds", v.concurrency_key AS "concurrencyKey", v.parameters`

/** The columns of a version `v` that are a `PlannedVersion`. */
export const PLANNED_VERSION = Prisma.sql`${SOURCE}, v.spec->'phases'->0 AS phase,
  ARRAY(SELECT DISTINCT jsonb_path_query(v.spec, '$.phases[*].steps[*].actionId') #>> '{}') AS "actionIds"`

/** What makes the timetables of these versions. */
export function readTimetableSources(db: PrismaClient, ids: readonly string[]): Promise<TimetableSource[]> {
  return db.$queryRaw<TimetableSource[]>(
    Prisma.sql`SELECT ${SOURCE} FROM versions v WHERE v.id = ANY (${[...ids]}::uuid[])`,
  )
}
