import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from './embedded.ts'
import { mintId } from './ids.ts'
import { migrate } from './migrate.ts'
import { guardOrphan } from './orphan-guard.ts'

/** A PostgreSQL of this process alone that keeps nothing: for tests. */
export type ThrowawayPostgres = {
  /** A database with Cuelight's tables, empty. */
  createDatabase(): Promise<ThrowawayDatabase>
  /** Ends it and removes all that it wrote. */
  stop(): Promise<void>
}
export type ThrowawayDatabase = { url: string; drop(): Promise<void> }

const TEMPLATE = 'cuelight_template'

/** Starts one in the system's temporary folder. It ends with this process if nobody stops it before. */
export async function startThrowaway(): Promise<ThrowawayPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'cuelight-testing-'))
  const endGuard = guardOrphan(dataDir)
  const cleanups = [
    async () => {
      await rm(dataDir, { recursive: true, force: true })
      endGuard()
    },
  ]
  const stop = async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  }
  try {
    const log = { info() {}, warn: console.warn, error: console.error }
    const embedded = await startEmbedded({ dataDir, log, durable: false })
    cleanups.push(() => embedded.stop())
    await execute(embedded.url, `CREATE DATABASE ${TEMPLATE}`)
    await migrate(urlOf(embedded.url, TEMPLATE))
    return { createDatabase: () => copyTemplate(embedded.url), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function copyTemplate(server: string): Promise<ThrowawayDatabase> {
  const name = `cuelight_${mintId().replaceAll('-', '')}`
  await execute(server, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`)
  return {
    url: urlOf(server, name),
    drop: () => execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

async function execute(url: string, statement: string): Promise<void> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  try {
    await session.query(statement)
  } finally {
    await session.end()
  }
}
