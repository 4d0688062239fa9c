import { Prisma, type PrismaClient } from '../../src/generated/prisma/client.ts'

/** The plan that a prepared statement gets on the client's connections: the hot ones plan once, for whatever values. */
function planOf(client: PrismaClient, sql: Prisma.Sql): Promise<{ 'QUERY PLAN': string }[]> {
  return client.$transaction(async (tx) => {
    const values = sql.values.length === 0 ? '' : `(${sql.values.map(() => 'NULL').join(', ')})`
    await tx.$executeRawUnsafe(`PREPARE planned AS ${sql.text}`)
    const rows = await tx.$queryRawUnsafe<{ 'QUERY PLAN': string }[]>(`EXPLAIN EXECUTE planned${values}`)
    await tx.$executeRawUnsafe('DEALLOCATE planned')
    return rows
  })
}

/** The plan that a statement gets where each is planned for its values. */
export const planForValues = (client: PrismaClient, sql: Prisma.Sql) =>
  client.$queryRaw<{ 'QUERY PLAN': string }[]>(Prisma.sql`EXPLAIN ${sql}`)

/** A client that does nothing but explain: the plans of what it was asked to send. */
export function explaining(client: PrismaClient, plan = planOf): { client: PrismaClient; plans: string[] } {
  const plans: string[] = []
  const explain = async (query: Prisma.Sql | TemplateStringsArray, ...values: unknown[]) => {
    const rows = await plan(client, query instanceof Prisma.Sql ? query : Prisma.sql(query, ...values)).catch(
      // What is made of a plan instead of rows may fail and does not matter: this does, and must not pass for that.
      (error: unknown) => [{ 'QUERY PLAN': `Seq Scan on nothing: it could not be planned. ${error}` }],
    )
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    // `any` is what lets a start of keyed runs go on to its claim.
    return [{ any: true }]
  }
  const fake = {
    $queryRaw: explain,
    $executeRaw: explain,
    $transaction: (calls: Promise<unknown>[]) => Promise.all(calls),
  }
  return { client: fake as unknown as PrismaClient, plans }
}

/** All of a table, read by its primary key: no better than a Seq Scan. */
export const WHOLE_INDEX = /Scan using \w+_pkey on [^\n]*\n(?!\s*Index Cond)/

/** What a statement made of itself is walked once for each row of something else: as many steps as their product. */
export const WALKED_FOR_EACH = [
  /Join Filter: \([^\n]* = /,
  /SubPlan \d+\n\s+->\s+CTE Scan on [^\n]*\n\s+Filter: [^\n]* = /,
]
