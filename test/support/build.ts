import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

/** Compiles the server into a folder of the run's own beside `dist`: its processes start several times faster so. */
export async function buildServer(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(resolve('dist-test-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  // Types are checked elsewhere; checking them takes nine times as long as the rest.
  const options = ['-p', 'tsconfig.build.json', '--noCheck', '--sourceMap', 'false', '--outDir', folder]
  try {
    await promisify(execFile)(process.execPath, [resolve('node_modules/typescript/bin/tsc'), ...options])
  } catch (error) {
    await remove()
    throw error
  }
  return { folder, remove }
}
