import { Prisma } from '../../src/generated/prisma/client.ts'
import type { Database } from '../../src/store/database.ts'

type PlanNode = Record<string, unknown> & { Plans?: PlanNode[] }
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** A database that runs what the API asks of it, and says how many rows of each table were walked over for it. */
export function walking(db: Database) {
  const walked = new Map<string, number>()
  const queryRaw = async (query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) => {
    const sql = 'sql' in query ? query : Prisma.sql([...query], ...values)
    const [row] = await db.prisma.$queryRaw<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(
      Prisma.sql`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
    )
    for (const node of row?.['QUERY PLAN'].flatMap(({ Plan }) => nodesOf(Plan)) ?? []) {
      const table = String(node['Relation Name'] ?? node['Index Name'] ?? '')
      const rows = Number(node['Actual Rows'] ?? 0) + Number(node['Rows Removed by Filter'] ?? 0)
      walked.set(table, (walked.get(table) ?? 0) + rows * Number(node['Actual Loops'] ?? 1))
    }
    return db.prisma.$queryRaw(sql)
  }
  const prisma = new Proxy(db.prisma, {
    get: (target, name) => (name === '$queryRaw' ? queryRaw : Reflect.get(target, name)),
  })
  return { db: { ...db, prisma } as Database, walked }
}
