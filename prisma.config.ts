import { defineConfig } from 'prisma/config'

// Generating the client needs no schema engine, and migrations run in WebAssembly (src/store/migrate.ts): an engine
// binary named here keeps the tool from downloading one.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
})
