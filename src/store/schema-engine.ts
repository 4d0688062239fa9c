import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import type { SchemaEngine } from '@prisma/schema-engine-wasm'
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg'
import pg from 'pg'

// Neither Node's types nor the language's name it; browsers' would bring their whole world.
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>
}

/** Every table and type of the database is ours to migrate. */
export const FILTERS = { externalTables: [], externalEnums: [] }

let loaded: Promise<void> | null = null

async function load(): Promise<void> {
  const main = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const bytes = await readFile(join(dirname(main), 'schema_engine_bg.wasm'))
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': engine })
  engine.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
}

/** Lends Prisma's schema engine, which runs in this process, for work in the database at `url`. */
export async function withSchemaEngine<T>(url: string, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  loaded ??= load()
  await loaded
  // One connection, so that a migration's BEGIN and COMMIT enclose what stands between them.
  const pool = new pg.Pool({ connectionString: url, options: '-c TimeZone=UTC', max: 1 })
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool))
    const lent = await engine.SchemaEngine.new({ datamodels: undefined }, () => {}, adapter)
    try {
      return await work(lent)
    } finally {
      lent.free()
    }
  } finally {
    await pool.end()
  }
}
