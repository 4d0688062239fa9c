import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../src/store/embedded.ts'
import { migrate } from '../../src/store/migrate.ts'
import { buildServer } from './build.ts'
import { copyDataDir, prepareDataDir } from './prepared.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of the run's server, and the migrated database that test databases are copies of. */
    postgres: { url: string; template: string }
    /** The folder of the compiled server. */
    build: string
    /** A data folder with a PostgreSQL that was never started, to be copied. */
    preparedDataDir: string
  }
}

/** What the files of a run share: the compiled server, a data folder to copy, a PostgreSQL with a migrated template. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cleanups: (() => Promise<void>)[] = []
  const cleanUp = async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  }
  const provided = await Promise.allSettled([
    buildServer().then(({ folder, remove }) => {
      cleanups.push(remove)
      project.provide('build', folder)
    }),
    prepareDataDir().then(async ({ folder, remove }) => {
      cleanups.push(remove)
      project.provide('preparedDataDir', folder)
      const postgres = await providePostgres(project, folder)
      cleanups.push(postgres.stop)
    }),
  ])
  for (const outcome of provided) {
    if (outcome.status === 'fulfilled') continue
    await cleanUp()
    throw outcome.reason
  }
  return cleanUp
}

/** One server and one migrated template for the whole run: its own, or the one CUELIGHT_TEST_DATABASE_URL names. */
async function providePostgres(project: TestProject, preparedDataDir: string): Promise<{ stop(): Promise<void> }> {
  const given = process.env.CUELIGHT_TEST_DATABASE_URL
  const own = given === undefined || given === ''
  const server = own ? await startOwn(preparedDataDir) : { url: given, stop: async () => {} }
  try {
    const template = `cuelight_template_${randomUUID().replaceAll('-', '')}`
    await execute(server.url, `CREATE DATABASE ${template}`)
    const url = new URL(server.url)
    url.pathname = `/${template}`
    await migrate(url.href)
    project.provide('postgres', { url: server.url, template })
    return {
      async stop() {
        await execute(server.url, `DROP DATABASE ${template} WITH (FORCE)`)
        await server.stop()
      },
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function startOwn(preparedDataDir: string): Promise<{ url: string; stop(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'cuelight-test-'))
  const log = { info() {}, warn: console.warn, error: console.error }
  const remove = () => rm(dataDir, { recursive: true, force: true })
  const embedded = await copyDataDir(preparedDataDir, dataDir)
    .then(() => startEmbedded({ dataDir, log, durable: false }))
    .catch(async (error: unknown) => {
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
