import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'

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
