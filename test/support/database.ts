import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, inject, onTestFinished } from 'vitest'
import { type Database, openDatabase } from '../../src/store/database.ts'

/** A migrated, empty database of a test file's own. */
export type TestDatabase = {
  url: string
  db: Database
  /** Closes and drops it. Safe to call twice. */
  drop(): Promise<void>
}

/** Call at the top of a test file or describe block, or in a beforeAll: it is dropped when that ends. */
export async function testDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  afterAll(database.drop)
  return database
}

/** The same for a caller that drops it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url: serverUrl, template } = inject('postgres')
  const name = `cuelight_test_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const db = await openDatabase({ url: url.href, poolSize: 5, runnerPoolSize: 3 })
  let dropped: Promise<void> | null = null
  const drop = () => {
    dropped ??= db.close().then(async () => {
      await onServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`)
    })
    return dropped
  }
  return { url: url.href, db, drop }
}

/** A database of a test's own without any table, and a way to ask it. */
export async function blankDatabase(): Promise<{ url: string; query(sql: string): Promise<unknown[]> }> {
  const { url: serverUrl } = inject('postgres')
  const name = `cuelight_blank_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl, `CREATE DATABASE ${name}`)
  onTestFinished(async () => {
    await onServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`)
  })
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, query: (sql) => onServer(url.href, sql) }
}

async function onServer(url: string, statement: string): Promise<unknown[]> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  try {
    return (await session.query(statement)).rows
  } finally {
    await session.end()
  }
}
