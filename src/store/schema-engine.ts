import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
} from '@prisma/driver-adapter-utils'
import type { SchemaEngine } from '@prisma/schema-engine-wasm'
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg'
import pg from 'pg'
import { connectionOf } from './connection.ts'

// Neither Node's types nor the language's name it; browsers' would bring their whole world.
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>
}

let loaded: Promise<void> | null = null

async function load(): Promise<void> {
  const main = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const bytes = await readFile(join(dirname(main), 'schema_engine_bg.wasm'))
  // Its timers outlive its work by seconds, and a process that has migrated may have nothing else to do.
  const imports = Object.entries(engine).map(([name, given]) =>
    name.startsWith('__wbg_setTimeout_') ? [name, setUnheldTimeout] : [name, given],
  )
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': Object.fromEntries(imports) })
  engine.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
}

const setUnheldTimeout = (callback: () => void, ms: number) => setTimeout(callback, ms >>> 0).unref()

/** Lends Prisma's schema engine, which runs in this process, for work in the database at `url`. */
export async function withSchemaEngine<T>(url: string, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  loaded ??= load()
  await loaded
  // One connection, so that a migration's BEGIN and COMMIT enclose what stands between them.
  const config = {
    ...connectionOf(url, {
      name: 'Cuelight migrations',
      session: ['-c TimeZone=UTC', '-c statement_timeout=0', '-c lock_timeout=0'],
    }),
    max: 1,
    Client: DescribingClient,
  }
  const pool = new pg.Pool(config)
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(new DescribingAdapter(pool, config))
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

// The adapter lacks PostgreSQL's internal type "char", in which the catalogue keeps the kinds of constraints, and
// without which the engine cannot read a database: the columns pass it as text and are named what they are behind it.
const TYPE_CHAR = 18
const TYPE_TEXT = 25
const charColumns = new Set<string>()

class DescribingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    this.connection.on('rowDescription', ({ fields }: { fields: { name: string; dataTypeID: number }[] }) => {
      for (const field of fields) {
        if (field.dataTypeID !== TYPE_CHAR) continue
        charColumns.add(field.name)
        field.dataTypeID = TYPE_TEXT
      }
    })
  }
}

class DescribingAdapter extends PrismaPg {
  readonly #pool: pg.Pool
  readonly #config: pg.PoolConfig

  constructor(pool: pg.Pool, config: pg.PoolConfig) {
    super(pool)
    this.#pool = pool
    this.#config = config
  }

  override async connect() {
    return describing(await super.connect())
  }

  /** A database in which migrations are tried. The adapter's own cannot be dropped, since it is still connected. */
  override async connectToShadowDb() {
    const database = `cuelight_shadow_${randomUUID().replaceAll('-', '')}`
    await this.#pool.query(`CREATE DATABASE ${database}`)
    const pool = new pg.Pool({ ...this.#config, database })
    const adapter = describing(await new PrismaPg(pool).connect())
    adapter.dispose = async () => {
      await pool.end()
      await this.#pool.query(`DROP DATABASE ${database}`)
    }
    return adapter
  }
}

function describing<A extends SqlDriverAdapter>(adapter: A): A {
  const queryRaw = adapter.queryRaw.bind(adapter)
  adapter.queryRaw = async (query) => {
    const result = await queryRaw(query)
    const columnTypes = result.columnTypes.map((type, index) =>
      charColumns.has(result.columnNames[index] ?? '') ? ColumnTypeEnum.Character : type,
    )
    return { ...result, columnTypes }
  }
  return adapter
}
