import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../src/store/embedded.ts'
import { migrate } from '../../src/store/migrate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of the run's server, and the migrated database that test databases are copies of. */
    postgres: { url: string; template: string }
  }
}

/** One server and one migrated template for the whole run: its own, or the one CUELIGHT_TEST_DATABASE_URL names. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.CUELIGHT_TEST_DATABASE_URL
  const server = given === undefined || given === '' ? await startOwn() : { url: given, stop: async () => {} }
  try {
    const template = `cuelight_template_${randomUUID().replaceAll('-', '')}`
    await execute(server.url, `CREATE DATABASE ${template}`)
    const url = new URL(server.url)
    url.pathname = `/${template}`
    await migrate(url.href)
    project.provide('postgres', { url: server.url, template })
    return async () => {
      await execute(server.url, `DROP DATABASE ${template} WITH (FORCE)`)
      await server.stop()
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function startOwn(): Promise<{ url: string; stop(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'cuelight-test-'))
  const log = { info() {}, warn: console.warn, error: console.error }
  const remove = () => rm(dataDir, { recursive: true, force: true })
  const embedded = await startEmbedded({ dataDir, log, durable: false }).catch(async (error: unknown) => {
    await remove()
    throw error
  })
  return {
    url: embedded.url,
    async stop() {
      await embedded.stop()
      await remove()
    },
  }
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
