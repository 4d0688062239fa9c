import type { Database } from './database.ts'

/** Resolves when the database answers; rejects when it does not. */
export async function ping(db: Database): Promise<void> {
  await db.prisma.$queryRaw`SELECT 1`
}
