import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../src/store/embedded.ts'
import { MIGRATIONS, migrationToSchema } from '../src/store/migrate.ts'

// npm run migration -- NAME: writes what leads from the migrations to schema.prisma as the next migration, to be read
// and completed by hand. Needs no database: it starts one in a temporary folder.

const [name = ''] = process.argv.slice(2)
if (!/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error('Name the migration in small letters, digits and underscores: npm run migration -- add_run_notes')
  process.exit(1)
}

const dataDir = await mkdtemp(join(tmpdir(), 'cuelight-migration-'))
const embedded = await startEmbedded({
  dataDir,
  log: { info() {}, warn: console.warn, error: console.error },
  durable: false,
})
try {
  const sql = await migrationToSchema(embedded.url)
  if (sql === null) {
    console.log('The migrations and schema.prisma agree: there is nothing to write.')
  } else {
    const timestamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
    const folder = join(MIGRATIONS, `${timestamp}_${name}`)
    await mkdir(folder)
    await writeFile(join(folder, 'migration.sql'), `BEGIN;\n\n${sql.trim()}\n\nCOMMIT;\n`)
    console.log(`Wrote ${join(folder, 'migration.sql')}: read it, and keep it one transaction without ';' in a string.`)
  }
} finally {
  await embedded.stop()
  await rm(dataDir, { recursive: true, force: true })
}
