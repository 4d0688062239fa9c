import { expect, test } from 'vitest'
import { migrate, migrationToSchema, pendingMigrations } from '../../src/store/migrate.ts'
import { blankDatabase, testDatabase } from '../support/database.ts'

/** So that nothing is planned for a small table that is about to grow. */
const LATE_VACUUM = ['autovacuum_analyze_threshold=5000', 'autovacuum_vacuum_threshold=5000']

test('the migrations lead to exactly the data model of schema.prisma', async () => {
  const { url } = await blankDatabase()
  expect(await migrationToSchema(url)).toBeNull()
})

test('what the data model cannot say is in the database: predicates, page room, checks', async () => {
  const { db } = await testDatabase()
  const indexes = await db.prisma.$queryRaw<{ name: string; predicate: string | null; unique: boolean }[]>`
    SELECT c.relname AS name, pg_get_expr(i.indpred, i.indrelid) AS predicate, i.indisunique AS "unique"
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE c.relname IN ('runs_one_holder_per_key', 'runs_due', 'runs_one_per_occurrence_key') ORDER BY name`
  expect(indexes).toEqual([
    { name: 'runs_due', predicate: '((claimed_by IS NULL) AND (wake_at IS NOT NULL))', unique: false },
    {
      name: 'runs_one_holder_per_key',
      predicate:
        "((concurrency_key IS NOT NULL) AND (NOT rehearsal) AND ((status = ANY (ARRAY['STARTING'::run_status, 'RUNNING'::run_status, " +
        "'PAUSED'::run_status, 'ENDING'::run_status])) OR (cleanup_status = 'PENDING'::cleanup_status)))",
      unique: true,
    },
    {
      name: 'runs_one_per_occurrence_key',
      predicate: '((NOT rehearsal) AND (superseded_by_id IS NULL))',
      unique: true,
    },
  ])
  const tables = await db.prisma.$queryRaw`
    SELECT relname AS name, reloptions AS options FROM pg_class WHERE relname IN ('runs', 'steps') ORDER BY relname`
  expect(tables).toEqual([
    { name: 'runs', options: ['fillfactor=80', ...LATE_VACUUM] },
    { name: 'steps', options: ['fillfactor=80', ...LATE_VACUUM] },
  ])
  const bad = db.prisma.$executeRaw`
    INSERT INTO definitions (id, slug, title, draft, created_at, updated_at)
    VALUES (gen_random_uuid(), 'Not a slug', '', '{}', now(), now())`
  await expect(bad).rejects.toThrow(/definitions_slug_form/)
})

test('servers that start together migrate once, and the others wait for it', async () => {
  const { url } = await blankDatabase()
  const pending = await pendingMigrations(url)
  expect(pending).not.toEqual([])
  const applied = await Promise.all([migrate(url), migrate(url), migrate(url)])
  expect(applied.filter((names) => names.length > 0)).toEqual([pending])
  expect(await pendingMigrations(url)).toEqual([])
})

test('a migration that failed leaves nothing behind and is applied again once the cause is gone', async () => {
  const { url, query } = await blankDatabase()
  await query('CREATE TYPE step_status AS ENUM ()')
  await expect(migrate(url)).rejects.toThrow(/^The database's tables could not be brought up to date: .*step_status/s)
  expect(await query("SELECT typname FROM pg_type WHERE typname = 'run_status'")).toEqual([])
  await query('DROP TYPE step_status')
  expect(await migrate(url)).not.toEqual([])
  expect(await pendingMigrations(url)).toEqual([])
})

test("a database that holds somebody else's tables is refused and left alone", async () => {
  const { url, query } = await blankDatabase()
  await query('CREATE TABLE guestbook (entry text NOT NULL)')
  await expect(migrate(url)).rejects.toThrow(/holds tables that are not Cuelight's \(guestbook\)/)
  expect(await query('SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()')).toEqual([
    { name: 'guestbook' },
  ])
})

test('a user who may not create tables is told what would let it', async () => {
  const { url, query } = await blankDatabase()
  const role = `guest_${new URL(url).pathname.slice(1)}`
  await query(`CREATE ROLE "${role}" LOGIN PASSWORD 'guest'`)
  const asGuest = new URL(url)
  asGuest.username = role
  asGuest.password = 'guest'
  try {
    await expect(migrate(asGuest.href)).rejects.toThrow(
      /permission denied for schema public\..* Let the user in DATABASE_URL create tables there/s,
    )
  } finally {
    await query(`DROP ROLE "${role}"`)
  }
})

test('a database that a newer version migrated is refused with the migration that is not known', async () => {
  const { url, query } = await blankDatabase()
  await migrate(url)
  await query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ('future', '', '29990101000000_holograms', now(), now(), 1)`,
  )
  const refusal =
    /migrated by a newer Cuelight: .*29990101000000_holograms\. Start that version or a newer one, or give/
  await expect(migrate(url)).rejects.toThrow(refusal)
  await expect(pendingMigrations(url)).rejects.toThrow(refusal)
  await query("UPDATE _prisma_migrations SET rolled_back_at = now() WHERE id = 'future'")
  expect(await pendingMigrations(url)).toEqual([])
})

test("a table of migrations that is somebody else's is refused by a sentence", async () => {
  const { url, query } = await blankDatabase()
  await query('CREATE TABLE _prisma_migrations (step int)')
  await expect(migrate(url)).rejects.toThrow(
    /_prisma_migrations of the database cannot be read: .* name that one in DATABASE_URL/,
  )
})
