import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'

/** The stored spec of a version; null: there is no such version. */
export async function readVersionSpec(db: PrismaClient, versionId: string): Promise<unknown> {
  const [row] = await db.$queryRaw<{ spec: unknown }[]>(
    Prisma.sql`SELECT spec FROM versions WHERE id = ${versionId}::uuid`,
  )
  return row?.spec ?? null
}
