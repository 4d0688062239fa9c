import { createHash } from 'node:crypto'
import pg from 'pg'
import { Prisma, type PrismaClient } from '../../src/generated/prisma/client.ts'
import type { Database } from '../../src/store/database.ts'

/**
 * The same database with the runner's statements, as they are, sent by pg itself: prepared under a name, in sessions set
 * as those of Prisma's client are. What that client is asked besides, no measured run needs, and it throws.
 */
export async function throughPg(db: Database, url: string): Promise<Database> {
  const pool = new pg.Pool({ connectionString: url, options: await settingsOf(db), max: 10 })
  return {
    ...db,
    hot: sending(pool),
    async close() {
      await pool.end()
      await db.close()
    },
  }
}

/** What the runner's sessions are set to, as an option of a connection. */
export async function settingsOf({ hot }: Database): Promise<string> {
  const settings = await hot.$queryRaw<{ name: string; setting: string }[]>`
    SELECT name, setting FROM pg_settings WHERE source = 'client' AND name <> 'application_name'`
  return settings.map(({ name, setting }) => `-c ${name}=${setting.replace(/[\\ ]/g, '\\$&')}`).join(' ')
}

/** Sends raw statements where Prisma's client would. */
export function sending(to: pg.Pool | pg.Client): PrismaClient {
  const send = (strings: Prisma.Sql | TemplateStringsArray, ...values: unknown[]) => {
    const { text, values: bound } = 'text' in strings ? strings : Prisma.sql(strings, ...values)
    return to.query({ name: nameOf(text), text, values: bound })
  }
  const hot = {
    $queryRaw: async (...sql: Parameters<typeof send>) => (await send(...sql)).rows,
    $executeRaw: async (...sql: Parameters<typeof send>) => (await send(...sql)).rowCount,
    $transaction: () => Promise.reject(new Error('No measured run needs a transaction.')),
  }
  return hot as unknown as PrismaClient
}

const names = new Map<string, string>()

function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('base64url')
  names.set(text, name)
  return name
}
