import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm'
import pg from 'pg'
import { connectionOf, databaseFault } from './connection.ts'
import { checkServer } from './server-check.ts'

/** The package's `prisma` folder: two levels up both from the source and from the build. */
export const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))
/** Held while migrating, so that servers that start together take turns. */
const MIGRATION_LOCK = 7_106_332

/** Another server may take minutes to change large tables; one that takes longer is looked after by people. */
const LOCK_PATIENCE_MS = 600_000
/** A change of large tables takes as long as it takes, whatever the database's own settings say. */
const SESSION = ['-c statement_timeout=0', `-c lock_timeout=${LOCK_PATIENCE_MS}`]

/** The data model that the migrations lead up to. */
const SCHEMA = fileURLToPath(new URL('../../prisma/schema.prisma', import.meta.url))

/** The migrations that come with this version of Cuelight, oldest first, as Prisma's schema engine takes them. */
async function migrationList(): Promise<MigrationList> {
  const names = (await readdir(MIGRATIONS, { withFileTypes: true })).filter((entry) => entry.isDirectory())
  const lockfile = 'migration_lock.toml'
  return {
    baseDir: MIGRATIONS,
    lockfile: { path: lockfile, content: await readFile(join(MIGRATIONS, lockfile), 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names
        .map((entry) => entry.name)
        .sort()
        .map(async (path) => {
          const file = 'migration.sql'
          const value = await readFile(join(MIGRATIONS, path, file), 'utf8')
          return { path, migrationFile: { path: file, content: { tag: 'ok' as const, value } } }
        }),
    ),
  }
}

/** Every table and type of the database is ours to migrate. */
const FILTERS = { externalTables: [], externalEnums: [] }

/** Megabytes of WebAssembly, loaded only where a migration is pending: hardly any start needs it. */
async function withEngine<T>(url: string, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  const { withSchemaEngine } = await import('./schema-engine.ts')
  return withSchemaEngine(url, work)
}

/**
 * Names of the migrations that the database still lacks, oldest first. Throws a sentence when the database cannot be
 * reached, is not Cuelight's, or was migrated by a newer Cuelight.
 */
export async function pendingMigrations(url: string): Promise<string[]> {
  return withSession(url, async (session) => {
    const { migrationDirectories } = await migrationList()
    const known = migrationDirectories.map(({ path }) => path)
    const applied = appliedOf(await history(session), known)
    return known.filter((name) => !applied.has(name))
  })
}

/**
 * Brings the database's tables up to this version and answers the names of the migrations it applied. Servers that
 * start together wait for each other. A migration is one transaction, so one that a crash cut off left nothing and is
 * applied again. Throws a sentence when the database cannot be reached, is not Cuelight's, was migrated by a
 * newer Cuelight, or a migration fails.
 */
export async function migrate(url: string, options: { log?: { info(message: string): void } } = {}): Promise<string[]> {
  // Behind a pooler that shares sessions out the lock would hold nobody up.
  await checkServer(url)
  return withSession(url, async (session) => {
    await takeLock(session)
    const rows = await history(session)
    const migrationsList = await migrationList()
    const known = migrationsList.migrationDirectories.map(({ path }) => path)
    const applied = appliedOf(rows, known)
    if (known.every((name) => applied.has(name))) return []
    try {
      return await withEngine(url, async (engine) => {
        for (const { name } of rows.filter((row) => !row.finished)) {
          await engine.markMigrationRolledBack({ migrationName: name })
        }
        const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: FILTERS })
        for (const name of appliedMigrationNames) options.log?.info(`Applied migration ${name}.`)
        return appliedMigrationNames
      })
    } catch (error) {
      const reason = reasonOf(error)
      const advice = reason.includes('permission denied')
        ? 'Let the user in DATABASE_URL create tables there (best make it the owner of the database) and start again.'
        : 'Mend the cause and start again.'
      throw new Error(
        `The database's tables could not be brought up to date: ${reason} Nothing of the failed migration was kept. ${advice}`,
        { cause: error },
      )
    }
  })
}

async function takeLock(session: pg.Client): Promise<void> {
  try {
    await session.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === '55P03')) throw error
    throw new Error(
      `Another server has been bringing the database's tables up to date for ${LOCK_PATIENCE_MS / 60_000} minutes. See ` +
        'whether it still works; if it hangs, end it, and start this one again.',
      { cause: error },
    )
  }
}

/**
 * The SQL that leads from the migrations to the data model; null when they agree. For developers: tries the migrations
 * in a database that it creates beside `url`'s and drops.
 */
export async function migrationToSchema(url: string): Promise<string | null> {
  const migrations = await migrationList()
  const model = { path: SCHEMA, content: await readFile(SCHEMA, 'utf8') }
  return withEngine(url, async (engine) => {
    const { stdout } = await engine.diff({
      from: { tag: 'migrations', ...migrations },
      to: { tag: 'schemaDatamodel', files: [model] },
      script: true,
      exitCode: null,
      filters: FILTERS,
    })
    return stdout === null || stdout.includes('This is an empty migration.') ? null : stdout
  })
}

/** What was applied. Throws where some of it is none of `known`: of tables from the future nobody knows what they mean. */
function appliedOf(rows: readonly Attempt[], known: readonly string[]): Set<string> {
  const applied = rows.filter((row) => row.finished).map((row) => row.name)
  const strange = applied.filter((name) => !known.includes(name))
  if (strange.length > 0) {
    throw new Error(
      `The database was migrated by a newer Cuelight: this version does not know ${strange.join(', ')}. Start that ` +
        'version or a newer one, or give this one a database of its own (DATABASE_URL, or CUELIGHT_DATA_DIR for the ' +
        'embedded one).',
    )
  }
  return new Set(applied)
}

type Attempt = { name: string; finished: boolean }

/** What the database says was applied, or begun and not finished; rolled-back attempts left out. */
async function history(session: pg.Client): Promise<Attempt[]> {
  const { rows: tables } = await session.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename',
  )
  if (tables.length === 0) return []
  if (!tables.some(({ name }) => name === '_prisma_migrations')) {
    const some = tables.slice(0, 3).map(({ name }) => name)
    throw new Error(
      `The database that DATABASE_URL names holds tables that are not Cuelight's (${some.join(', ')}). Create a ` +
        'database for Cuelight alone and name that one.',
    )
  }
  try {
    const { rows } = await session.query<Attempt>(
      `SELECT migration_name AS name, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
    )
    return rows
  } catch (error) {
    throw new Error(
      `The table _prisma_migrations of the database cannot be read: ${reasonOf(error)} If the database is another ` +
        "program's, create one for Cuelight alone and name that one in DATABASE_URL; if it is Cuelight's, restore it " +
        'from a backup.',
      { cause: error },
    )
  }
}

async function withSession<T>(url: string, work: (session: pg.Client) => Promise<T>): Promise<T> {
  const session = new pg.Client(connectionOf(url, { name: 'Cuelight migrations', session: SESSION }))
  session.on('error', () => {})
  try {
    await session.connect()
  } catch (error) {
    throw databaseFault(url, error)
  }
  try {
    return await work(session)
  } finally {
    // Ends the lock too.
    await session.end()
  }
}

/** What the engine says, without its trace. */
function reasonOf(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).split(/\n\s+0: /)[0] ?? ''
  const said = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(': ')
  return said.endsWith('.') ? said : `${said}.`
}
