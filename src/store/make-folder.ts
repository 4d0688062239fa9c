import { existsSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder, with those that it is in. Throws what the system says. Node's own recursion never ends in a file system
 * that refuses folders by saying that their parent is missing, like /proc.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder) && statSync(folder).isDirectory()) return
  if (folder !== dirname(folder)) await makeFolder(dirname(folder))
  await mkdir(folder).catch((error: unknown) => {
    // Another process may have been faster.
    if (!existsSync(folder) || !statSync(folder).isDirectory()) throw error
  })
}
