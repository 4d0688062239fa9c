import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findBinaries, ownerForPostgres } from '../../src/store/postgres-binaries.ts'
import { createCluster } from '../../src/store/postgres-folder.ts'

/** The data folder of an embedded PostgreSQL as it is after its making, to be copied: setting one up takes far longer. */
export async function prepareDataDir(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'cuelight-prepared-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const binaries = await findBinaries()
    await createCluster({ home: join(folder, 'postgres'), owner: ownerForPostgres(), binaries, durable: false })
  } catch (error) {
    await remove()
    throw error
  }
  return { folder, remove }
}

/** Makes `dataDir` a copy of a prepared one, with its owners. */
export async function copyDataDir(prepared: string, dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  await promisify(execFile)('cp', ['-a', join(prepared, 'postgres'), join(dataDir, 'postgres')])
}
